#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "plan/core/plan.h"

namespace vkonnx::plan {

// Returns the value of the specialization constant of that name.
inline uint32_t constant_of(const PipelineKey& pipeline, std::string_view name)
{
    for (const SpecializationConstant& constant : specialization_of(pipeline.kernel))
        if (constant.name == name)
            return pipeline.specialization.at(constant.id);
    throw std::out_of_range(std::string(kernel_name(pipeline.kernel)) + " has no constant " + std::string(name));
}

// Returns a uniform, of which some plans have only the beginning, or a step's push constants. Missing bytes are 0.
template <class Block>
Block block_of(std::span<const std::byte> bytes)
{
    Block block = {};
    EXPECT_LE(bytes.size(), sizeof(Block));
    std::memcpy(&block, bytes.data(), std::min(bytes.size(), sizeof(Block)));
    return block;
}

}  // namespace vkonnx::plan
