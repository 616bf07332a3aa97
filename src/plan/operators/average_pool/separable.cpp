// SPDX-License-Identifier: Apache-2.0
// The kernel average_pool_separable takes 2 or 3 axes and large windows that overlap. The pass over an axis writes its sums to
// scratch memory, where the next pass reads them. The pass over the last axis divides.
#include "modules.h"
#include "plan/core/arithmetic.h"
#include "plan/core/bytes.h"
#include "plan/core/limits.h"
#include "plan/operators/average_pool/tiles.h"
#include "return_if_error.h"
#include "shaders/operators/average_pool/average_pool_tiles_constants.h"

namespace vkonnx::plan::average_pool {
namespace {

using ops::Axis;

constexpr int64_t outputs = 8;  // outputs of a tile along its axis, or quads of them where elements lie behind it

// Scratch memory takes no more bytes than this, unless a single image takes more.
constexpr uint64_t most_scratch_bytes = 64 << 20;

uint32_t width_of(const Problem& problem)
{
    return bits(problem.dtype) / 8;
}

// Returns how many elements an image has after the pass over axis `passed`. For -1 this is an image of X.
int64_t image_of(const PoolProblem& pool, int64_t passed)
{
    int64_t elements = pool.inner;
    for (size_t a = 0; a < pool.axes.size(); ++a)
        elements = saturated_product(elements, int64_t(a) <= passed ? pool.axes[a].out : pool.axes[a].in);
    return elements;
}

// Returns how many elements an image takes in scratch memory, in a region for each pass but the last.
int64_t scratch_of_image(const PoolProblem& pool)
{
    int64_t elements = 0;
    for (size_t a = 0; a + 1 < pool.axes.size(); ++a)
        elements += image_of(pool, int64_t(a));
    return elements;
}

// Returns how many images have their sums in scratch memory at one time.
int64_t images_at_once(const Problem& problem)
{
    const PoolProblem& pool = problem.pool;
    const uint64_t range = problem.capabilities.max_storage_buffer_range;
    // Each region begins at an offset that can be bound.
    const uint64_t slack = pool.axes.size() * (uint64_t(problem.capabilities.storage_buffer_alignment) + 16);
    const uint64_t image = uint64_t(scratch_of_image(pool)) * width_of(problem);
    const uint64_t whole = range > slack ? (range - slack) / image : 0;
    return int64_t(std::min<uint64_t>({whole, std::max<uint64_t>(1, most_scratch_bytes / image), uint64_t(pool.outer)}));
}

std::string unfit(const Problem& problem)
{
    const PoolProblem& pool = problem.pool;
    if (std::string wrong = unfit_for_quads(problem); !wrong.empty())
        return wrong;
    if (pool.axes.size() < 2)
        return "it takes 2 or 3 spatial axes, not 1";
    int64_t longest = 0;
    for (const Axis& axis : pool.axes) {
        if (axis.stride != 1 || axis.dilation != 1)
            return "it takes strides and dilations of 1 only";
        if (axis.kernel < outputs || axis.out < outputs)
            return "it takes kernels and outputs from 8 on along each axis";
        longest = std::max(longest, axis.kernel);
    }
    if (pool.axes.back().in * pool.inner % quad != 0)
        return "it reads 4 elements at a time, and the last axis has " + std::to_string(pool.axes.back().in * pool.inner);
    if (pool.inner != 1 && pool.inner % quad != 0)
        return "it takes multiples of 4 elements behind the axes, not " + std::to_string(pool.inner);
    for (size_t a = 0; a + 1 < pool.axes.size(); ++a)
        if (saturated_product(pool.outer, image_of(pool, int64_t(a))) >= index_limit)
            return "it would have more sums on their way than the 2147483647 that kernels can number";
    if (images_at_once(problem) < 1)
        return "the sums of one image exceed the device's max_storage_buffer_range = " +
               std::to_string(problem.capabilities.max_storage_buffer_range);
    return unfit_for_loops(problem, longest);
}

// A stage is what a pass reads or writes: X, a region of scratch memory, or Y.
struct Stage {
    Operand operand = {};
    int64_t image = 0;  // how many elements an image has
};

class Passes {
public:
    explicit Passes(const Problem& problem) : problem_(problem), pool_(problem.pool), last_(pool_.axes.size() - 1) {}

    Result<Plan> run()
    {
        plan_ = plan_of(problem_);
        plan_.uniform = bytes_of(tiled_of(pool_, divide_up(pool_.axes.back().out, outputs)));
        const auto columns = [&](std::span<const Variant> variants) {
            PipelineKey key = tile_pipeline(*variant(variants, problem_.compute_type), tile_constants(problem_, group_));
            key.push_bytes += sizeof(push::AveragePoolPass);
            return key;
        };
        plan_.pipelines = {columns(modules::average_pool_separable_columns_clipped1_last0),
                           pool_.inner != 1
                               ? columns(modules::average_pool_separable_columns_clipped1_last1)
                               : moving_pipeline(problem_, modules::average_pool_moving_stride1_clipped1_outputs8_taps0, group_)};

        const int64_t images = images_at_once(problem_);
        const uint64_t alignment = std::max<uint64_t>(problem_.capabilities.storage_buffer_alignment, 16);
        std::vector<Stage> stages = {{{.tensor = 0}, image_of(pool_, -1)}};
        for (size_t a = 0; a < last_; ++a) {
            const int64_t image = image_of(pool_, int64_t(a));
            const uint64_t bytes = uint64_t(images * image) * width_of(problem_);
            stages.push_back({{.place = Place::scratch, .offset = plan_.scratch_bytes, .bytes = bytes}, image});
            plan_.scratch_bytes = (plan_.scratch_bytes + bytes + alignment - 1) / alignment * alignment;
        }
        stages.push_back({{.tensor = 1}, image_of(pool_, int64_t(last_))});
        for (int64_t first = 0; first < pool_.outer; first += images) {
            const Range some = {first, std::min(images, pool_.outer - first)};
            for (size_t a = 0; a <= last_; ++a)
                VKONNX_RETURN_IF_ERROR(add_pass(a, some, stages[a], stages[a + 1]));
        }
        return std::move(plan_);
    }

private:
    Status add_pass(size_t a, const Range& images, const Stage& from, const Stage& to)
    {
        const Axis& axis = pool_.axes[a];
        int64_t inner = pool_.inner;
        for (size_t behind = a + 1; behind < pool_.axes.size(); ++behind)
            inner *= pool_.axes[behind].in;
        int64_t slabs = 1;  // how many slabs an image has: one for each output of the axes before
        for (size_t before = 0; before < a; ++before)
            slabs *= pool_.axes[before].out;
        const bool by_quads = inner != 1;
        const int64_t columns_of_slab = by_quads ? inner / quad : 1;
        const int64_t tiles_of_row = divide_up(axis.out, outputs);
        const int64_t tiles_of_slab = tiles_of_row * columns_of_slab;
        // A tile counts as if it used its whole slab.
        const auto tensor = [&](const Stage& stage, int64_t extent, int64_t unit) {
            const bool scratch = stage.operand.place == Place::scratch;
            return TiledTensor{.operand = stage.operand,
                               .base = scratch ? images.first * stage.image : 0,
                               .elements = (scratch ? images.count : pool_.outer) * stage.image,
                               .element_bytes = width_of(problem_),
                               .unit = unit,
                               .used = [=](const Range& tiles) {
                                   const int64_t first = tiles.first / tiles_of_slab;
                                   const int64_t count = divide_up(tiles.end(), tiles_of_slab) - first;
                                   return Range{first * extent * inner, count * extent * inner};
                               }};
        };
        Tiles tiles = {.pipeline = a == last_ ? 1u : 0u,
                       .workgroup_size = group_,
                       .tiles = {images.first * slabs * tiles_of_slab, images.count * slabs * tiles_of_slab},
                       .work = by_quads ? 32 + 2 * double(axis.kernel + outputs) : 48 + 2 * (double(axis.kernel) / quad + 6),
                       .from = tensor(from, axis.in, quad),
                       .to = tensor(to, axis.out, by_quads || axis.out % quad == 0 ? quad : 1)};
        tiles.to.operand.access = Access::write;
        if (by_quads)
            tiles.push = bytes_of(push::AveragePoolPass{push::divisor_of(uint32_t(tiles_of_row)),
                                                        push::divisor_of(uint32_t(columns_of_slab)),
                                                        uint32_t(POOL_TILED_AXES - 1 - last_ + a)});
        return add_steps(problem_, tiles, plan_);
    }

    const Problem& problem_;
    const PoolProblem& pool_;
    const size_t last_;
    const uint32_t group_ = tile_workgroup_size(problem_.capabilities);
    Plan plan_;
};

Result<Plan> planned(const Problem& problem)
{
    return Passes(problem).run();
}

}  // namespace

constinit const KernelOf<Problem> separable = {.name = "average_pool_separable",
                                               .variants = modules::average_pool_separable_columns_clipped1_last0,
                                               .keeps_order = false,
                                               .unfit = unfit,
                                               .plan = planned};

}  // namespace vkonnx::plan::average_pool
