// This file tests which of a device's cooperative matrices kernels use.
#include "gpu/cooperative_matrix.h"

#include <gtest/gtest.h>

namespace vkonnx::gpu {
namespace {

using Shape = std::array<uint32_t, 3>;

VkCooperativeMatrixPropertiesKHR matrix(Shape shape)
{
    VkCooperativeMatrixPropertiesKHR one = {};
    one.MSize = shape[0];
    one.NSize = shape[1];
    one.KSize = shape[2];
    one.AType = one.BType = VK_COMPONENT_TYPE_FLOAT16_KHR;
    one.CType = one.ResultType = VK_COMPONENT_TYPE_FLOAT32_KHR;
    one.scope = VK_SCOPE_SUBGROUP_KHR;
    return one;
}

Shape chosen(std::initializer_list<VkCooperativeMatrixPropertiesKHR> offered)
{
    return cooperative_matrix_of(offered);
}

TEST(CooperativeMatrix, IsTheLargestThatTilesAreMadeOf)
{
    EXPECT_EQ(chosen({}), Shape());
    EXPECT_EQ(chosen({matrix({8, 8, 8})}), (Shape{8, 8, 8}));
    EXPECT_EQ(chosen({matrix({8, 8, 16}), matrix({16, 16, 16}), matrix({16, 8, 16})}), (Shape{16, 16, 16}));
    EXPECT_EQ(chosen({matrix({16, 8, 32})}), (Shape{16, 8, 32}));
    EXPECT_EQ(chosen({matrix({32, 32, 16}), matrix({16, 16, 12}), matrix({4, 8, 8}), matrix({8, 8, 64})}), Shape());
}

TEST(CooperativeMatrix, IsOfHalvesWithSumsInFloatsByASubgroup)
{
    for (VkComponentTypeKHR VkCooperativeMatrixPropertiesKHR::*const type :
         {&VkCooperativeMatrixPropertiesKHR::AType, &VkCooperativeMatrixPropertiesKHR::BType,
          &VkCooperativeMatrixPropertiesKHR::CType, &VkCooperativeMatrixPropertiesKHR::ResultType}) {
        VkCooperativeMatrixPropertiesKHR other = matrix({16, 16, 16});
        other.*type =
            other.*type == VK_COMPONENT_TYPE_FLOAT16_KHR ? VK_COMPONENT_TYPE_FLOAT32_KHR : VK_COMPONENT_TYPE_FLOAT16_KHR;
        EXPECT_EQ(chosen({other, matrix({8, 8, 8})}), (Shape{8, 8, 8}));
    }
    VkCooperativeMatrixPropertiesKHR other = matrix({16, 16, 16});
    other.scope = VK_SCOPE_WORKGROUP_KHR;
    EXPECT_EQ(chosen({other}), Shape());
}

}  // namespace
}  // namespace vkonnx::gpu
