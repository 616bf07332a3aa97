// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t one_hot_versions[] = {9, 11};
constexpr Schema::Input one_hot_inputs[] = {{.name = "indices"}, {.name = "depth", .member = "depth"}, {.name = "values"}};
constexpr Schema::Output one_hot_outputs[] = {{"output"}};

bool is_signed_index(DType dtype)
{
    return dtype != DType::uint8 && dtype != DType::uint16 && dtype != DType::uint32 && dtype != DType::uint64;
}
}  // namespace

constinit const Schema OneHot::schema = {
    .name = "OneHot", .versions = one_hot_versions, .inputs = one_hot_inputs, .outputs = one_hot_outputs};

// Compares each index with all places of a new axis, and takes one of the two values. From version 11 on a negative index counts
// from behind the last place.
void OneHot::compose(Composer& composer) const
{
    const std::vector<int64_t>& dims = composer.dims(0);
    const size_t at = composer.axis(axis.value_or(-1), dims.size() + 1);
    const std::vector<double> depths = composer.numbers(1, "depth");
    if (!composer.check(depths.size() == 1, "depth has " + std::to_string(depths.size()) + " elements, expected one") ||
        !composer.check(depths[0] >= 0 && depths[0] < 0x1p31,
                        "depth = " + std::to_string(depths[0]) + " must be from 0 to 2147483647") ||
        !composer.check(composer.dims(2) == std::vector<int64_t>{2},
                        "values is " + to_string(composer.input(2).desc) + ", expected one dimension of 2: off and on"))
        return;
    const auto depth = int64_t(depths[0]);

    Operand index = composer.cast(composer.input(0), DType::int64);
    if (composer.version() >= 11 && is_signed_index(composer.input(0).desc.dtype)) {
        const Operand wrapped = composer.add(ElementwiseKind::add, {index, composer.constant(DType::int64, double(depth))});
        index = composer.add(Where(), {composer.add(Less(), {index, composer.constant(DType::int64, 0)}), wrapped, index});
    }
    std::vector<int64_t> spread = dims, along(dims.size() + 1, 1);
    spread.insert(spread.begin() + ptrdiff_t(at), 1);
    along[at] = depth;
    const Operand places = composer.places(along);
    const Operand is_hot = composer.add(Equal(), {Composer::view(index, spread), places});
    const Operand off = composer.add(Slice{.starts = {0}, .ends = {1}}, {composer.input(2)});
    const Operand on = composer.add(Slice{.starts = {1}, .ends = {2}}, {composer.input(2)});
    composer.set_output(0, composer.add(Where(), {is_hot, Composer::view(on, {}), Composer::view(off, {})}));
}

}  // namespace vkonnx::graph
