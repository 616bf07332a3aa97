#ifndef _WIN32

#include "isolate.h"

#include <atomic>
#include <csignal>
#include <limits>
#include <new>

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

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

[[noreturn]] std::string hang()
{
    for (;;)
        pause();
}

// This clock only moves on by `advance`, in this process or in a child.
class SharedClock {
public:
    SharedClock() : shared_(new (mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Shared)
    {
    }
    SharedClock(const SharedClock&) = delete;
    SharedClock& operator=(const SharedClock&) = delete;
    ~SharedClock() { munmap(shared_, sizeof(Shared)); }

    void advance(std::chrono::milliseconds time) { shared_->milliseconds += time.count(); }

    // Waits until somebody else has asked what time it is.
    void wait_to_be_asked() const
    {
        for (const int64_t before = shared_->asked; shared_->asked == before;)
            usleep(100);
    }

    Clock clock() const
    {
        return [this] {
            const std::chrono::steady_clock::time_point now(std::chrono::milliseconds(shared_->milliseconds));
            ++shared_->asked;
            return now;
        };
    }

private:
    struct Shared {
        std::atomic<int64_t> milliseconds = 0;
        std::atomic<int64_t> asked = 0;
    };
    Shared* const shared_;
};

TEST_F(IsolateTest, HandsBackTheText)
{
    const std::string large(1 << 20, 'x');  // more than fits into a pipe
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
    const Result<std::string> text = run_isolated(hang, 0.2);
    EXPECT_EQ(text.code(), Code::timeout);
    EXPECT_EQ(text.message(), "its process took longer than 0.2 seconds and was killed");
}

TEST_F(IsolateTest, TimesBeyondTheClocksAreLong)
{
    for (const double seconds :
         {1e10, 1e308, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        const Result<std::string> text = run_isolated([] { return std::string("done"); }, seconds);
        EXPECT_TRUE(text && *text == "done") << seconds << ": " << text.message();
    }
    for (const double seconds : {0.0, -1.0, -1e308})
        EXPECT_EQ(run_isolated(hang, seconds).code(), Code::timeout);
}

// Pieces of work see what earlier ones did only while they share a process.
TEST_F(IsolateTest, WorksShareAChildUntilItDies)
{
    int done = 0;
    const auto work = [&](size_t i) -> std::string {
        if (i == 2) {
            std::signal(SIGABRT, SIG_DFL);
            std::raise(SIGABRT);
        }
        if (i == 5)
            std::_Exit(0);
        return std::to_string(i) + " after " + std::to_string(done++);
    };
    const std::vector<Result<std::string>> texts = run_all_isolated(7, work, 60);
    ASSERT_EQ(texts.size(), 7u);
    EXPECT_EQ(*texts[0], "0 after 0");
    EXPECT_EQ(*texts[1], "1 after 1");
    EXPECT_EQ(texts[2].message(), "its process was killed by signal 6 (Aborted)");
    EXPECT_EQ(*texts[3], "3 after 0") << "another child";
    EXPECT_EQ(*texts[4], "4 after 1");
    EXPECT_EQ(texts[5].message(), "its process exited with code 0") << "without a result it has failed";
    EXPECT_EQ(*texts[6], "6 after 0");
    EXPECT_EQ(done, 0) << "not in this process";
    EXPECT_TRUE(run_all_isolated(0, work, 60).empty());
}

TEST_F(IsolateTest, EachWorkHasTheTimeForItself)
{
    SharedClock clock;
    const auto work = [&](size_t i) -> std::string {
        clock.wait_to_be_asked();  // does not run ahead of the process that waits for it
        clock.advance(std::chrono::milliseconds(40));
        while (i == 8) {
            clock.advance(std::chrono::milliseconds(40));
            usleep(1000);
        }
        return std::to_string(i);
    };
    const std::vector<Result<std::string>> texts = run_all_isolated(10, work, 0.1, clock.clock());
    ASSERT_EQ(texts.size(), 10u);
    for (const size_t i : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 9u})
        EXPECT_TRUE(texts[i] && *texts[i] == std::to_string(i)) << texts[i].message();
    EXPECT_EQ(texts[8].message(), "its process took longer than 0.1 seconds and was killed");
}

TEST_F(IsolateTest, TextsOfAnyLengthStayApart)
{
    const auto work = [](size_t i) { return std::string(i * 100'000, char('a' + i)); };
    const std::vector<Result<std::string>> texts = run_all_isolated(4, work, 60);
    for (size_t i = 0; i < texts.size(); ++i)
        EXPECT_TRUE(texts[i] && *texts[i] == work(i)) << i;
}

}  // namespace
}  // namespace vkonnx::tools

#endif
