#include "isolate.h"

#include <chrono>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>

namespace vkonnx::tools {
namespace {

class IsolateTest : public testing::Test {
protected:
    void SetUp() override
    {
        if (!can_isolate())
            GTEST_SKIP() << "this platform has no fork";
    }
};

TEST_F(IsolateTest, HandsBackTheText)
{
    const std::string large(1 << 20, 'x');  // more than a pipe holds
    const Result<std::string> text = run_isolated([&] { return large; }, 60);
    ASSERT_TRUE(text) << text.message();
    EXPECT_EQ(*text, large);
}

TEST_F(IsolateTest, SurvivesASignal)
{
    const Result<std::string> text = run_isolated(
        []() -> std::string {
            std::signal(SIGABRT, SIG_DFL);
            std::raise(SIGABRT);
            return "survived";
        },
        60);
    EXPECT_EQ(text.code(), Code::driver_error);
    EXPECT_EQ(text.message(), "its process was killed by signal 6 (Aborted)");
}

TEST_F(IsolateTest, SeesAnEarlyExit)
{
    const Result<std::string> text = run_isolated([]() -> std::string { std::_Exit(7); }, 60);
    EXPECT_EQ(text.message(), "its process exited with code 7");
}

TEST_F(IsolateTest, EndsAHang)
{
    const auto begin = std::chrono::steady_clock::now();
    const Result<std::string> text = run_isolated(
        []() -> std::string {
            for (;;)
                std::this_thread::sleep_for(std::chrono::seconds(1));
        },
        0.2);
    EXPECT_EQ(text.code(), Code::timeout);
    EXPECT_EQ(text.message(), "its process took longer than 0.2 seconds and was killed");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

}  // namespace
}  // namespace vkonnx::tools
