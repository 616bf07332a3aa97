// This file tests the bytes and files of a cache. Whatever is wrong with them, they must be read as nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>

#include <sys/resource.h>

#include "gpu/cache_folder.h"
#include "gpu/cache_format.h"
#include "kit/draw.h"
#include "kit/temporary_folder.h"

namespace vkonnx::gpu {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

constexpr CacheIdentity identity = {.vendor = 0x10005, .device = 7, .driver = 13, .driver_version = 99, .uuid = {1, 2, 3, 250}};

// Returns the header of Vulkan's pipeline cache data, and `bytes` bytes behind it.
Bytes pipeline_data(size_t bytes, uint8_t value, const CacheIdentity& of = identity)
{
    const uint32_t header[] = {32, 1, of.vendor, of.device};
    Bytes data(32 + bytes, std::byte(value));
    std::memcpy(data.data(), header, sizeof header);
    std::memcpy(data.data() + 16, of.uuid.data(), of.uuid.size());
    return data;
}

CacheContent some_content()
{
    return {.texts = {{"peaks", "1\n2\n3\n"}, {"tuning Conv", "conv_gemm"}, {"empty", ""}},
            .pipelines = {{11, pipeline_data(5, 1)}, {22, pipeline_data(1, 2)}, {33, pipeline_data(40, 3)}}};
}

bool same(const CacheContent& a, const CacheContent& b)
{
    return a.texts == b.texts && std::ranges::equal(a.pipelines, b.pipelines, [](const auto& one, const auto& other) {
               return one.key == other.key && one.data == other.data;
           });
}

uint64_t hash_of(std::string_view text)
{
    Hash hash;
    hash.add(std::as_bytes(std::span(text)));
    return hash.value();
}

// Makes size and checksum right again, so that a reader meets what a wrong writer would have written.
void seal(Bytes& bytes)
{
    if (bytes.size() < 80)
        return;
    const uint64_t size = bytes.size() - 80;
    std::memcpy(bytes.data() + 64, &size, 8);
    Hash hash;
    hash.add(std::span(bytes).first(72));
    hash.add(std::span(bytes).subspan(80));
    const uint64_t sum = hash.value();
    std::memcpy(bytes.data() + 72, &sum, 8);
}

TEST(CacheFormat, HashIsFnv1a)
{
    // The values are from the reference's own test vectors.
    EXPECT_EQ(hash_of(""), 0xcbf29ce484222325u);
    EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8cu);
    EXPECT_EQ(hash_of("foobar"), 0x85944171f73967e8u);
}

TEST(CacheFormat, GivesBackWhatWasWritten)
{
    for (const CacheContent& content : {CacheContent(), some_content()}) {
        std::string why;
        const auto read = decode(identity, encode(identity, content), why);
        ASSERT_TRUE(read) << why;
        EXPECT_TRUE(same(*read, content));
    }
}

TEST(CacheFormat, EveryDamageIsSeen)
{
    const Bytes whole = encode(identity, some_content());
    std::string why;
    for (size_t size = 0; size < whole.size(); ++size)
        EXPECT_FALSE(decode(identity, std::span(whole).first(size), why)) << "cut to " << size;
    for (size_t at = 0; at < whole.size(); ++at)
        for (const int change : {1, 128, 255}) {
            Bytes changed = whole;
            changed[at] ^= std::byte(change);
            EXPECT_FALSE(decode(identity, changed, why)) << "byte " << at;
        }
    Bytes longer = whole;
    longer.push_back(std::byte(0));
    EXPECT_FALSE(decode(identity, longer, why));
    EXPECT_EQ(why, "it is damaged");
}

TEST(CacheFormat, WhatIsOfAnotherIsNothing)
{
    const Bytes whole = encode(identity, some_content());
    CacheIdentity others[5] = {identity, identity, identity, identity, identity};
    others[0].vendor++;
    others[1].device++;
    others[2].driver++;
    others[3].driver_version++;
    others[4].uuid[15]++;
    for (const CacheIdentity& other : others) {
        std::string why;
        EXPECT_FALSE(decode(other, whole, why));
        EXPECT_EQ(why, "it is of another version of vkonnx or of the driver");
    }
    for (const size_t field : {8, 12, 48}) {  // of the format, of pointers, of the library
        Bytes other = whole;
        other[field] ^= std::byte(1);
        seal(other);
        std::string why;
        EXPECT_FALSE(decode(identity, other, why));
        EXPECT_EQ(why, "it is of another version of vkonnx or of the driver");
    }
    // A newer driver's file takes the place of the older one's, but not of another device's or another driver's.
    EXPECT_EQ(cache_name(identity), cache_name(others[3]));
    EXPECT_EQ((std::set{cache_name(identity), cache_name(others[0]), cache_name(others[1]), cache_name(others[2])}).size(), 4u);
}

// A wrong writer may give a right checksum to less or more bytes than the counts say.
TEST(CacheFormat, APayloadOfAnotherSizeThanItsCountsSayIsDamaged)
{
    const Bytes whole = encode(identity, some_content());
    for (size_t size = 80; size <= whole.size() + 1; ++size) {
        Bytes other = whole;
        other.resize(size);
        seal(other);
        std::string why;
        EXPECT_EQ(bool(decode(identity, other, why)), size == whole.size()) << size;
    }
}

// Random bytes are damaged, and the checksum is made right again.
TEST(CacheFormat, RandomDamageUnderARightChecksum)
{
    const Bytes whole = encode(identity, some_content());
    kit::Draw draw(kit::test_seed(20261126));
    SCOPED_TRACE(draw.repeat());
    const auto place = [&](const Bytes& in) { return size_t(draw.between(80, int64_t(in.size()) - 1)); };
    const int problems = kit::test_problems(2000);
    for (int problem = 0; problem < problems; ++problem) {
        Bytes damaged = whole;
        for (int64_t change = draw.between(1, 4); change > 0; --change)
            damaged[place(damaged)] = std::byte(draw.one_in(2) ? draw.between(0, 255) : draw.of({0, 1, 32, 255}));
        if (draw.one_in(2))
            damaged.resize(place(damaged));
        seal(damaged);
        std::string why;
        const auto read = decode(identity, damaged, why);
        EXPECT_EQ(!read, why == "it is damaged");
        for (const CachedPipeline& one : read ? read->pipelines : std::vector<CachedPipeline>())
            EXPECT_TRUE(is_pipeline_data(identity, one.data));
    }
}

TEST(CacheFormat, NoDriverGetsAForeignHeader)
{
    EXPECT_TRUE(is_pipeline_data(identity, pipeline_data(1, 0)));
    EXPECT_FALSE(is_pipeline_data(identity, pipeline_data(0, 0)));  // a header alone tells nothing
    const Bytes whole = pipeline_data(1, 0);
    EXPECT_FALSE(is_pipeline_data(identity, std::span(whole).first(20)));
    for (const size_t at : {0, 4, 8, 12, 16, 31}) {
        Bytes other = pipeline_data(1, 0);
        other[at] ^= std::byte(1);
        EXPECT_FALSE(is_pipeline_data(identity, other)) << at;
        CacheContent content = some_content();
        content.pipelines[1].data = other;
        std::string why;
        const auto read = decode(identity, encode(identity, content), why);
        ASSERT_TRUE(read);
        ASSERT_EQ(read->pipelines.size(), 2u);
        EXPECT_EQ(read->pipelines[1].key, 33u);
    }
}

TEST(CacheFormat, KeepsTheMostRecentlyUsedWithinTheLimit)
{
    const CacheContent content = some_content();
    const size_t all = encode(identity, content).size();
    std::string why;
    const auto without_one = decode(identity, encode(identity, content, all - 1), why);
    ASSERT_TRUE(without_one);
    EXPECT_EQ(without_one->texts, content.texts);
    ASSERT_EQ(without_one->pipelines.size(), 2u);
    EXPECT_EQ(without_one->pipelines[0].key, 11u);
    EXPECT_EQ(without_one->pipelines[1].key, 22u);
    for (size_t limit = 88; limit < all; ++limit)
        EXPECT_LE(encode(identity, content, limit).size(), limit);
}

TEST(CacheFormat, MergesWhatIsNewerInFront)
{
    const CacheContent newer = {.texts = {{"a", "1"}, {"b", "2"}},
                                .pipelines = {{5, pipeline_data(1, 1)}, {6, pipeline_data(1, 2)}}};
    const CacheContent older = {.texts = {{"b", "3"}, {"c", "4"}},
                                .pipelines = {{6, pipeline_data(1, 3)}, {7, pipeline_data(1, 4)}}};
    const CacheContent all = {.texts = {{"a", "1"}, {"b", "2"}, {"c", "4"}},
                              .pipelines = {{5, pipeline_data(1, 1)}, {6, pipeline_data(1, 2)}, {7, pipeline_data(1, 4)}}};
    EXPECT_TRUE(same(merged(newer, older), all));
}

class CacheFolder : public testing::Test {
protected:
    std::string why_not_read(const fs::path& file)
    {
        std::string why;
        EXPECT_FALSE(read_cache_file(file, 1000, why));
        return why;
    }

    const kit::TemporaryFolder temporary_;
    const fs::path folder_ = temporary_.path() / "cache";
    const fs::path file_ = folder_ / "deeper" / "x.cache";
};

Bytes bytes_of(std::string_view text)
{
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

TEST_F(CacheFolder, ReplacesWhole)
{
    std::string why;
    for (const char* text : {"first", "", "third"}) {
        Bytes before = bytes_of("unset");
        const auto written = replace_cache_file(
            file_, 1000,
            [&](std::span<const std::byte> present) {
                before.assign(present.begin(), present.end());
                return bytes_of(text);
            },
            why);
        ASSERT_EQ(written, std::string_view(text).size()) << why;
        EXPECT_EQ(before, text[0] == 't' ? bytes_of("") : text[0] ? bytes_of("") : bytes_of("first"));
        EXPECT_EQ(read_cache_file(file_, 1000, why), bytes_of(text));
    }
    // The folder holds only the file and its lock.
    EXPECT_EQ(std::distance(fs::directory_iterator(file_.parent_path()), {}), 2);
}

TEST_F(CacheFolder, OnlyRegularFilesOfThatSizeAreRead)
{
    fs::create_directories(folder_);
    EXPECT_EQ(why_not_read(folder_ / "none"), "there is no file");
    EXPECT_EQ(why_not_read(folder_), "it is no regular file");
    EXPECT_EQ(why_not_read("/dev/zero"), "it is no regular file");
    fs::create_symlink("/dev/zero", folder_ / "endless");
    EXPECT_EQ(why_not_read(folder_ / "endless"), "it is no regular file");
    fs::create_symlink(folder_ / "nowhere", folder_ / "dangling");
    EXPECT_EQ(why_not_read(folder_ / "dangling"), "there is no file");
    std::ofstream(folder_ / "large") << std::string(1001, 'x');
    EXPECT_EQ(why_not_read(folder_ / "large"), "it is too large");
}

TEST_F(CacheFolder, WhatCantBeWrittenLeavesNothing)
{
    const auto fails = [&](const fs::path& file) {
        std::string why;
        EXPECT_FALSE(replace_cache_file(
            file, 1000, [](auto) { return Bytes(100); }, why))
            << file;
        return why;
    };
    fs::create_directories(folder_);
    std::ofstream(folder_ / "file") << "old";
    EXPECT_EQ(fails(folder_ / "file" / "x.cache"), "the folder can't be written to, or others were writing all the time");
    fs::create_directories(folder_ / "folder.cache" / "full");
    EXPECT_EQ(fails(folder_ / "folder.cache").substr(0, 26), "the file can't be replaced");
    EXPECT_FALSE(fs::exists(folder_ / "folder.cache.part"));

    // The disk is full after 10 bytes.
    const fs::path file = folder_ / "file";
    rlimit before = {};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small = {.rlim_cur = 10, .rlim_max = before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const std::string why = fails(file);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(why, "the file can't be written");
    EXPECT_FALSE(fs::exists(folder_ / "file.part"));
    std::string ignored;
    EXPECT_EQ(read_cache_file(file, 1000, ignored), bytes_of("old"));
}

// Eight writers merge their entries with those of the others, while a reader must never see half of a file.
TEST_F(CacheFolder, WritersMergeAndReadersSeeWholeFiles)
{
    constexpr uint64_t writers = 8, rounds = 25;
    std::atomic<bool> done = false;
    std::atomic<int> broken = 0, reads = 0;
    std::thread reader([&] {
        for (bool last = false; !last; last = done) {
            std::string why;
            const auto bytes = read_cache_file(file_, max_cache_bytes, why);
            ++reads;
            broken += bytes ? !decode(identity, *bytes, why) : why != "there is no file";
        }
    });
    std::vector<std::thread> threads;
    for (uint64_t writer = 0; writer < writers; ++writer)
        threads.emplace_back([&, writer] {
            for (uint64_t round = 0; round < rounds; ++round) {
                const auto with_ours = [&](std::span<const std::byte> present) {
                    std::string why;
                    auto there = decode(identity, present, why);
                    return encode(identity,
                                  merged({.pipelines = {{writer * rounds + round, pipeline_data(2000, uint8_t(writer))}}},
                                         there ? std::move(*there) : CacheContent()));
                };
                std::string why;
                while (!replace_cache_file(file_, max_cache_bytes, with_ours, why)) {
                }
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    done = true;
    reader.join();
    EXPECT_EQ(broken, 0) << "of " << reads;
    std::string why;
    const auto content = decode(identity, read_cache_file(file_, max_cache_bytes, why).value_or(Bytes()), why);
    ASSERT_TRUE(content) << why;
    std::set<uint64_t> keys;
    for (const CachedPipeline& one : content->pipelines)
        keys.insert(one.key);
    EXPECT_EQ(keys.size(), writers * rounds);
}

}  // namespace
}  // namespace vkonnx::gpu
