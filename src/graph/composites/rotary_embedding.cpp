// SPDX-License-Identifier: Apache-2.0
#include "graph/composites/rotation.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t rotary_embedding_versions[] = {23};
constexpr Schema::Input rotary_embedding_inputs[] = {
    {.name = "X"}, {.name = "cos_cache"}, {.name = "sin_cache"}, {.name = "position_ids", .option = Schema::Option::optional}};
constexpr Schema::Output rotary_embedding_outputs[] = {{"Y"}};
}  // namespace

constinit const Schema RotaryEmbedding::schema = {.name = "RotaryEmbedding",
                                                  .versions = rotary_embedding_versions,
                                                  .inputs = rotary_embedding_inputs,
                                                  .outputs = rotary_embedding_outputs};

Operand rotated(Composer& composer, const Operand& x, const Rotation& rotation)
{
    const std::vector<int64_t> dims = x.desc.dims;
    if (!composer.status())
        return x;
    const std::vector<int64_t> front(dims.begin(), dims.end() - 1);
    const int64_t size = dims.back(), pairs = rotation.pairs, turned = 2 * pairs;
    const auto with = [](std::vector<int64_t> some, const std::vector<int64_t>& more) {
        some.insert(some.end(), more.begin(), more.end());
        return some;
    };
    const auto part = [&](const Operand& of, int64_t extent, int64_t from, int64_t to) {
        return from == 0 && to == extent ? of : composer.add(Slice{.starts = {from}, .ends = {to}, .axes = {-1}}, {of});
    };
    // Elements of a pair that lie side by side have an axis of their own.
    const bool is_interleaved = rotation.is_interleaved;
    const auto angles = [&](const Operand& of) { return is_interleaved ? Composer::view(of, with(of.desc.dims, {1})) : of; };
    const Operand cosines = angles(rotation.cosines), sines = angles(rotation.sines);
    const Operand before = part(x, size, 0, turned);
    const Operand both = is_interleaved ? Composer::view(before, with(front, {pairs, 2})) : before;
    const int64_t half = is_interleaved ? 1 : pairs;
    const Operand a = part(both, 2 * half, 0, half), b = part(both, 2 * half, half, 2 * half);
    const auto product = [&](const Operand& first, const Operand& second) {
        return composer.add(ElementwiseKind::mul, {first, second});
    };
    const Operand real = composer.add(ElementwiseKind::sub, {product(a, cosines), product(b, sines)});
    const Operand imaginary = composer.add(ElementwiseKind::add, {product(a, sines), product(b, cosines)});
    const Operand y = Composer::view(composer.add(Concat{.axis = -1}, {real, imaginary}), with(front, {turned}));
    return turned < size ? composer.add(Concat{.axis = -1}, {y, part(x, size, turned, size)}) : y;
}

// Four dimensions are (batch, head, place, size), three are (batch, place, head * size).
void RotaryEmbedding::compose(Composer& composer) const
{
    const Operand input = composer.input(0);
    const std::vector<int64_t> dims = input.desc.dims;
    const bool is_joined = dims.size() == 3;
    if (!composer.check_floats(0, "X") ||
        !composer.check(dims.size() == 3 || dims.size() == 4,
                        "X is " + to_string(input.desc) + ", expected three or four dimensions"))
        return;
    const int64_t heads = is_joined ? num_heads.value_or(0) : dims[1];
    if (!composer.check(!is_joined || (heads > 0 && dims[2] % heads == 0),
                        "num_heads = " + std::to_string(heads) + " must divide the last of X's three dimensions"))
        return;
    const int64_t batches = dims[0], places = is_joined ? dims[1] : dims[2], size = is_joined ? dims[2] / heads : dims[3];
    const int64_t turned = rotary_embedding_dim.value_or(0) == 0 ? size : *rotary_embedding_dim;
    if (!composer.check(turned > 0 && turned <= size && turned % 2 == 0, "rotary_embedding_dim = " + std::to_string(turned) +
                                                                             " must be even and at most the size of a head, " +
                                                                             std::to_string(size)))
        return;
    const int64_t pairs = turned / 2;
    const DType wide = computed_in(input.desc.dtype);

    const std::vector<int64_t> at_places = {batches, places}, of_places = {batches, places, pairs};
    const auto angles = [&](size_t index, const char* name) {
        Operand cache = composer.input(index);
        if (composer.has(3)) {
            const bool fits =
                composer.dims(index).size() == 2 && composer.dims(index)[1] == pairs && composer.dims(3) == at_places;
            if (!composer.check(fits, std::string(name) + " is " + to_string(cache.desc) + " and position_ids " +
                                          to_string(composer.input(3).desc) + ", expected " + std::to_string(pairs) +
                                          " columns and (" + std::to_string(batches) + ", " + std::to_string(places) + ")"))
                return cache;
            cache = composer.add(Gather(), {cache, composer.input(3)});
        } else if (!composer.check(composer.dims(index) == of_places,
                                   std::string(name) + " is " + to_string(cache.desc) + ", expected " +
                                       to_string({.dtype = cache.desc.dtype, .dims = of_places}))) {
            return cache;
        }
        return Composer::view(composer.cast(cache, wide), is_joined ? std::vector<int64_t>{batches, places, 1, pairs}
                                                                    : std::vector<int64_t>{batches, 1, places, pairs});
    };
    const Operand cosines = angles(1, "cos_cache"), sines = angles(2, "sin_cache");
    const Operand x = composer.cast(input, wide);
    const Operand y =
        rotated(composer, is_joined ? Composer::view(x, {batches, places, heads, size}) : x,
                {.cosines = cosines, .sines = sines, .pairs = pairs, .is_interleaved = interleaved.value_or(0) != 0});
    composer.set_output(0, composer.cast(Composer::view(y, dims), input.desc.dtype));
}

}  // namespace vkonnx::graph
