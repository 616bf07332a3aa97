// SPDX-License-Identifier: Apache-2.0
// Operators on the host: exact ones, of elements that are known.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "ops/geometry.h"

namespace vkonnx::ops {

using Bytes = std::vector<std::byte>;
using Elements = std::span<const std::span<const std::byte>>;  // of each input

// The outputs' elements; nothing where it is for devices. Inputs have the sizes that the geometry gives them.
template <class Geometry>
std::optional<std::vector<Bytes>> evaluated(const Geometry&, Elements)
{
    return {};
}
std::optional<std::vector<Bytes>> evaluated(const ShapeGeometry& geometry, Elements inputs);
std::optional<std::vector<Bytes>> evaluated(const ElementwiseGeometry& geometry, Elements inputs);
std::optional<std::vector<Bytes>> evaluated(const MoveGeometry& geometry, Elements inputs);
std::optional<std::vector<Bytes>> evaluated(const GatherGeometry& geometry, Elements inputs);
std::optional<std::vector<Bytes>> evaluated(const LogicGeometry& geometry, Elements inputs);
// Between bool, int32, int64 and float.
std::optional<std::vector<Bytes>> evaluated(const CastGeometry& geometry, Elements inputs);

// What elements make wrong, now that they are known.
template <class Geometry>
Status check_elements(const Geometry&, Elements)
{
    return {};
}
Status check_elements(const GatherGeometry& geometry, Elements inputs);

}  // namespace vkonnx::ops
