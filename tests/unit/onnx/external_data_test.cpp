// This file tests tensors whose elements lie in other files: which bytes are read, and that no model leads out of its folder.
#include <filesystem>
#include <fstream>

#include "helpers.h"
#include "kit/draw.h"
#include "kit/temporary_folder.h"

#ifndef _WIN32
#include <sys/stat.h>
#endif

namespace vkonnx::onnx {
namespace {

namespace fs = std::filesystem;
using Entries = std::vector<std::pair<std::string, std::string>>;

constexpr int64_t most = INT64_MAX;

class ExternalData : public testing::Test {
protected:
    ExternalData() { fs::create_directories(folder_); }

    static void write(const fs::path& path, std::string_view bytes) { std::ofstream(path, std::ios::binary) << bytes; }

    template <class T>
    void write_numbers(const std::string& name, const std::vector<T>& numbers) const
    {
        write(folder_ / name, {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)});
    }

    // Returns a model that reshapes X of 12 elements as two numbers in a file say.
    static std::string reshape_by(const Entries& entries)
    {
        return ModelBuilder()
            .opset(17)
            .input("X", DType::float32, {12})
            .initializer(external_tensor("S", {DType::int64, {2}}, entries))
            .node("Reshape", {"X", "S"}, {"Y"})
            .output("Y")
            .build();
    }

    Result<Model> parsed(const std::string& file) const
    {
        return Model::parse(as_bytes(file), {.external_data_folder = folder_.string()});
    }

    Result<Model> loaded(const std::string& file, const ModelOptions& options = {}) const
    {
        write(folder_ / "model.onnx", file);
        return Model::load((folder_ / "model.onnx").string(), options);
    }

    static Result<Dims> dims_of(const Result<Model>& model)
    {
        if (!model)
            return model.status();
        const Result<GraphReport> report = explain(*model, {}, *Capabilities::preset("minimum"));
        return report ? Result(report->nodes.back().explanation.outputs.front().dims) : report.status();
    }

    testing::AssertionResult gives(const Result<Model>& model, const Dims& dims) const
    {
        const Result<Dims> got = dims_of(model);
        if (!got)
            return testing::AssertionFailure() << got.message();
        return *got == dims
                   ? testing::AssertionSuccess()
                   : testing::AssertionFailure() << testing::PrintToString(*got) << ", expected " << testing::PrintToString(dims);
    }

    testing::AssertionResult refuses(const Entries& entries, const std::string& sentence) const
    {
        return invalid(parsed(reshape_by(entries)), "initializer 0: tensor 'S': " + sentence);
    }

    testing::AssertionResult cannot_read(const Result<Model>& model, const std::string& location, const std::string& why) const
    {
        return refused(model, Code::io, "initializer 0: tensor 'S': cannot read '" + location + "': " + why);
    }

    const kit::TemporaryFolder temporary_;
    const fs::path& root_ = temporary_.path();
    const fs::path folder_ = root_ / "model";
};

TEST_F(ExternalData, OffsetAndLengthSayWhichBytes)
{
    write_numbers<int64_t>("S.bin", {2, 6, 4, 3});
    EXPECT_TRUE(gives(parsed(reshape_by({{"location", "S.bin"}})), {2, 6}));
    EXPECT_TRUE(gives(parsed(reshape_by({{"location", "S.bin"}, {"offset", "0"}, {"length", "16"}})), {2, 6}));
    EXPECT_TRUE(gives(parsed(reshape_by({{"offset", "16"}, {"location", "S.bin"}})), {4, 3}));
    EXPECT_TRUE(gives(parsed(reshape_by({{"length", "16"}, {"offset", "0016"}, {"location", "./S.bin"}})), {4, 3}));
    write_numbers<int64_t>("odd", {2 << 8, 6 << 8, 0});  // the numbers begin at the second byte
    EXPECT_TRUE(gives(parsed(reshape_by({{"location", "odd"}, {"offset", "1"}})), {2, 6}));
}

TEST_F(ExternalData, ChecksumsAndWhatOnnxRuntimeWritesForItselfAreNotLookedAt)
{
    write_numbers<int64_t>("S.bin", {2, 6});
    EXPECT_TRUE(gives(parsed(reshape_by({{"location", "S.bin"}, {"checksum", "no SHA1"}, {"prepacked_0", "x|0|16"}})), {2, 6}));
}

TEST_F(ExternalData, FoldersBelowAreFine)
{
    fs::create_directories(folder_ / "a" / "b..");
    write_numbers<int64_t>("a/b../..S", {3, 4});
    EXPECT_TRUE(gives(parsed(reshape_by({{"location", "a/b../..S"}})), {3, 4}));
    EXPECT_TRUE(gives(parsed(reshape_by({{"location", "a//./b../..S"}})), {3, 4}));
}

TEST_F(ExternalData, TheModelsOwnFolderUnlessAnotherIsNamed)
{
    write_numbers<int64_t>("S.bin", {2, 6});
    fs::create_directories(root_ / "other");
    write_numbers<int64_t>("../other/S.bin", {3, 4});
    const std::string file = reshape_by({{"location", "S.bin"}});
    EXPECT_TRUE(gives(loaded(file), {2, 6}));
    EXPECT_TRUE(gives(loaded(file, {.external_data_folder = (root_ / "other").string()}), {3, 4}));
    EXPECT_TRUE(gives(loaded(file, {.external_data_folder = (root_ / "other" / "").string()}), {3, 4}));

    const fs::path before = fs::current_path();
    fs::current_path(folder_);
    const Result<Model> beside = Model::load("model.onnx"),
                        named = Model::load("model.onnx", {.external_data_folder = "../other"});
    fs::current_path(before);
    EXPECT_TRUE(gives(beside, {2, 6}));
    EXPECT_TRUE(gives(named, {3, 4}));
}

TEST_F(ExternalData, ParsedModelsHaveNoFolderUnlessOneIsNamed)
{
    write_numbers<int64_t>("S.bin", {2, 6});
    EXPECT_TRUE(
        invalid(parse(reshape_by({{"location", "S.bin"}})),
                "initializer 0: tensor 'S': its data lies in the file 'S.bin', but a model that is parsed from memory has "
                "no folder with such files unless ModelOptions::external_data_folder names one"));
    EXPECT_TRUE(refused(
        Model::parse(as_bytes(reshape_by({{"location", "S.bin"}})), {.external_data_folder = (root_ / "nowhere").string()}),
        Code::io, "cannot read 'S.bin': its folder: "));
}

TEST_F(ExternalData, ConstantsAndFillValues)
{
    write_numbers<int64_t>("S.bin", {2, 6, 4, 3});
    const std::string tensor = external_tensor("", {DType::int64, {2}}, {{"location", "S.bin"}, {"offset", "16"}});
    const auto constant = [&](const std::string& value) {
        return ModelBuilder()
            .opset(17)
            .input("X", DType::float32, {12})
            .node("Constant", {}, {"S"}, {tensor_attribute("value", value)}, "sizes")
            .node("Reshape", {"X", "S"}, {"Y"})
            .output("Y")
            .build();
    };
    EXPECT_TRUE(gives(parsed(constant(tensor)), {4, 3}));
    const Result<Model> wrong = parsed(constant(external_tensor("", {DType::int64, {2}}, {{"location", "/S.bin"}})));
    EXPECT_TRUE(accepted(wrong));  // the sentence comes when the node is to be executed
    EXPECT_TRUE(
        invalid(dims_of(wrong), "node 'sizes': Constant: tensor: the location '/S.bin' of its external data is absolute"));

    write_numbers<int64_t>("T.bin", {7, 1});
    const std::string ones =
        ModelBuilder()
            .opset(17)
            .input("X", DType::float32, {1})
            .initializer(int64_tensor("N", {1}, {3}))
            .node("ConstantOfShape", {"N"}, {"S"},
                  {tensor_attribute("value", external_tensor("", {DType::int64, {1}}, {{"location", "T.bin"}, {"offset", "8"}}))})
            .node("Reshape", {"X", "S"}, {"Y"})
            .output("Y")
            .build();
    EXPECT_TRUE(gives(parsed(ones), {1, 1, 1}));
}

TEST_F(ExternalData, LocationsThatLeadElsewhereAreRefused)
{
    write(root_ / "secret", std::string(16, '\1'));
    struct Row {
        std::string location;
        std::string why;
    };
    const std::string absolute = fs::absolute(root_ / "secret").generic_string();
    const Row rows[] = {{"", "'' of its external data is empty"},
                        {"/etc/passwd", "'/etc/passwd' of its external data is absolute"},
                        {"//host/share", "'//host/share' of its external data is absolute"},
                        {"C:S.bin", "'C:S.bin' of its external data names a drive"},
                        {"c:/S.bin", "'c:/S.bin' of its external data names a drive"},
                        {"..", "'..' of its external data has '..' in it"},
                        {"../secret", "'../secret' of its external data has '..' in it"},
                        {"a/../../secret", "'a/../../secret' of its external data has '..' in it"},
                        {"a/..", "'a/..' of its external data has '..' in it"},
                        {"./../secret", "'./../secret' of its external data has '..' in it"},
                        {"..\\secret", "'..\\secret' of its external data has a backslash in it"},
                        {"a\\S.bin", "'a\\S.bin' of its external data has a backslash in it"},
                        {"\\\\host\\share", "'\\\\host\\share' of its external data has a backslash in it"},
                        {std::string("S.bin\0", 6), "'S.bin\\x00' of its external data has a zero byte in it"},
                        {std::string("\0", 1), "'\\x00' of its external data has a zero byte in it"}};
    for (const Row& row : rows)
        EXPECT_TRUE(refuses({{"location", row.location}}, "the location " + row.why));
    EXPECT_TRUE(invalid(parsed(reshape_by({{"location", absolute}})), "of its external data "));
}

TEST_F(ExternalData, LinksStayInTheFolder)
{
    fs::create_directories(folder_ / "a");
    fs::create_directories(root_ / "outside");
    fs::create_directories(root_ / "model-other");  // its name begins like the folder's
    write_numbers<int64_t>("a/S.bin", {2, 6});
    write_numbers<int64_t>("../outside/S.bin", {3, 4});
    write_numbers<int64_t>("../model-other/S.bin", {3, 4});
    std::error_code error;
    fs::create_symlink("a/S.bin", folder_ / "inside", error);
    if (error)
        GTEST_SKIP() << "no links here: " << error.message();
    fs::create_symlink("../outside/S.bin", folder_ / "file");
    fs::create_symlink("../model-other/S.bin", folder_ / "neighbour");
    fs::create_directory_symlink("../outside", folder_ / "folder");
    fs::create_symlink("loop", folder_ / "loop");
    fs::create_symlink("../../model/a/S.bin", folder_ / "a" / "there_and_back");

    EXPECT_TRUE(gives(parsed(reshape_by({{"location", "inside"}})), {2, 6}));
    EXPECT_TRUE(gives(parsed(reshape_by({{"location", "a/there_and_back"}})), {2, 6}));
    for (const std::string location : {"file", "neighbour", "folder/S.bin"})
        EXPECT_TRUE(refuses({{"location", location}},
                            "the location '" + location + "' of its external data is a link that leads out of the folder"));
    EXPECT_TRUE(cannot_read(parsed(reshape_by({{"location", "loop"}})), "loop", ""));

    // The folder itself may be a link.
    fs::create_directory_symlink("model", root_ / "linked");
    EXPECT_TRUE(gives(
        Model::parse(as_bytes(reshape_by({{"location", "a/S.bin"}})), {.external_data_folder = (root_ / "linked").string()}),
        {2, 6}));
}

TEST_F(ExternalData, AModelThatIsALinkHasTheFolderBehindItToo)
{
    // Caches of downloads look like this: names are links to files that are called by their hash.
    fs::create_directories(root_ / "blobs");
    fs::create_directories(root_ / "secrets");
    write(root_ / "blobs" / "01", reshape_by({{"location", "S.bin"}}));
    write_numbers<int64_t>("../blobs/02", {3, 4});
    write_numbers<int64_t>("../secrets/03", {6, 2});
    std::error_code error;
    fs::create_symlink("../blobs/01", folder_ / "model.onnx", error);
    if (error)
        GTEST_SKIP() << "no links here: " << error.message();
    fs::create_symlink("../blobs/02", folder_ / "S.bin");
    const std::string path = (folder_ / "model.onnx").string();
    EXPECT_TRUE(gives(Model::load(path), {3, 4}));
    EXPECT_TRUE(invalid(Model::load(path, {.external_data_folder = folder_.string()}), "a link that leads out of the folder"));
    fs::remove(folder_ / "S.bin");
    fs::create_symlink("../secrets/03", folder_ / "S.bin");
    EXPECT_TRUE(invalid(Model::load(path), "a link that leads out of the folder"));
}

TEST_F(ExternalData, OnlyRegularFiles)
{
    fs::create_directories(folder_ / "a");
    write(folder_ / "S.bin", std::string(16, '\1'));
    EXPECT_TRUE(cannot_read(parsed(reshape_by({{"location", "missing"}})), "missing", "no such file"));
    EXPECT_TRUE(cannot_read(parsed(reshape_by({{"location", "missing/S.bin"}})), "missing/S.bin", "no such file"));
    EXPECT_TRUE(cannot_read(parsed(reshape_by({{"location", "S.bin/S.bin"}})), "S.bin/S.bin", ""));
    EXPECT_TRUE(cannot_read(parsed(reshape_by({{"location", "a"}})), "a", "it is not a regular file"));
    EXPECT_TRUE(cannot_read(parsed(reshape_by({{"location", "."}})), ".", "it is not a regular file"));
    EXPECT_TRUE(cannot_read(parsed(reshape_by({{"location", std::string(5000, 'a')}})), std::string(80, 'a') + "...", ""));
#ifndef _WIN32
    ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    EXPECT_TRUE(cannot_read(parsed(reshape_by({{"location", "pipe"}})), "pipe", "it is not a regular file"));
#endif
}

TEST_F(ExternalData, KeysAreOnnxsAndComeOnce)
{
    write_numbers<int64_t>("S.bin", {2, 6});
    EXPECT_TRUE(refuses({}, "its data lies in another file, but external_data has no location"));
    EXPECT_TRUE(refuses({{"offset", "0"}}, "its data lies in another file, but external_data has no location"));
    EXPECT_TRUE(refuses({{"location", "S.bin"}, {"Offset", "8"}},
                        "external_data has the key 'Offset', expected location, offset, length or checksum"));
    EXPECT_TRUE(refuses({{"location", "S.bin"}, {"", ""}}, "external_data has the key '', expected location"));
    for (const std::string key : {"location", "offset", "length", "checksum"}) {
        const std::string value = key == "location" ? "S.bin" : key == "length" ? "16" : "0";
        EXPECT_TRUE(
            refuses({{"location", "S.bin"}, {key, value}, {key, value}}, "external_data has the key '" + key + "' twice"));
    }
    const std::string entry = Proto().bytes(1, "location").bytes(1, "location").bytes(2, "S.bin").str();
    const std::string twice =
        ModelBuilder()
            .initializer(Proto().integers(1, {2}).integer(2, 7).bytes(8, "S").integer(14, 1).bytes(13, entry).str())
            .build();
    EXPECT_TRUE(invalid(parsed(twice), "the field key is given twice (graph.initializer[0].external_data[0], byte "));
}

TEST_F(ExternalData, NumbersAreDecimalAndNotNegative)
{
    write_numbers<int64_t>("S.bin", {2, 6});
    for (const std::string key : {"offset", "length"})
        for (const std::string number : {"", "-1", "+1", " 1", "1 ", "0x10", "1e3", "1.0", "9223372036854775808",
                                         "18446744073709551616", "99999999999999999999999999", "eight"})
            EXPECT_TRUE(refuses({{"location", "S.bin"}, {key, number}}, "the " + key + " of its external data is '" + number +
                                                                            "', expected a decimal number up to " +
                                                                            std::to_string(most)));
    EXPECT_TRUE(refuses({{"location", "S.bin"}, {"offset", std::string("0\0", 2)}},
                        "the offset of its external data is '0\\x00', expected a decimal number"));
}

TEST_F(ExternalData, LengthIsWhatTheTensorNeeds)
{
    write_numbers<int64_t>("S.bin", {2, 6, 4});
    for (const std::string length : {"0", "8", "15", "17", "24", "9223372036854775807"})
        EXPECT_TRUE(refuses({{"location", "S.bin"}, {"length", length}},
                            "the length of its external data is " + length + ", int64[2] needs 16 bytes"));
}

TEST_F(ExternalData, NothingLiesBehindTheFilesEnd)
{
    write_numbers<int64_t>("S.bin", {2, 6, 4});
    EXPECT_TRUE(accepted(parsed(reshape_by({{"location", "S.bin"}, {"offset", "8"}}))));
    for (const std::string offset : {"9", "16", "24", "25", "9223372036854775791"})
        EXPECT_TRUE(cannot_read(parsed(reshape_by({{"location", "S.bin"}, {"offset", offset}})), "S.bin",
                                "it has 24 bytes, but 16 from byte " + offset + " on are wanted"));
    for (const std::string offset : {"9223372036854775792", "9223372036854775807"})
        EXPECT_TRUE(refuses({{"location", "S.bin"}, {"offset", offset}},
                            "its external data would end behind byte 9223372036854775807: it has 16 bytes from byte " + offset));
}

TEST_F(ExternalData, EmptyTensorsNeedTheFileAndNoByteOfIt)
{
    write(folder_ / "E.bin", "1234");
    const auto with = [](const std::string& offset) {
        return ModelBuilder()
            .opset(17)
            .initializer(external_tensor("S", {DType::float32, {0, 3}}, {{"location", "E.bin"}, {"offset", offset}}))
            .node("Shape", {"S"}, {"Y"})
            .output("Y")
            .build();
    };
    EXPECT_TRUE(gives(parsed(with("4")), {2}));
    EXPECT_TRUE(cannot_read(parsed(with("5")), "E.bin", "it has 4 bytes, but 0 from byte 5 on are wanted"));
}

TEST_F(ExternalData, ContentIsInOnePlaceOnly)
{
    write_numbers<int64_t>("S.bin", {2, 6});
    const std::string entry = Proto().bytes(1, "location").bytes(2, "S.bin").str();
    const auto file = [](const Proto& tensor) {
        return ModelBuilder()
            .opset(17)
            .input("X", DType::float32, {12})
            .initializer(tensor.str())
            .node("Reshape", {"X", "S"}, {"Y"})
            .output("Y")
            .build();
    };
    const Proto sizes = Proto().integers(1, {2}).integer(2, 7).bytes(8, "S");
    EXPECT_TRUE(gives(parsed(file(Proto(sizes).bytes(13, entry).integer(14, 1))), {2, 6}));
    const std::string ambiguous =
        "tensor 'S': its data lies in another file and in the model too, so that its content is ambiguous";
    EXPECT_TRUE(invalid(parsed(file(Proto(sizes).bytes(13, entry).integer(14, 1).integers(7, {3, 4}))), ambiguous));
    EXPECT_TRUE(invalid(parsed(file(Proto(sizes).bytes(13, entry).integer(14, 1).bytes(9, std::string(16, '\1')))), ambiguous));
    EXPECT_TRUE(invalid(parsed(file(Proto(sizes).bytes(13, entry).integer(14, 1).bytes(9, ""))), ambiguous));
    // Only data_location tells where the elements are.
    EXPECT_TRUE(gives(parsed(file(Proto(sizes).bytes(13, entry).integers(7, {3, 4}))), {3, 4}));
    EXPECT_TRUE(gives(parsed(file(Proto(sizes).bytes(13, entry).integer(14, 0).integers(7, {3, 4}))), {3, 4}));
    EXPECT_TRUE(invalid(parsed(file(Proto(sizes).bytes(13, entry))), "int64_data has 0 entries, int64[2] needs 2"));
    for (const int64_t place : {2, -1})
        EXPECT_TRUE(invalid(parsed(file(Proto(sizes).bytes(13, entry).integer(14, place))),
                            "tensor 'S': data_location " + std::to_string(place) + " is none of ONNX's"));
}

TEST_F(ExternalData, StringsAndWhatHasNoSizeAreRefused)
{
    const auto with = [](const TensorDesc& desc) {
        return ModelBuilder().initializer(external_tensor("S", desc, {{"location", "S.bin"}})).build();
    };
    EXPECT_TRUE(invalid(parsed(with({DType::string, {2}})), "tensor 'S': strings cannot lie in another file"));
    EXPECT_TRUE(invalid(parsed(with({DType::float32, {-2}})), "tensor 'S': dims[0] = -2 must not be negative"));
    constexpr int64_t huge = int64_t(1) << 40;
    EXPECT_FALSE(parsed(with({DType::float32, {huge, huge}})));
    EXPECT_FALSE(parsed(with({DType::float64, {huge, 1 << 22}})));
}

TEST_F(ExternalData, FilesThatChangeAfterLoadingAreAnErrorOrTheirNewBytes)
{
    write_numbers<int64_t>("S.bin", {2, 6});
    const Result<Model> model = parsed(reshape_by({{"location", "S.bin"}}));
    EXPECT_TRUE(gives(model, {2, 6}));
    write_numbers<int64_t>("S.bin", {4, 3, 9});
    EXPECT_TRUE(gives(model, {4, 3}));
    for (size_t size = 0; size < 16; ++size) {
        fs::resize_file(folder_ / "S.bin", size);
        EXPECT_TRUE(refused(dims_of(model), Code::io,
                            "tensor 'S': cannot read 'S.bin': it has " + std::to_string(size) +
                                " bytes, but 16 from byte 0 on are wanted"));
    }
    fs::remove(folder_ / "S.bin");
    EXPECT_TRUE(refused(dims_of(model), Code::io, "tensor 'S': cannot read 'S.bin': no such file"));
    write_numbers<int64_t>("../S.bin", {3, 4});
    std::error_code error;
    fs::create_symlink("../S.bin", folder_ / "S.bin", error);
    if (!error) {
        EXPECT_TRUE(invalid(dims_of(model), "a link that leads out of the folder"));
    }
}

TEST_F(ExternalData, EveryPrefixAndRandomDamage)
{
    write_numbers<int64_t>("S.bin", {2, 6, 4, 3});
    write(root_ / "secret", std::string(64, '\1'));
    const std::string file = reshape_by({{"location", "S.bin"}, {"offset", "16"}, {"length", "16"}, {"checksum", "12"}});
    // A damaged file may still be a graph, even one without nodes. So nothing is expected of what it computes.
    const auto read = [&](const std::string& damaged) {
        if (const Result<Model> model = parsed(damaged))
            (void)explain(*model, {}, *Capabilities::preset("minimum"));
    };
    for (size_t length = 0; length < file.size(); ++length)
        read(file.substr(0, length));
    const uint32_t first = kit::test_seed(20261123);
    for (int round = 0; round < kit::test_problems(5'000); ++round) {
        std::mt19937 random(first + uint32_t(round));
        std::string damaged = file;
        for (uint32_t changes = 1 + random() % 4; changes > 0; --changes)
            damaged[random() % damaged.size()] = char(random());
        read(damaged);
    }
}

}  // namespace
}  // namespace vkonnx::onnx
