// This header has a pool of 2 x 2 means whose answer is exact. Device tests run it to see whether a device works.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <gtest/gtest.h>

#include <vector>

#include "case_devices.h"

namespace vkonnx::gpu_test {

struct SmallProblem {
    AveragePool attributes = {.kernel_shape = {2, 2}, .strides = {2, 2}};
    TensorDesc input = {DType::float32, {1, 1, 2, 6}};
    TensorDesc output = {DType::float32, {1, 1, 1, 3}};
    std::vector<float> x = {1, 3, -8, 2, 0, 4, 5, 7, 2, 4, 4, 8};
    std::vector<float> y = {4, 0, 4};
};

// This struct holds tensors of the small problem on a device, and its Op.
struct SmallRun {
    SmallProblem problem = {};
    Tensor x = {};
    Tensor y = {};
    Op op = {};

    // A failure here fails the test, and leaves handles that must not be used.
    explicit SmallRun(const Device& device)
    {
        const auto made_x = device.tensor(problem.input, problem.x);
        const auto made_y = device.tensor(problem.output);
        const auto made_op = device.prepare(problem.attributes, {problem.input});
        EXPECT_TRUE(made_x) << made_x.message();
        EXPECT_TRUE(made_y) << made_y.message();
        EXPECT_TRUE(made_op) << made_op.message();
        if (made_x && made_y && made_op) {
            x = *made_x;
            y = *made_y;
            op = *made_op;
        }
    }

    std::vector<float> result() const
    {
        std::vector<float> values(problem.y.size(), -1);
        const Status read = y.download(values);
        EXPECT_TRUE(read) << read.message();
        return values;
    }
};

// Fails the test unless the device computes the small problem right.
inline void expect_works(const Device& device)
{
    const SmallRun small(device);
    ASSERT_TRUE(small.op);
    const Status ran = device.run(small.op, {small.x}, {small.y});
    ASSERT_TRUE(ran) << ran.message();
    EXPECT_EQ(small.result(), small.problem.y);
}

inline DeviceOptions through(const kit::VulkanShim& shim, const PresentDevice& present)
{
    DeviceOptions options;
    options.select = std::to_string(present.index);
    options.get_instance_proc_addr = shim.get_instance_proc_addr();
    return options;
}

// Asserts that `text` holds `part`, and else shows it.
inline testing::AssertionResult holds(std::string_view text, std::string_view part)
{
    if (text.find(part) != std::string_view::npos)
        return testing::AssertionSuccess();
    return testing::AssertionFailure() << "'" << text << "' does not hold '" << part << "'";
}

}  // namespace vkonnx::gpu_test
