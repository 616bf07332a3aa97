// SPDX-License-Identifier: Apache-2.0
// This file computes operators on the host: exact ones, of elements that are known.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "ops/geometry.h"

namespace vkonnx::ops {

using Bytes = std::vector<std::byte>;
using Elements = std::span<const std::span<const std::byte>>;  // the bytes of each input

// Returns the elements of each output, or nothing where only devices compute them. Inputs have the sizes of the geometry.
template <class Geometry>
std::optional<std::vector<Bytes>> evaluated(const Geometry&, Elements)
{
    return {};
}
std::optional<std::vector<Bytes>> evaluated(const ShapeGeometry& geometry, Elements inputs);
std::optional<std::vector<Bytes>> evaluated(const ElementwiseGeometry& geometry, Elements inputs);
// Only ReduceSum, ReduceProd, ReduceMax and ReduceMin of int32 and int64 are computed here.
std::optional<std::vector<Bytes>> evaluated(const ReductionGeometry& geometry, Elements inputs);
std::optional<std::vector<Bytes>> evaluated(const MoveGeometry& geometry, Elements inputs);
std::optional<std::vector<Bytes>> evaluated(const GatherGeometry& geometry, Elements inputs);
// Only scatters without a reduction are computed here.
std::optional<std::vector<Bytes>> evaluated(const ScatterGeometry& geometry, Elements inputs);
std::optional<std::vector<Bytes>> evaluated(const LogicGeometry& geometry, Elements inputs);
// Only casts between bool, int32, int64 and float are computed here.
std::optional<std::vector<Bytes>> evaluated(const CastGeometry& geometry, Elements inputs);

// Returns an error for what only the elements can make wrong, such as an index out of range.
template <class Geometry>
Status check_elements(const Geometry&, Elements)
{
    return {};
}
Status check_elements(const GatherGeometry& geometry, Elements inputs);
Status check_elements(const ScatterGeometry& geometry, Elements inputs);

}  // namespace vkonnx::ops
