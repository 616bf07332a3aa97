// This file tests FusedConv and FusedGemm of com.microsoft on every device: they give the bits of the operators that they join.
#include <random>

#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

using kit::float_attribute;
using kit::ModelBuilder;
using onnx::HostTensor;

struct FusedActivation {
    std::string name = {};
    std::vector<std::string> own = {};      // attributes of the operator that it joins
    std::vector<float> params = {};         // of FusedConv
    std::vector<std::string> of_gemm = {};  // attributes of FusedGemm
};

const std::vector<FusedActivation>& fused_activations()
{
    static const std::vector<FusedActivation> all = {
        {"Relu"},
        {"Sigmoid"},
        {"Tanh"},
        {"LeakyRelu", {float_attribute("alpha", 0.3f)}, {0.3f}, {float_attribute("activation_alpha", 0.3f)}},
        {"HardSigmoid",
         {float_attribute("alpha", 0.3f), float_attribute("beta", 0.4f)},
         {0.3f, 0.4f},
         {float_attribute("activation_alpha", 0.3f), float_attribute("activation_beta", 0.4f)}},
        {"HardSwish"},
        {"Elu", {float_attribute("alpha", 0.5f)}, {}, {float_attribute("activation_alpha", 0.5f)}},
        {"Selu",
         {float_attribute("alpha", 0.5f), float_attribute("gamma", 2)},
         {},
         {float_attribute("activation_alpha", 0.5f), float_attribute("activation_gamma", 2)}},
    };
    return all;
}

HostTensor drawn_floats(const Dims& dims, std::mt19937& random)
{
    std::vector<float> values;
    for (int64_t i = 0; i < *element_count({.dtype = DType::float32, .dims = dims}); ++i)
        values.push_back(float(random() % 17) / 8 - 1);
    return floats(dims, values);
}

// Returns a model with these inputs, to which nodes are added that make Y.
ModelBuilder model_of_inputs(const std::vector<Dims>& dims)
{
    ModelBuilder model;
    model.opset(14).opset(1, "com.microsoft");
    for (size_t i = 0; i < dims.size(); ++i)
        model.input("x" + std::to_string(i), DType::float32, {dims[i].begin(), dims[i].end()});
    return model;
}

void expect_same_bits(const CaseDevice& device, ModelBuilder fused, ModelBuilder apart, const std::vector<HostTensor>& given)
{
    const std::vector<HostTensor> got = run(device, fused.output("Y").build(), given);
    const std::vector<HostTensor> expected = run(device, apart.output("Y").build(), given);
    ASSERT_TRUE(got.size() == 1 && expected.size() == 1);
    EXPECT_EQ(got[0].desc, expected[0].desc);
    EXPECT_EQ(got[0].data, expected[0].data);
}

TEST(FusedActivations, OfConvAndWhatIsAddedToIt)
{
    const std::vector<Dims> dims = {{1, 3, 5, 6}, {4, 3, 3, 3}, {4}, {1, 4, 5, 6}};
    const std::vector<std::string> pads = {kit::ints_attribute("pads", {1, 1, 1, 1})};
    on_every_device([&](const CaseDevice& device) {
        std::mt19937 random(1);
        std::vector<HostTensor> given;
        for (const Dims& each : dims)
            given.push_back(drawn_floats(each, random));
        for (const FusedActivation& activation : fused_activations()) {
            if (activation.params.empty() && !activation.own.empty())
                continue;
            SCOPED_TRACE(activation.name);
            std::vector<std::string> attributes = pads;
            attributes.push_back(kit::string_attribute("activation", activation.name));
            if (!activation.params.empty())
                attributes.push_back(kit::floats_attribute("activation_params", activation.params));
            ModelBuilder fused = model_of_inputs(dims), apart = model_of_inputs(dims);
            fused.node("FusedConv", {"x0", "x1", "x2", "x3"}, {"Y"}, attributes, "", "com.microsoft");
            apart.node("Conv", {"x0", "x1", "x2"}, {"c"}, pads).node("Add", {"c", "x3"}, {"s"});
            apart.node(activation.name, {"s"}, {"Y"}, activation.own);
            expect_same_bits(device, fused, apart, given);
        }
        ModelBuilder clipped = model_of_inputs(dims), apart = model_of_inputs(dims);
        clipped.node(
            "FusedConv", {"x0", "x1", "", "x3"}, {"Y"},
            {pads[0], kit::string_attribute("activation", "Clip"), kit::floats_attribute("activation_params", {-0.5f, 1})}, "",
            "com.microsoft");
        apart.initializer(kit::float_tensor("least", {}, {-0.5f})).initializer(kit::float_tensor("greatest", {}, {1}));
        apart.node("Conv", {"x0", "x1"}, {"c"}, pads).node("Add", {"c", "x3"}, {"s"});
        apart.node("Clip", {"s", "least", "greatest"}, {"Y"});
        apart.node("Identity", {"x2"}, {"unused"});
        expect_same_bits(device, clipped, apart, given);
    });
}

TEST(FusedActivations, OfGemm)
{
    const std::vector<Dims> dims = {{4, 3}, {5, 4}, {5}};
    const std::vector<std::string> gemm = {float_attribute("alpha", 0.5f), float_attribute("beta", 2),
                                           kit::int_attribute("transA", 1), kit::int_attribute("transB", 1)};
    on_every_device([&](const CaseDevice& device) {
        std::mt19937 random(2);
        std::vector<HostTensor> given;
        for (const Dims& each : dims)
            given.push_back(drawn_floats(each, random));
        for (const FusedActivation& activation : fused_activations()) {
            SCOPED_TRACE(activation.name);
            std::vector<std::string> attributes = gemm;
            attributes.push_back(kit::string_attribute("activation", activation.name));
            attributes.insert(attributes.end(), activation.of_gemm.begin(), activation.of_gemm.end());
            ModelBuilder fused = model_of_inputs(dims), apart = model_of_inputs(dims);
            fused.node("FusedGemm", {"x0", "x1", "x2"}, {"Y"}, attributes, "", "com.microsoft");
            apart.node("Gemm", {"x0", "x1", "x2"}, {"s"}, gemm).node(activation.name, {"s"}, {"Y"}, activation.own);
            expect_same_bits(device, fused, apart, given);
        }
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
