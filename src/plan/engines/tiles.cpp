// SPDX-License-Identifier: Apache-2.0
#include "plan/engines/tiles.h"

#include <algorithm>
#include <bit>

#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "return_if_error.h"

namespace vkonnx::plan {
namespace {

uint64_t bytes_of(const TiledTensor& tensor, int64_t elements)
{
    return buffer_bytes(uint64_t(elements) * tensor.element_bytes);
}

class Cutter {
public:
    Cutter(const Tiles& tiles, const Capabilities& capabilities, const PrepareOptions& options, Plan& plan)
        : tiles_(tiles), capabilities_(capabilities), options_(options), plan_(plan),
          cost_(tiles.work * cost_of(tiles.compute_type))
    {
    }

    Status run()
    {
        const double seconds = options_.max_dispatch_seconds;
        if (seconds_of(1) > seconds)
            return Status(Code::unsupported, name() + ": an invocation of kernel " + kernel() +
                                                 " would take longer than PrepareOptions::max_dispatch_seconds");
        const auto& most = capabilities_.max_group_count;
        const int64_t grid = saturated_product({most[0], most[1], most[2], tiles_.workgroup_size});
        const double in_time = std::min(seconds * capabilities_.work_per_second / cost_, 0x1p62);
        int64_t length = std::min(grid, int64_t(in_time));
        const Range& all = tiles_.tiles;
        if (length < all.count && length > tiles_.workgroup_size)
            length -= length % tiles_.workgroup_size;
        const int64_t dispatches = divide_up(all.count, length);
        VKONNX_RETURN_IF_ERROR(check_dispatches(tiles_.op, {dispatches}));
        for (int64_t first = all.first; first < all.end(); first += length)
            VKONNX_RETURN_IF_ERROR(add({first, std::min(length, all.end() - first)}));
        return {};
    }

private:
    std::string name() const { return std::string(tiles_.op); }
    std::string kernel() const { return std::string(kernel_name(plan_.pipelines[tiles_.pipeline].kernel)); }

    double seconds_of(int64_t count) const
    {
        return cost_ *
               std::max(double(count) / capabilities_.work_per_second, 1 / (double(tiles_.lanes) * invocation_work_per_second));
    }

    struct Window {
        Operand operand;
        int64_t base = 0;
        int64_t elements = 0;
    };

    Window window_of(const TiledTensor& tensor, const Range& tiles) const
    {
        if (bytes_of(tensor, tensor.elements) <= capabilities_.max_storage_buffer_range)
            return {tensor.operand, tensor.base, tensor.elements};
        const int64_t width = tensor.element_bytes;
        Range used = tensor.used(tiles);
        used.first -= tensor.base;
        const int64_t alignment = std::max<int64_t>({capabilities_.storage_buffer_alignment, 4, tensor.unit * width});
        const int64_t offset = used.first * width / alignment * alignment;
        const int64_t end = std::min(divide_up(std::max(used.end(), used.first + 1), tensor.unit) * tensor.unit, tensor.elements);
        Window window = {tensor.operand, tensor.base + offset / width, end - offset / width};
        window.operand.offset += uint64_t(offset);
        window.operand.bytes = bytes_of(tensor, end) - uint64_t(offset);
        return window;
    }

    // Adds a range of tiles, and halves it until what it needs of `from` and `to` can be bound.
    Status add(const Range& tiles)
    {
        const uint64_t range = capabilities_.max_storage_buffer_range;
        const Window from = window_of(tiles_.from, tiles);
        const Window to = window_of(tiles_.to, tiles);
        if (std::max(from.operand.bytes, to.operand.bytes) > range) {
            const int64_t half = tiles.count / 2;
            if (half == 0)
                return Status(Code::unsupported, name() + ": the device's max_storage_buffer_range = " + std::to_string(range) +
                                                     " is too small for what an invocation of kernel " + kernel() + " needs");
            VKONNX_RETURN_IF_ERROR(add({tiles.first, half}));
            return add({tiles.first + half, tiles.count - half});
        }
        if (int64_t(plan_.steps.size()) >= max_dispatches)
            return too_many_dispatches(tiles_.op);
        const push::TileRange push = {.first_tile = uint32_t(tiles.first),
                                      .tile_count = uint32_t(tiles.count),
                                      .x_base = uint32_t(from.base),
                                      .x_last_quad = uint32_t(std::max<int64_t>(from.elements / quad - 1, 0)),
                                      .x_elements = uint32_t(from.elements),
                                      .y_base = uint32_t(to.base),
                                      .y_end = uint32_t(tiles_.to.elements)};
        std::vector<std::byte> bytes = plan::bytes_of(push);
        bytes.insert(bytes.end(), tiles_.push.begin(), tiles_.push.end());
        std::vector<Operand> operands = {from.operand};
        operands.insert(operands.end(), tiles_.whole.begin(), tiles_.whole.end());
        operands.push_back(to.operand);
        plan_.steps.push_back({.pipeline = tiles_.pipeline,
                               .operands = std::move(operands),
                               .push = std::move(bytes),
                               .groups = groups_of(tiles.count, tiles_.workgroup_size, capabilities_),
                               .seconds = seconds_of(tiles.count)});
        return {};
    }

    const Tiles& tiles_;
    const Capabilities& capabilities_;
    const PrepareOptions& options_;
    Plan& plan_;
    const double cost_;  // the work units of a tile
};

}  // namespace

Status add_steps(const Tiles& tiles, const Capabilities& capabilities, const PrepareOptions& options, Plan& plan)
{
    return Cutter(tiles, capabilities, options, plan).run();
}

int64_t lanes_of(int64_t extent, const Capabilities& capabilities)
{
    constexpr int64_t most = 64, least_elements = 4;
    if (capabilities.is_cpu || workgroup_size(capabilities) % most != 0)
        return 1;
    return int64_t(std::bit_floor(uint64_t(std::clamp<int64_t>(extent / least_elements, 1, most))));
}

std::string unfit_for_lanes(int64_t extent, const Capabilities& capabilities)
{
    const int64_t iterations = divide_up(extent, lanes_of(extent, capabilities));
    if (iterations + divide_up(iterations, 32) > capabilities.max_loop_iterations)
        return too_many_iterations("its loops over a row", capabilities);
    if (workgroup_size(capabilities) * sizeof(float) > capabilities.max_shared_bytes)
        return "its sums are more than the device's " + std::to_string(capabilities.max_shared_bytes) + " shared bytes";
    return "";
}

uint32_t tile_workgroup_size(const Capabilities& capabilities)
{
    const uint32_t most = workgroup_size(capabilities);
    return capabilities.is_cpu ? std::min(most, 32u) : most;
}

uint32_t stores_quads(int64_t row, const Capabilities& capabilities)
{
    if (!capabilities.is_cpu)
        return QUADS_OF_WHOLE_ROWS;
    return row % quad == 0 ? QUADS_ALWAYS : QUADS_NEVER;
}

}  // namespace vkonnx::plan
