#include "tensor_file.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include <gtest/gtest.h>

#include "file.h"
#include "kit/temporary_folder.h"

namespace vkonnx::tools {
namespace {

using onnx::HostTensor;

template <class T>
HostTensor tensor_of(DType dtype, std::vector<int64_t> dims, const std::vector<T>& values)
{
    HostTensor tensor{.desc = {dtype, std::move(dims)}};
    tensor.data.resize(values.size() * sizeof(T));
    if (!values.empty())
        std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
    return tensor;
}

template <class T>
std::vector<T> values_of(const HostTensor& tensor)
{
    std::vector<T> values(tensor.data.size() / sizeof(T));
    if (!values.empty())
        std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
    return values;
}

// Returns a .npy file as NumPy lays it out, with any header.
std::vector<std::byte> npy_file(const std::string& header, const std::string& data, int major = 1)
{
    std::string file = "\x93NUMPY";
    file += {char(major), '\0', char(header.size() & 255), char(header.size() >> 8)};
    if (major > 1)
        file += std::string(2, '\0');
    file += header + data;
    const auto bytes = std::as_bytes(std::span(file));
    return {bytes.begin(), bytes.end()};
}

std::string refusal(const std::string& header, const std::string& data = "")
{
    const Result<HostTensor> tensor = parse_npy(npy_file(header, data));
    return tensor ? "accepted" : std::string(tensor.message());
}

TEST(Npy, ReadsWhatNumPyWrites)
{
    // The file is what numpy.save writes of array([[1, 2, 3], [4, 5, 6]], dtype=int16).
    const std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }           \n";
    const std::string data("\1\0\2\0\3\0\4\0\5\0\6\0", 12);
    for (const int version : {1, 2, 3}) {
        const Result<HostTensor> tensor = parse_npy(npy_file(header, data, version));
        ASSERT_TRUE(tensor) << tensor.message();
        EXPECT_EQ(tensor->desc, (TensorDesc{DType::int16, {2, 3}}));
        EXPECT_EQ(values_of<int16_t>(*tensor), (std::vector<int16_t>{1, 2, 3, 4, 5, 6}));
    }
}

TEST(Npy, ReadsScalarsVectorsEmptyArraysAndBytesOfAnyOrder)
{
    EXPECT_EQ(parse_npy(npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", "1234"))->desc, (TensorDesc{}));
    EXPECT_EQ(parse_npy(npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }", "1234"))->desc,
              (TensorDesc{DType::uint8, {4}}));
    EXPECT_EQ(parse_npy(npy_file("{'descr': '>u1', 'fortran_order': False, 'shape': (4,), }", "1234"))->desc,
              (TensorDesc{DType::uint8, {4}}));
    EXPECT_EQ(parse_npy(npy_file("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 5), }", ""))->desc,
              (TensorDesc{DType::float64, {0, 5}}));
    // The keys stand in another order, without spaces and in double quotes.
    EXPECT_EQ(parse_npy(npy_file(R"({"shape":(2,2),"fortran_order":False,"descr":"|b1"})", std::string(4, '\1')))->desc,
              (TensorDesc{DType::boolean, {2, 2}}));
}

TEST(Npy, RefusesWithASentence)
{
    const std::string type = "{'descr': '<f4', ", order = "'fortran_order': False, ", shape = "'shape': (1,), }";
    EXPECT_EQ(refusal(type + "'fortran_order': True, " + shape, "1234"),
              "the .npy file is in Fortran order; save numpy.ascontiguousarray(...) instead");
    EXPECT_EQ(refusal("{'descr': '>f4', " + order + shape, "1234"), "the .npy file is big-endian; save it as little-endian");
    EXPECT_EQ(refusal("{'descr': '<U3', " + order + shape, "1234"), "the .npy file's element type '<U3' has no ONNX type");
    EXPECT_EQ(refusal("{'descr': [('a', '<f4')], " + order + shape, "1234"),
              "the .npy file holds records; only plain elements are supported");
    EXPECT_EQ(refusal(type + order + shape, "123"), "the .npy file has 3 bytes of elements where float[1] takes 4");
    EXPECT_EQ(refusal(type + order + shape, "12345"), "the .npy file has 5 bytes of elements where float[1] takes 4");
    for (const std::string& broken : {std::string(), type, type + order, type + order + "'shape': (1", order + shape,
                                      type + order + "'shape': (x,), }", type + "'fortran_order': 0, " + shape})
        EXPECT_EQ(refusal(broken, "1234"), "the .npy file's header can't be understood") << broken;
    EXPECT_FALSE(parse_npy(npy_file(type + order + "'shape': (-1,), }", "")));
    EXPECT_FALSE(parse_npy(npy_file(type + order + "'shape': (9223372036854775807, 9), }", "")));
    EXPECT_EQ(parse_npy(npy_file(type + order + shape, "1234", 4)).message(),
              "the .npy file's format version 4 is not 1, 2 or 3");
}

TEST(Npy, EveryPrefixOfAFileIsRefused)
{
    const std::vector<std::byte> whole = npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n", "1234");
    ASSERT_TRUE(parse_npy(whole));
    for (size_t length = 0; length < whole.size(); ++length)
        EXPECT_FALSE(parse_npy(std::span(whole).first(length))) << length;
}

TEST(Npy, EveryTypeComesBack)
{
    const DType types[] = {DType::float32, DType::float64, DType::float16,   DType::uint8,     DType::int8,
                           DType::uint16,  DType::int16,   DType::uint32,    DType::int32,     DType::uint64,
                           DType::int64,   DType::boolean, DType::complex64, DType::complex128};
    for (const DType type : types)
        for (const std::vector<int64_t>& dims : {std::vector<int64_t>{}, {3}, {2, 0}, {2, 1, 3}}) {
            HostTensor tensor{.desc = {type, dims}};
            tensor.data.resize(*byte_size(tensor.desc), std::byte{1});
            const Result<std::vector<std::byte>> file = to_npy(tensor);
            ASSERT_TRUE(file) << file.message();
            EXPECT_EQ((file->size() - tensor.data.size()) % 64, 0u);
            const Result<HostTensor> back = parse_npy(*file);
            ASSERT_TRUE(back) << back.message();
            EXPECT_EQ(back->desc, tensor.desc);
            EXPECT_EQ(back->data, tensor.data);
        }
    EXPECT_EQ(to_npy(tensor_of<uint16_t>(DType::bfloat16, {1}, {0})).message(), "NumPy has no type for bfloat16; write a .pb");
}

TEST(TensorProto, ComesBackThroughTheLibrarysReader)
{
    for (const DType type : {DType::float32, DType::bfloat16, DType::int64, DType::boolean}) {
        HostTensor tensor{.desc = {type, {2, 300}}};
        tensor.data.resize(*byte_size(tensor.desc), std::byte{1});
        const Result<std::vector<std::byte>> file = to_tensor_proto(tensor);
        ASSERT_TRUE(file) << file.message();
        const Result<HostTensor> back = onnx::parse_tensor(*file);
        ASSERT_TRUE(back) << back.message();
        EXPECT_EQ(back->desc, tensor.desc);
        EXPECT_EQ(back->data, tensor.data);
    }
}

TEST(Random, DependsOnTheSeedAlone)
{
    const TensorDesc desc{DType::float32, {1, 3, 8, 8}};
    EXPECT_EQ(random_tensor(desc, 7)->data, random_tensor(desc, 7)->data);
    EXPECT_NE(random_tensor(desc, 7)->data, random_tensor(desc, 8)->data);
    EXPECT_EQ(random_tensor({DType::int64, {0, 3}}, 1)->data.size(), 0u);
    EXPECT_EQ(random_tensor({DType::string, {3}}, 1).ok(), false);
}

TEST(Random, IsTheSameNumberInEveryFloatingPointType)
{
    const std::vector<int64_t> dims = {1000};
    const auto floats = values_of<float>(*random_tensor({DType::float32, dims}, 3));
    const auto doubles = values_of<double>(*random_tensor({DType::float64, dims}, 3));
    const auto halves = values_of<uint16_t>(*random_tensor({DType::float16, dims}, 3));
    const auto brains = values_of<uint16_t>(*random_tensor({DType::bfloat16, dims}, 3));
    bool any_zero = false, any_negative = false;
    for (size_t i = 0; i < floats.size(); ++i) {
        EXPECT_GE(floats[i], -1.0f);
        EXPECT_LT(floats[i], 1.0f);
        EXPECT_EQ(doubles[i], floats[i]);
        any_zero |= floats[i] == 0;
        any_negative |= floats[i] < 0;
        const uint32_t brain = uint32_t(brains[i]) << 16;
        float value;
        std::memcpy(&value, &brain, sizeof value);
        EXPECT_EQ(value, floats[i]);
        const int exponent = halves[i] >> 10 & 31;
        const double magnitude = exponent ? std::ldexp(1024 + (halves[i] & 1023), exponent - 25) : 0;
        EXPECT_EQ(halves[i] >> 15 ? -magnitude : magnitude, floats[i]);
    }
    EXPECT_TRUE(any_zero && any_negative);
}

// ------------------------------------------------------------------------------------------------------------ pictures

HostTensor small_picture(int64_t channels)
{
    std::vector<float> values;
    for (int i = 0; i < int(channels) * 6; ++i)
        values.push_back(float(i * 10) / 255.0f);
    return tensor_of(DType::float32, {1, channels, 2, 3}, values);
}

TEST(Picture, PngComesBackBitForBit)
{
    for (const int64_t channels : {1, 3, 4}) {
        const HostTensor picture = small_picture(channels);
        const Result<std::vector<std::byte>> file = to_picture(picture, PictureFormat::png);
        ASSERT_TRUE(file) << file.message();
        for (const int64_t wanted : {int64_t{0}, channels}) {
            const Result<HostTensor> back = parse_picture(*file, wanted);
            ASSERT_TRUE(back) << back.message();
            EXPECT_EQ(back->desc, picture.desc);
            EXPECT_EQ(values_of<float>(*back), values_of<float>(picture));
        }
    }
}

TEST(Picture, TakesTheChannelsThatTheModelWants)
{
    const HostTensor grey = small_picture(1);
    const Result<std::vector<std::byte>> file = to_picture(grey, PictureFormat::png);
    const auto expected = values_of<float>(grey);
    const Result<HostTensor> colour = parse_picture(*file, 4);
    ASSERT_TRUE(colour);
    EXPECT_EQ(colour->desc.dims, (std::vector<int64_t>{1, 4, 2, 3}));
    const auto values = values_of<float>(*colour);
    for (size_t i = 0; i < 24; ++i)
        EXPECT_EQ(values[i], i < 18 ? expected[i % 6] : 1.0f) << i;  // three times grey, then an opaque alpha
    EXPECT_EQ(parse_picture(*file, 2).message(), "a picture has 1, 3 or 4 channels, not 2");
}

TEST(Picture, IsClampedAndRounded)
{
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    const auto picture =
        tensor_of<float>(DType::float32, {1, 1, 1, 8}, {-1, 2, nan, infinity, -infinity, 0.5f, 10.4f / 255, 10.6f / 255});
    const Result<std::vector<std::byte>> file = to_picture(picture, PictureFormat::png);
    ASSERT_TRUE(file);
    std::vector<int> bytes;
    for (const float value : values_of<float>(*parse_picture(*file, 1)))
        bytes.push_back(int(std::lround(value * 255)));
    EXPECT_EQ(bytes, (std::vector<int>{0, 255, 0, 255, 0, 128, 10, 11}));
}

TEST(Picture, JpegComesBackNearly)
{
    const auto picture = tensor_of<float>(DType::float32, {1, 3, 16, 16}, std::vector<float>(3 * 256, 0.25f));
    const Result<std::vector<std::byte>> file = to_picture(picture, PictureFormat::jpeg);
    ASSERT_TRUE(file) << file.message();
    const Result<HostTensor> back = parse_picture(*file, 3);
    ASSERT_TRUE(back) << back.message();
    for (const float value : values_of<float>(*back))
        EXPECT_NEAR(value, 0.25f, 3.0 / 255);
    EXPECT_EQ(to_picture(small_picture(4), PictureFormat::jpeg).message(), "a JPEG has no fourth channel; write a .png");
}

TEST(Picture, RefusesWhatIsNone)
{
    const std::string_view text = "no picture at all";
    EXPECT_TRUE(parse_picture(std::as_bytes(std::span(text)), 3).message().starts_with("not a picture that can be read"));
    EXPECT_FALSE(parse_picture({}, 3));
    const auto picture = [](DType dtype, std::vector<int64_t> dims) {
        return std::string(to_picture(tensor_of<float>(dtype, std::move(dims), {}), PictureFormat::png).message());
    };
    EXPECT_EQ(picture(DType::float32, {2, 3, 1, 1}),
              "a picture is float[1,channels,height,width] with 1, 3 or 4 channels, not float[2,3,1,1]");
    EXPECT_FALSE(picture(DType::float32, {1, 2, 1, 1}).empty());
    EXPECT_FALSE(picture(DType::float64, {1, 3, 1, 1}).empty());
    EXPECT_FALSE(picture(DType::float32, {3, 1, 1}).empty());
    EXPECT_FALSE(picture(DType::float32, {1, 3, 0, 1}).empty());
}

// Puts other sides into the header of a PNG. stb believes them although the checksum is wrong then.
std::vector<std::byte> with_sides(std::vector<std::byte> png, uint32_t width, uint32_t height)
{
    for (size_t i = 0; i < 4; ++i) {
        png[16 + i] = std::byte(width >> (24 - 8 * i));
        png[20 + i] = std::byte(height >> (24 - 8 * i));
    }
    return png;
}

TEST(Picture, IsNoLargerThanItsLimit)
{
    const std::vector<std::byte> small = *to_picture(small_picture(3), PictureFormat::png);
    EXPECT_EQ(parse_picture(with_sides(small, 30000, 30001), 3).message(),
              "a picture of 30000 x 30001 pixels is beyond 67108864 pixels");
    EXPECT_EQ(parse_picture(with_sides(small, 8192, 8193), 3).code(), Code::unsupported);
    EXPECT_EQ(parse_picture(with_sides(small, 0xffffffff, 0xffffffff), 3).message(),
              "a picture of 4294967295 x 4294967295 pixels is beyond 67108864 pixels");
    EXPECT_NE(parse_picture(with_sides(small, 8192, 8192), 3).code(), Code::unsupported) << "it only ends too early";
    EXPECT_EQ(parse_picture(with_sides(small, 0, 0), 3).code(), Code::invalid_argument);
    std::vector<std::byte> jpeg = *to_picture(small_picture(3), PictureFormat::jpeg);
    const std::string_view frame = "\xff\xc0";  // its length, depth, height and width follow
    const std::string_view text(reinterpret_cast<const char*>(jpeg.data()), jpeg.size());
    const size_t at = text.find(frame);
    ASSERT_NE(at, std::string_view::npos);
    for (const size_t i : {5u, 6u, 7u, 8u})
        jpeg[at + i] = std::byte{0xff};
    EXPECT_EQ(parse_picture(jpeg, 3).message(), "a picture of 65535 x 65535 pixels is beyond 67108864 pixels");
    HostTensor large;
    large.desc = {DType::float32, {1, 3, 30001, 30000}};
    EXPECT_EQ(to_picture(large, PictureFormat::png).message(), "a picture of 30000 x 30001 pixels is beyond 67108864 pixels");
}

// The header says one pixel, but many more are packed behind it.
TEST(Picture, UnpacksToNoMoreThanItsPixels)
{
    const auto black = tensor_of<float>(DType::float32, {1, 1, 5000, 5000}, std::vector<float>(5000 * 5000));
    const std::vector<std::byte> file = *to_picture(black, PictureFormat::png);
    ASSERT_LT(file.size(), size_t{1} << 20);
    EXPECT_TRUE(parse_picture(file, 1));
    EXPECT_EQ(parse_picture(with_sides(file, 1, 1), 1).message(), "not a picture that can be read: outofmem");
}

// --------------------------------------------------------------------------------------------------------------- files

TEST(TensorFile, IsChosenByExtension)
{
    const kit::TemporaryFolder folder;
    const onnx::ValueInfo wanted{.name = "X", .dtype = DType::float32, .has_shape = true, .dims = {1, 3, -1, -1}};
    const HostTensor tensor = small_picture(3);
    for (const char* name : {"t.npy", "t.pb", "t.png", "t.PNG"}) {
        const std::string path = folder / name;
        const Status written = write_tensor(path, tensor);
        ASSERT_TRUE(written) << written.message();
        const Result<HostTensor> back = read_tensor(path, wanted);
        ASSERT_TRUE(back) << back.message();
        EXPECT_EQ(back->desc, tensor.desc);
        EXPECT_EQ(back->data, tensor.data);
    }
    EXPECT_EQ(write_tensor("a.bmp", tensor).message(), "a.bmp: the extension must be .npy, .pb, .png, .jpg or .jpeg");
    EXPECT_EQ(read_tensor("none.npy", wanted).code(), Code::io);
}

TEST(TensorFile, PictureMustFitTheInput)
{
    const kit::TemporaryFolder folder;
    const std::string path = folder / "fit.png";
    ASSERT_TRUE(write_tensor(path, small_picture(3)));
    EXPECT_EQ(read_tensor(path, {.name = "X", .dtype = DType::int64}).message(),
              path + ": a picture becomes a float tensor, but input \"X\" is int64");
    EXPECT_EQ(read_tensor(path, {.name = "X", .dtype = DType::float32, .has_shape = true, .dims = {3, 4}}).message(),
              path + ": a picture becomes 1 x channels x height x width, but input \"X\" has rank 2");
    EXPECT_EQ(read_tensor(path, {.name = "X", .dtype = DType::float32})->desc.dims, (std::vector<int64_t>{1, 3, 2, 3}));
}

TEST(TensorFile, RefusedTensorLeavesTheOldFile)
{
    const kit::TemporaryFolder folder;
    const std::string path = folder / "old.png";
    ASSERT_TRUE(write_file(path, std::string_view("old")));
    EXPECT_FALSE(write_tensor(path, tensor_of<float>(DType::float32, {2}, {1, 2})));
    EXPECT_EQ(read_file(path)->size(), 3u);
}

}  // namespace
}  // namespace vkonnx::tools
