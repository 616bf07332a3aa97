#include <vkonnx/vkonnx.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace vkonnx {
namespace {

// This class sets an environment variable for as long as it lives. A null value removes the variable.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name)
    {
        if (const char* before = std::getenv(name))
            before_ = before;
        value ? setenv(name, value, 1) : unsetenv(name);
    }
    ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

#ifdef __linux__
TEST(DefaultCacheFolder, IsTheUsers)
{
    struct {
        const char *own, *xdg, *home, *expected;
    } const rows[] = {
        {"/own", "/xdg", "/home/me", "/own"},
        {"", "/xdg", "/home/me", ""},
        {nullptr, "/xdg", "/home/me", "/xdg/vkonnx"},
        {nullptr, "relative", "/home/me", "/home/me/.cache/vkonnx"},  // XDG's specification says to ignore it
        {nullptr, "", "/home/me", "/home/me/.cache/vkonnx"},
        {nullptr, nullptr, "/home/me", "/home/me/.cache/vkonnx"},
        {nullptr, nullptr, nullptr, ""},
        {nullptr, nullptr, "", ""},
    };
    for (const auto& row : rows) {
        const Variable own("VKONNX_CACHE_DIR", row.own), xdg("XDG_CACHE_HOME", row.xdg), home("HOME", row.home);
        EXPECT_EQ(default_cache_folder(), row.expected);
    }
}
#endif

}  // namespace
}  // namespace vkonnx
