#include "file.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace vkonnx::tools {
namespace {
namespace fs = std::filesystem;

class FileTest : public testing::Test {
protected:
    void SetUp() override
    {
        folder_ = fs::path(testing::TempDir()) /
                  ("vkonnx_file_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string path(const char* name) const { return (folder_ / name).string(); }
    size_t entries() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {})); }
    std::string content(const std::string& path) const
    {
        const Result<std::vector<std::byte>> bytes = read_file(path);
        return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : "unreadable";
    }

    fs::path folder_;
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
    // The rename fails because a folder with something in it has the name.
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

}  // namespace
}  // namespace vkonnx::tools
