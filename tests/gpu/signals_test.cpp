// This file tests models of signals on every device: Fourier transforms, windows, and what is computed around them.
#include <cmath>
#include <random>

#include "kit/signals.h"
#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

using kit::ModelBuilder;
using onnx::HostTensor;
using Complex = std::complex<double>;

std::vector<float> drawn_floats(int64_t count, uint32_t seed)
{
    std::mt19937 random(seed);
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i)
        values.push_back(float(random() % 512) / 256 - 1);
    return values;
}

// Compares with a bound of 2^-20 of a sum of so many terms of at most 1.
void expect_near(const HostTensor& got, const Dims& dims, const std::vector<double>& expected, int64_t terms)
{
    EXPECT_EQ(got.desc, (TensorDesc{.dtype = DType::float32, .dims = dims})) << to_string(got.desc);
    const std::vector<float> values = values_of<float>(got);
    ASSERT_EQ(values.size(), expected.size());
    for (size_t i = 0; i < values.size(); ++i)
        EXPECT_NEAR(values[i], expected[i], double(terms) * 0x1p-20) << "element " << i;
}

struct Transform {
    Dims dims = {};
    int64_t axis = 1;
    std::optional<int64_t> length = {};
    bool inverse = false;
    bool onesided = false;
    int64_t opset = 20;
};

// The result of the document, computed along the axis for each place on the others.
std::vector<double> expected_of(const Transform& transform, const std::vector<float>& x, Dims& made)
{
    const Dims& dims = transform.dims;
    const auto at = size_t(transform.axis < 0 ? transform.axis + int64_t(dims.size()) : transform.axis);
    const int64_t extent = dims[at], parts = dims.back();
    const bool to_real = transform.inverse && transform.onesided;
    const int64_t length = transform.length.value_or(to_real ? 2 * (extent - 1) : extent);
    int64_t outer = 1, inner = 1;
    for (size_t i = 0; i < at; ++i)
        outer *= dims[i];
    for (size_t i = at + 1; i + 1 < dims.size(); ++i)
        inner *= dims[i];
    const int64_t bins = transform.onesided && !transform.inverse ? length / 2 + 1 : length;
    made = dims;
    made[at] = bins;
    made.back() = to_real ? 1 : 2;
    std::vector<double> y(size_t(outer * bins * inner * made.back()));
    for (int64_t o = 0; o < outer; ++o)
        for (int64_t i = 0; i < inner; ++i) {
            std::vector<Complex> line;
            for (int64_t n = 0; n < extent; ++n) {
                const auto from = size_t(((o * extent + n) * inner + i) * parts);
                line.emplace_back(x[from], parts == 2 ? x[from + 1] : 0);
            }
            if (to_real) {  // the other half is the conjugate
                line.resize(size_t(length / 2 + 1));
                if (length % 2 == 0)
                    line.back() = line.back().real();
                line[0] = line[0].real();
                for (int64_t n = length / 2 + 1; n < length; ++n)
                    line.push_back(std::conj(line[size_t(length - n)]));
            }
            const std::vector<Complex> spectrum = kit::reference_dft(line, length, transform.inverse);
            for (int64_t k = 0; k < bins; ++k) {
                const auto to = size_t(((o * bins + k) * inner + i) * made.back());
                y[to] = spectrum[size_t(k)].real();
                if (made.back() == 2)
                    y[to + 1] = spectrum[size_t(k)].imag();
            }
        }
    return y;
}

TEST(Signals, FourierTransformsAreThoseOfTheDocument)
{
    const Transform transforms[] = {
        {.dims = {2, 7, 1}},
        {.dims = {2, 8, 2}},
        {.dims = {8, 2}, .axis = 0},
        {.dims = {2, 8, 2}, .inverse = true},
        {.dims = {2, 9, 1}, .onesided = true},
        {.dims = {2, 10, 1}, .onesided = true},
        {.dims = {2, 5, 3, 1}, .axis = 1, .length = 4},
        {.dims = {2, 5, 3, 2}, .axis = -3, .length = 9},
        {.dims = {2, 5, 3, 2}, .axis = -2, .length = 2, .inverse = true},
        {.dims = {2, 6, 2}, .inverse = true, .onesided = true},
        {.dims = {2, 6, 2}, .length = 11, .inverse = true, .onesided = true},
        {.dims = {2, 6, 2}, .length = 6, .inverse = true, .onesided = true},
        {.dims = {3, 4, 2, 1}, .axis = 2, .onesided = true, .opset = 17},
        {.dims = {3, 100, 1}, .opset = 17},
    };
    on_every_device([&](const CaseDevice& device) {
        for (const Transform& transform : transforms) {
            SCOPED_TRACE(testing::PrintToString(transform.dims) + ", axis " + std::to_string(transform.axis));
            int64_t count = 1;
            for (const int64_t extent : transform.dims)
                count *= extent;
            const std::vector<float> x = drawn_floats(count, uint32_t(count));
            ModelBuilder model;
            model.opset(transform.opset).input("x", DType::float32, {transform.dims.begin(), transform.dims.end()});
            std::vector<std::string> names = {"x", ""};
            std::vector<std::string> attributes = {kit::int_attribute("inverse", transform.inverse),
                                                   kit::int_attribute("onesided", transform.onesided)};
            if (transform.length) {
                names[1] = "length";
                model.initializer(kit::int64_tensor("length", {}, {*transform.length}));
            }
            if (transform.opset < 20) {
                attributes.push_back(kit::int_attribute("axis", transform.axis));
            } else {
                names.push_back("axis");
                model.initializer(kit::int64_tensor("axis", {}, {transform.axis}));
            }
            const auto got =
                run(device, model.node("DFT", names, {"y"}, attributes).output("y").build(), {floats(transform.dims, x)});
            ASSERT_EQ(got.size(), 1u);
            Dims made;
            const std::vector<double> expected = expected_of(transform, x, made);
            expect_near(got[0], made, expected, 200);
        }
    });
}

// Without an axis version 20 takes the last one before the parts, and version 17 the first behind the batch.
TEST(Signals, TheAxisThatIsLeftOutDependsOnTheVersion)
{
    on_every_device([](const CaseDevice& device) {
        for (const int64_t opset : {17, 20}) {
            const Transform transform = {.dims = {2, 3, 4, 1}, .axis = opset == 17 ? 1 : 2};
            const std::vector<float> x = drawn_floats(24, 1);
            const std::string file = ModelBuilder()
                                         .opset(opset)
                                         .input("x", DType::float32, {2, 3, 4, 1})
                                         .node("DFT", {"x"}, {"y"})
                                         .output("y")
                                         .build();
            const auto got = run(device, file, {floats(transform.dims, x)});
            ASSERT_EQ(got.size(), 1u);
            Dims made;
            const std::vector<double> expected = expected_of(transform, x, made);
            expect_near(got[0], made, expected, 8);
        }
    });
}

TEST(Signals, FramesOfASignalAreTransformed)
{
    const struct {
        int64_t parts, length, step;
        bool onesided, has_window, window_is_constant, has_frame_length;
    } cases[] = {
        {1, 8, 3, true, true, true, false}, {1, 8, 3, true, true, false, true},  {1, 7, 2, true, false, false, true},
        {1, 8, 8, false, true, true, true}, {2, 8, 5, false, true, false, true}, {2, 5, 1, false, false, false, true},
    };
    on_every_device([&](const CaseDevice& device) {
        for (const auto& [parts, length, step, onesided, has_window, window_is_constant, has_frame_length] : cases) {
            constexpr int64_t batches = 2, samples = 20;
            const std::vector<float> x = drawn_floats(batches * samples * parts, 5), window = drawn_floats(length, 6);
            ModelBuilder model;
            model.opset(17).input("x", DType::float32, {batches, samples, parts});
            model.initializer(kit::int64_tensor("step", {}, {step}));
            std::vector<std::string> names = {"x", "step", has_window ? "window" : ""};
            std::vector<HostTensor> given = {floats({batches, samples, parts}, x)};
            if (has_window && window_is_constant)
                model.initializer(kit::float_tensor("window", {length}, window));
            if (has_window && !window_is_constant) {
                model.input("window", DType::float32, {length});
                given.push_back(floats({length}, window));
            }
            if (has_frame_length) {
                names.push_back("length");
                model.initializer(kit::int64_tensor("length", {}, {length}));
            }
            const auto got = run(
                device, model.node("STFT", names, {"y"}, {kit::int_attribute("onesided", onesided)}).output("y").build(), given);
            ASSERT_EQ(got.size(), 1u);
            const int64_t frames = (samples - length) / step + 1, bins = onesided ? length / 2 + 1 : length;
            std::vector<double> expected;
            for (int64_t batch = 0; batch < batches; ++batch)
                for (int64_t frame = 0; frame < frames; ++frame) {
                    std::vector<Complex> line;
                    for (int64_t n = 0; n < length; ++n) {
                        const auto from = size_t((batch * samples + frame * step + n) * parts);
                        const double factor = has_window ? window[size_t(n)] : 1;
                        line.emplace_back(x[from] * factor, parts == 2 ? x[from + 1] * factor : 0);
                    }
                    const std::vector<Complex> spectrum = kit::reference_dft(line, length, false);
                    for (int64_t k = 0; k < bins; ++k)
                        expected.insert(expected.end(), {spectrum[size_t(k)].real(), spectrum[size_t(k)].imag()});
                }
            expect_near(got[0], {batches, frames, bins, 2}, expected, 16);
        }
    });
}

// Runs a node of inputs that are all in the file.
HostTensor made_by(const CaseDevice& device, const std::string& op, const std::vector<std::string>& tensors,
                   const std::vector<std::string>& attributes)
{
    ModelBuilder model;
    model.opset(18);
    std::vector<std::string> names;
    for (size_t i = 0; i < tensors.size(); ++i) {
        names.push_back("c" + std::to_string(i));
        model.initializer(tensors[i]);
    }
    const auto got = run(device, model.node(op, names, {"y"}, attributes).output("y").build(), {});
    return got.size() == 1 ? got[0] : HostTensor();
}

TEST(Signals, Windows)
{
    const struct {
        std::string op;
        int64_t size, periodic;
        std::vector<double> expected;
    } cases[] = {
        {"HannWindow", 4, 1, {0, 0.5, 1, 0.5}},
        {"HannWindow", 5, 0, {0, 0.5, 1, 0.5, 0}},
        {"HammingWindow", 4, 1, {4.0 / 46, 25.0 / 46, 1, 25.0 / 46}},
        {"HammingWindow", 5, 0, {4.0 / 46, 25.0 / 46, 1, 25.0 / 46, 4.0 / 46}},
        {"BlackmanWindow", 4, 1, {0, 0.34, 1, 0.34}},
        {"BlackmanWindow", 3, 0, {0, 1, 0}},
        {"HannWindow", 1, 0, {0}},
        {"HannWindow", 0, 1, {}},
    };
    on_every_device([&](const CaseDevice& device) {
        for (const auto& [op, size, periodic, expected] : cases)
            expect_near(made_by(device, op, {kit::int64_tensor("c0", {}, {size})}, {kit::int_attribute("periodic", periodic)}),
                        {size}, expected, 1);
        const HostTensor doubles = made_by(device, "HannWindow", {kit::int64_tensor("c0", {}, {6})},
                                           {kit::int_attribute("output_datatype", int64_t(DType::float64))});
        EXPECT_EQ(doubles.desc, (TensorDesc{.dtype = DType::float64, .dims = {6}}));
        EXPECT_NEAR(values_of<double>(doubles)[1], 0.25, 1e-15);
    });
}

// The four edges of two bands from 0 to 4000 hertz are a quarter of the range apart, in mel: 0, 427, 1114 and 2220 hertz, which
// are in the bins 0, 1, 4 and 9.
TEST(Signals, MelBandsAreTriangles)
{
    on_every_device([](const CaseDevice& device) {
        const HostTensor weights =
            made_by(device, "MelWeightMatrix",
                    {kit::int64_tensor("c0", {}, {2}), kit::int64_tensor("c1", {}, {32}), kit::int64_tensor("c2", {}, {8000}),
                     kit::float_tensor("c3", {}, {0}), kit::float_tensor("c4", {}, {4000})},
                    {});
        std::vector<double> expected(17 * 2);
        const double first[] = {0, 1, 2.0 / 3, 1.0 / 3}, second[] = {0, 1.0 / 3, 2.0 / 3, 1, 0.8, 0.6, 0.4, 0.2};
        for (size_t bin = 0; bin < 4; ++bin)
            expected[bin * 2] = first[bin];
        for (size_t i = 0; i < 8; ++i)
            expected[(i + 1) * 2 + 1] = second[i];
        expect_near(weights, {17, 2}, expected, 1);
    });
}

TEST(Signals, CroppedAndPaddedAroundTheCentre)
{
    const std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};  // (3, 5)
    const struct {
        std::vector<int64_t> shape;
        std::vector<std::string> attributes;
        Dims dims;
        std::vector<float> expected;
    } cases[] = {
        {{2, 2}, {}, {2, 2}, {2, 3, 7, 8}},
        {{2}, {kit::ints_attribute("axes", {-1})}, {3, 2}, {2, 3, 7, 8, 12, 13}},
        {{4, 3}, {}, {4, 3}, {2, 3, 4, 7, 8, 9, 12, 13, 14, 0, 0, 0}},
        {{8, 1}, {kit::ints_attribute("axes", {1, 0})}, {1, 8}, {0, 6, 7, 8, 9, 10, 0, 0}},
    };
    on_every_device([&](const CaseDevice& device) {
        for (const auto& [shape, attributes, dims, expected] : cases) {
            const std::string file = ModelBuilder()
                                         .opset(18)
                                         .input("x", DType::float32, {3, 5})
                                         .initializer(kit::int64_tensor("shape", {int64_t(shape.size())}, shape))
                                         .node("CenterCropPad", {"x", "shape"}, {"y"}, attributes)
                                         .output("y")
                                         .build();
            const auto got = run(device, file, {floats({3, 5}, x)});
            ASSERT_EQ(got.size(), 1u);
            expect_floats(got[0], dims, expected);
        }
    });
}

TEST(Signals, SwiGLUMultipliesAGateAndAValue)
{
    on_every_device([](const CaseDevice& device) {
        const std::vector<float> a = {-3, -0.5f, 0, 0.25f, 2, 80}, b = {2, -1, 5, 4, 0.5f, 1};
        const std::string file = ModelBuilder()
                                     .opset(28)
                                     .input("A", DType::float32, {2, 3})
                                     .input("B", DType::float32, {2, 3})
                                     .node("SwiGLU", {"A", "B"}, {"Y"}, {kit::float_attribute("alpha", 2)})
                                     .output("Y")
                                     .build();
        const auto got = run(device, file, {floats({2, 3}, a), floats({2, 3}, b)});
        ASSERT_EQ(got.size(), 1u);
        std::vector<double> expected;
        for (size_t i = 0; i < a.size(); ++i)
            expected.push_back(double(a[i]) / (1 + std::exp(-2 * double(a[i]))) * double(b[i]));
        expect_near(got[0], {2, 3}, expected, 80);
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
