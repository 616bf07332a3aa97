#include "file.h"

#include <csignal>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "isolate.h"
#include "kit/temporary_folder.h"

#ifndef _WIN32
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// This function replaces the system's rename, so that a test can interrupt a process after the last byte, before the file has its
// name.
static void (*before_rename)() = nullptr;

extern "C" int rename(const char* from, const char* to) noexcept
{
    if (before_rename)
        before_rename();
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}
#endif

namespace vkonnx::tools {
namespace {
namespace fs = std::filesystem;

class FileTest : public testing::Test {
protected:
    std::string path(const char* name) const { return (folder_ / name).string(); }
    size_t entries() const { return size_t(std::distance(fs::directory_iterator(folder_), {})); }
    std::string content(const std::string& path) const
    {
        const Result<std::vector<std::byte>> bytes = read_file(path);
        return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : "unreadable";
    }

    const kit::TemporaryFolder temporary_;
    const fs::path& folder_ = temporary_.path();
};

TEST_F(FileTest, ComesBackAsWritten)
{
    ASSERT_TRUE(write_file(path("a"), std::string_view("one\0two", 7)));
    EXPECT_EQ(content(path("a")), std::string("one\0two", 7));
    ASSERT_TRUE(write_file(path("a"), std::string_view("")));
    EXPECT_EQ(content(path("a")), "");
    EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, FailureLeavesNothingBehind)
{
    // The rename fails because a folder that is not empty has the name.
    fs::create_directories(folder_ / "taken" / "inside");
    EXPECT_FALSE(check_writable(path("taken")));
    EXPECT_FALSE(write_file(path("missing/a"), std::string_view("x")));
    EXPECT_FALSE(check_writable(path("missing/a")));
    EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, FullDiskIsAnErrorAndNotADevice)
{
    if (!fs::exists("/dev/full"))
        GTEST_SKIP() << "this system has no /dev/full";
    const Status written = write_file("/dev/full", std::string_view("x"));
    EXPECT_EQ(written.code(), Code::io);
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(FileTest, LinkStaysALink)
{
    ASSERT_TRUE(write_file(path("real"), std::string_view("old")));
    fs::create_symlink("real", folder_ / "link");
    ASSERT_TRUE(write_file(path("link"), std::string_view("new")));
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_EQ(content(path("real")), "new");
}

TEST_F(FileTest, ReadingNamesThePath)
{
    const Result<std::vector<std::byte>> missing = read_file(path("none"));
    EXPECT_EQ(missing.code(), Code::io);
    EXPECT_EQ(missing.message(), path("none") + ": can't be opened: No such file or directory");
    EXPECT_EQ(read_file(folder_.string()).message(), folder_.string() + ": is a folder");
}

TEST_F(FileTest, ReadsNoMoreThanItMay)
{
    ASSERT_TRUE(write_file(path("a"), std::string(100'000, 'x')));
    EXPECT_EQ(read_file(path("a"), 100'000)->size(), 100'000u);
    EXPECT_EQ(read_file(path("a"), 99'999).message(), path("a") + ": has more than 99999 bytes, which is the most for it");
}

#ifndef _WIN32

// Reads the file in a child process with a bound on its memory, because it could hang or take all memory.
std::string read_isolated(const std::string& path)
{
    const Result<std::string> message = run_isolated(
        [&] {
            const rlimit memory = {size_t{4} << 30, size_t{4} << 30};
            setrlimit(RLIMIT_AS, &memory);
            return std::string(read_file(path).message());
        },
        10);
    return std::string(message ? *message : message.message());
}

TEST_F(FileTest, WhatIsNoFileIsRefused)
{
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    EXPECT_EQ(read_isolated(path("pipe")), path("pipe") + ": is no regular file") << "nobody will ever write to it";
    fs::create_symlink("/dev/zero", folder_ / "endless");
    EXPECT_EQ(read_isolated(path("endless")), path("endless") + ": is no regular file");
    EXPECT_EQ(read_isolated("/dev/stdin"), "/dev/stdin: is no regular file");
}

// Returns how a child process ended that was interrupted while it wrote "new" into "a".
int end_of_writer(const std::string& path, void (*interrupt)())
{
    const pid_t child = fork();
    if (child == 0) {
        before_rename = interrupt;
        std::_Exit(write_file(path, std::string_view("new")) ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

TEST_F(FileTest, InterruptLeavesNothingBehind)
{
    ASSERT_TRUE(write_file(path("a"), std::string_view("old")));
    const std::pair<int, void (*)()> interrupts[] = {
        {SIGINT, [] { std::raise(SIGINT); }},
        {SIGTERM, [] { std::raise(SIGTERM); }},
        {SIGHUP, [] { std::raise(SIGHUP); }},
        {SIGTERM,
         [] {
             std::thread([] {
                 std::raise(SIGTERM);
                 pause();
             }).join();
         }},  // the signal may be delivered to a driver's thread, too
    };
    for (const auto& [signal, interrupt] : interrupts) {
        EXPECT_EQ(end_of_writer(path("a"), interrupt), signal) << "the caller must see what it was";
        EXPECT_EQ(content(path("a")), "old");
        EXPECT_EQ(entries(), 1u);
    }
    const auto ignoring = [] {
        std::signal(SIGHUP, SIG_IGN);
        before_rename = [] { std::raise(SIGHUP); };
    };
    EXPECT_EQ(run_isolated(
                  [&] {
                      ignoring();
                      return std::string(write_file(path("a"), std::string_view("new")).message());
                  },
                  10)
                  .code(),
              Code::ok)
        << "as under nohup";
    EXPECT_EQ(content(path("a")), "new");
    EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, SignalsAreTheCallersAgain)
{
    struct sigaction before = {}, after = {};
    sigaction(SIGINT, nullptr, &before);
    ASSERT_TRUE(write_file(path("a"), std::string_view("new")));
    sigaction(SIGINT, nullptr, &after);
    EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST_F(FileTest, AFileBeyondTheLimitIsAnError)
{
    ASSERT_TRUE(write_file(path("a"), std::string_view("old")));
    const Result<std::string> message = run_isolated(
        [&] {
            const rlimit size = {1000, 1000};
            setrlimit(RLIMIT_FSIZE, &size);
            return std::string(write_file(path("a"), std::string(100'000, 'x')).message());
        },
        10);
    ASSERT_TRUE(message) << message.message();
    EXPECT_NE(message->find("can't be written"), std::string::npos) << *message;
    EXPECT_EQ(content(path("a")), "old");
    EXPECT_EQ(entries(), 1u);
}

#endif

}  // namespace
}  // namespace vkonnx::tools
