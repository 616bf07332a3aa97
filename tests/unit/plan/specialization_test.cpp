// This file tests the lists of specialization constants against the modules that declare them, and the rest of the variant table.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "kernels.h"
#include "shaders/library/plain_constants.h"
#include "shaders/operators/average_pool/average_pool_constants.h"
#include "shaders/operators/conv_transpose/conv_transpose_constants.h"
#include "tests/unit/plan/tile_test_constants.h"

namespace vkonnx {
namespace {

#include "tile_test_tile_m4711_tile_n815_f32.spv.h"

// This struct holds what a SPIR-V module says of its specialization constants, and its plain ones.
struct Module {
    std::map<uint32_t, std::string> specialization = {};  // names by id; "" for the workgroup's sizes, which have none
    std::vector<uint32_t> size = {};                      // the ids of its x, y and z, where each is specialized
    std::multiset<uint32_t> constants = {};
};

Module read(std::span<const uint32_t> words)
{
    constexpr uint32_t name = 5, constant = 43, spec_composite = 51, decorate = 71, spec_id = 1, built_in = 11,
                       workgroup_size = 25;
    std::map<uint32_t, std::string> names;  // by SPIR-V's ids
    std::map<uint32_t, uint32_t> ids;       // SpecIds, by SPIR-V's ids
    uint32_t size = 0;                      // the SPIR-V id of the workgroup's size
    Module module;
    for (size_t at = 5; at < words.size(); at += std::max(words[at] >> 16, 1u)) {
        const std::span<const uint32_t> instruction = words.subspan(at, std::min<size_t>(words[at] >> 16, words.size() - at));
        const uint32_t code = words[at] & 0xffff;
        if (code == name)
            names[instruction[1]] = reinterpret_cast<const char*>(&instruction[2]);
        else if (code == decorate && instruction[2] == spec_id)  // names come before decorations, and these before constants
            module.specialization[ids[instruction[1]] = instruction[3]] = names[instruction[1]];
        else if (code == decorate && instruction[2] == built_in && instruction[3] == workgroup_size)
            size = instruction[1];
        else if (code == spec_composite && instruction[2] == size) {
            for (const uint32_t dimension : instruction.subspan(3)) {
                if (ids.contains(dimension))
                    module.size.push_back(ids[dimension]);
            }
        } else if (code == constant)
            module.constants.insert(instruction[3]);
    }
    return module;
}

std::vector<Kernel> kernels()
{
    std::vector<Kernel> all;
    for (size_t k = 0; k < kernel_count(); ++k)
        all.push_back(Kernel(k));
    return all;
}

}  // namespace

TEST(SpecializationLists, NumberTheirConstantsFromZeroAndNameThemApart)
{
    for (const Kernel kernel : kernels()) {
        const std::span<const SpecializationConstant> list = specialization_of(kernel);
        ASSERT_FALSE(list.empty()) << kernel_name(kernel);
        EXPECT_EQ(list[0].name, "workgroup_size") << kernel_name(kernel);
        std::set<std::string_view> names;
        for (uint32_t id = 0; id < list.size(); ++id) {
            EXPECT_EQ(list[id].id, id) << kernel_name(kernel) << ": " << list[id].name;
            names.insert(list[id].name);
        }
        EXPECT_EQ(names.size(), list.size()) << kernel_name(kernel) << " has two constants of one name";
    }
}

TEST(SpecializationLists, HoldTheConstantsThatEachModuleDeclares)
{
    for (const Kernel kernel : kernels()) {
        const std::span<const SpecializationConstant> list = specialization_of(kernel);
        if (spirv(kernel).empty())
            continue;  // this build's glslang does not compile it
        const Module module = read(spirv(kernel));
        std::vector<uint32_t> sizes;
        for (const SpecializationConstant& constant : list)
            if (constant.dimension != 0) {
                EXPECT_EQ(constant.dimension, 'x' + char(sizes.size())) << kernel_name(kernel);
                sizes.push_back(constant.id);
            }
        EXPECT_EQ(module.size, sizes) << kernel_name(kernel);
        for (const auto& [id, name] : module.specialization) {
            if (id == LEFT_TO_DRIVERS) {
                EXPECT_EQ(name, "spec_true") << kernel_name(kernel);
                continue;
            }
            ASSERT_LT(id, list.size()) << kernel_name(kernel) << ": " << name;
            EXPECT_EQ(name, list[id].dimension != 0 ? "" : "spec_" + std::string(list[id].name)) << kernel_name(kernel);
        }
    }
}

TEST(SpecializationLists, GiveValuesByIdToWhatIsSetByName)
{
    const specialization::ConvTranspose conv = {
        .workgroup_size = 5, .rank = 6, .bias = 7, .layout = 8, .filter = 9, .epilogue = 10, .prologue = 11};
    EXPECT_EQ(conv.values(), (std::vector<uint32_t>{5, 6, 7, 8, 9, 10, 11}));
    const specialization::AveragePool pool = {.workgroup_size = 1, .rank = 2, .count_include_pad = 3, .exact_division = 4};
    EXPECT_EQ(pool.values(), (std::vector<uint32_t>{1, 2, 3, 4}));
    EXPECT_EQ(specialization::Plain{.workgroup_size = 3}.values(), std::vector<uint32_t>{3});
}

TEST(SpecializationLists, SizeAnyDimensionOfAWorkgroup)
{
    const Module module = read(tile_test_tile_m4711_tile_n815_f32);
    EXPECT_EQ(module.size, (std::vector<uint32_t>{0, 3, 2})) << "x, y, z";
    EXPECT_EQ(module.specialization, (std::map<uint32_t, std::string>{{0, ""}, {1, "spec_depth"}, {2, ""}, {3, ""}}));
    const specialization::TileTest tile = {.columns = 16, .depth = 8, .planes = 2, .rows = 4};
    EXPECT_EQ(tile.values(), (std::vector<uint32_t>{16, 8, 2, 4}));
}

TEST(VariantTable, CompilesTileSizesIntoAModuleThatBearsThem)
{
    const Module module = read(tile_test_tile_m4711_tile_n815_f32);
    EXPECT_EQ(module.constants.count(4711), 1u);
    EXPECT_EQ(module.constants.count(815), 1u);
}

}  // namespace vkonnx
