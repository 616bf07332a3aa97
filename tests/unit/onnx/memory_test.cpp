// This file tests that the file's size bounds the memory: whatever a file claims, loading it takes at most a constant times its
// bytes.
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>

#include "helpers.h"
#include "kit/temporary_folder.h"

namespace {

std::atomic<size_t> live_bytes = 0;
std::atomic<size_t> peak_bytes = 0;

constexpr size_t header = alignof(std::max_align_t) > sizeof(size_t) ? alignof(std::max_align_t) : sizeof(size_t);

}  // namespace

// These operators serve the whole test program, and count the bytes that are alive. Each block carries its size in front.
void* operator new(size_t size)
{
    void* block = std::malloc(size + header);
    if (!block)
        throw std::bad_alloc();
    *static_cast<size_t*>(block) = size;
    size_t live = live_bytes += size;
    size_t peak = peak_bytes;
    while (live > peak && !peak_bytes.compare_exchange_weak(peak, live)) {
    }
    return static_cast<char*>(block) + header;
}

// This is replaced, too, because the sanitizers' own would not match our delete.
void* operator new(size_t size, const std::nothrow_t&) noexcept
{
    try {
        return operator new(size);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void operator delete(void* pointer) noexcept
{
    if (!pointer)
        return;
    void* block = static_cast<char*>(pointer) - header;
    live_bytes -= *static_cast<size_t*>(block);
    std::free(block);
}

void operator delete(void* pointer, size_t) noexcept
{
    operator delete(pointer);
}

namespace vkonnx::onnx {
namespace {

constexpr size_t file_bytes = 1 << 20;
constexpr size_t factor = 128;  // a node of 5 bytes becomes a struct of some 140, in a list that grows by doubling

// Returns how many bytes loading takes at most, beyond what was alive before.
size_t peak_of_loading(const std::string& file)
{
    size_t before = live_bytes;
    peak_bytes = before;
    (void)parse(file);
    return peak_bytes - before;
}

std::string repeated(const std::string& part)
{
    std::string text;
    while (text.size() < file_bytes)
        text += part;
    return text;
}

std::string model_of(const std::string& graph)
{
    return Proto().bytes(8, Proto().integer(2, 17).str()).bytes(7, graph).str();
}

TEST(Memory, TheCounterCounts)
{
    std::string file(file_bytes, '\0');
    EXPECT_GE(peak_of_loading(file), file_bytes);  // the model keeps a copy of the file
}

TEST(Memory, ClaimsInSmallFilesCostNothing)
{
    constexpr int64_t huge = int64_t{1} << 40;
    auto claims = [](const Proto& tensor) { return ModelBuilder().initializer(tensor.str()).build(); };
    Proto shape = Proto().bytes(8, "T").integers(1, {huge, 1});
    const std::string location = Proto().bytes(1, "location").bytes(2, "T").str();
    for (const std::string& file :
         {claims(Proto(shape).integer(2, 1)), claims(Proto(shape).integer(2, 1).bytes(9, "1234")),
          claims(Proto(shape).integer(2, 7).integers(7, {1})), claims(Proto(shape).integer(2, 8).bytes(6, "s")),
          claims(Proto(shape).integer(2, 1).bytes(13, location).integer(14, 1)), std::string("\x3a\xff\xff\xff\x7f"),
          std::string("\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f")}) {
        EXPECT_FALSE(parse(file).ok());
        EXPECT_LT(peak_of_loading(file), 16U << 10);
    }
}

TEST(Memory, ManySmallPartsCostAConstantEach)
{
    std::string node = Proto().bytes(1, Proto().bytes(4, "A").str()).str();
    std::string attribute = Proto().bytes(5, Proto().bytes(1, "a").integer(20, 2).str()).str();
    std::string tensor = Proto().bytes(5, Proto().bytes(8, "t").str()).str();
    std::string value = Proto().bytes(11, Proto().bytes(1, "v").str()).str();
    std::string function = Proto().bytes(25, Proto().bytes(1, "f").str()).str();
    std::string functions;
    for (int i = 0; functions.size() < file_bytes; ++i)
        functions += Proto().bytes(25, Proto().bytes(1, std::to_string(i)).str()).str();
    std::string sparse = Proto().bytes(15, Proto().bytes(1, Proto().bytes(8, "t").str()).str()).str();
    std::string metadata = Proto().bytes(14, "").str();
    std::string entry = Proto().bytes(13, "").str();
    std::string nothing = Proto().bytes(1, "").str();  // an empty name, or a dimension
    const std::string files[] = {
        model_of(repeated(node)),
        model_of(repeated(tensor)),
        model_of(repeated(value)),
        model_of(Proto().bytes(1, Proto().bytes(4, "A").str() + repeated(attribute)).str()),
        model_of(Proto().bytes(1, Proto().bytes(4, "A").str() + repeated(nothing)).str()),
        model_of(Proto().bytes(5, Proto().bytes(8, "t").bytes(1, std::string(file_bytes, '\1')).str()).str()),
        model_of(Proto().bytes(5, Proto().bytes(8, "t").integer(14, 1).str() + repeated(entry)).str()),
        ModelBuilder()
            .initializer(
                Proto().bytes(8, "t").integers(1, {file_bytes}).integer(2, 7).bytes(7, std::string(file_bytes, '\1')).str())
            .build(),
        repeated(function),
        ModelBuilder().build() + functions,
        model_of(repeated(sparse)),
        ModelBuilder().build() + repeated(metadata),
    };
    for (const std::string& file : files)
        EXPECT_LT(peak_of_loading(file), factor * file.size()) << "file " << &file - files;
}

TEST(Memory, WeightsInOtherFilesAreNotLoaded)
{
    namespace fs = std::filesystem;
    constexpr int64_t count = int64_t{1} << 28;
    const kit::TemporaryFolder folder;
    const fs::path path = folder / "weights";
    std::ofstream(path, std::ios::binary) << "x";
    fs::resize_file(path, 4 * uint64_t(count));  // a sparse file
    const std::string file =
        ModelBuilder()
            .initializer(external_tensor("W", {DType::float32, {count}}, {{"location", path.filename().string()}}))
            .build();
    const size_t before = live_bytes;
    peak_bytes = before;
    EXPECT_TRUE(accepted(Model::parse(as_bytes(file), {.external_data_folder = path.parent_path().string()})));
    EXPECT_LT(peak_bytes - before, 16U << 10);
}

TEST(Memory, TensorsTakeEightBytesForEachByteAtMost)
{
    std::string file = Proto().integers(1, {file_bytes}).integer(2, 7).bytes(7, std::string(file_bytes, '\1')).str();
    size_t before = live_bytes;
    peak_bytes = before;
    Result<HostTensor> tensor = parse_tensor(as_bytes(file));
    ASSERT_TRUE(accepted(tensor));
    EXPECT_EQ(tensor->data.size(), 8 * file_bytes);
    EXPECT_LT(peak_bytes - before, 8 * file_bytes + (16U << 10));
}

}  // namespace
}  // namespace vkonnx::onnx
