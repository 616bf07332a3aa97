// SPDX-License-Identifier: Apache-2.0
#include "ops/evaluate.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "guard.h"
#include "ops/attributes.h"
#include "ops/broadcast.h"
#include "return_if_error.h"

namespace vkonnx {
namespace ops {
namespace {

// ---- integers

// These follow the operators' comments in operators.hpp: sums and products wrap, and so does the negative of the least integer; a
// division by zero gives zero. int32 is computed in 64 bits and cut off when it is stored.
int64_t wrapped(uint64_t value)
{
    return int64_t(value);
}

int64_t quotient(int64_t a, int64_t b)
{
    if (b == 0)
        return 0;
    return b == -1 ? wrapped(0 - uint64_t(a)) : a / b;
}

int64_t modulo(int64_t a, int64_t b)
{
    if (b == 0 || b == -1)
        return 0;
    const int64_t rest = a % b;
    return rest != 0 && (a < 0) != (b < 0) ? rest + b : rest;
}

// A Folding tells what a kind makes of the elements at one place: `first` takes the first input's, and `next` joins the result so
// far with that of each further input. Clip is not among them: an input of it may be missing.
struct Folding {
    ElementwiseKind kind;
    int64_t (*first)(int64_t a);
    int64_t (*next)(int64_t so_far, int64_t b);
};

int64_t same(int64_t a)
{
    return a;
}

constexpr Folding foldings[] = {
    {ElementwiseKind::relu, [](int64_t a) { return std::max<int64_t>(a, 0); }, nullptr},
    {ElementwiseKind::neg, [](int64_t a) { return wrapped(0 - uint64_t(a)); }, nullptr},
    {ElementwiseKind::abs, [](int64_t a) { return a < 0 ? wrapped(0 - uint64_t(a)) : a; }, nullptr},
    {ElementwiseKind::add, same, [](int64_t a, int64_t b) { return wrapped(uint64_t(a) + uint64_t(b)); }},
    {ElementwiseKind::sub, same, [](int64_t a, int64_t b) { return wrapped(uint64_t(a) - uint64_t(b)); }},
    {ElementwiseKind::mul, same, [](int64_t a, int64_t b) { return wrapped(uint64_t(a) * uint64_t(b)); }},
    {ElementwiseKind::div, same, quotient},
    {ElementwiseKind::mod, same, modulo},  // with fmod = 0
    {ElementwiseKind::min, same, [](int64_t a, int64_t b) { return std::min(a, b); }},
    {ElementwiseKind::max, same, [](int64_t a, int64_t b) { return std::max(a, b); }},
};

int64_t integer_at(std::span<const std::byte> bytes, size_t index, size_t width)
{
    int32_t narrow = 0;
    int64_t wide = 0;
    if (width == sizeof narrow)
        std::memcpy(&narrow, bytes.data() + index * width, width);
    else
        std::memcpy(&wide, bytes.data() + index * width, width);
    return width == sizeof narrow ? narrow : wide;
}

void put_integer(Bytes& bytes, size_t index, size_t width, int64_t value)
{
    const auto narrow = int32_t(uint32_t(uint64_t(value)));
    std::memcpy(bytes.data() + index * width, width == sizeof narrow ? static_cast<const void*>(&narrow) : &value, width);
}

// ---- moves

// Returns the coordinate of the source that is meant, or -1 if there is none.
int64_t within(int64_t coordinate, int64_t extent, Beyond beyond)
{
    if (beyond == Beyond::never || (coordinate >= 0 && coordinate < extent))
        return coordinate;
    switch (beyond) {
    case Beyond::edge:
        return std::clamp<int64_t>(coordinate, 0, extent - 1);
    case Beyond::reflect:  // resolving made sure that it is beyond by less than the extent
        return coordinate < 0 ? -coordinate : 2 * (extent - 1) - coordinate;
    case Beyond::wrap:
        return (coordinate % extent + extent) % extent;
    default:
        return -1;
    }
}

// Returns the element of a source that belongs to these coordinates of the output, or -1 if it has none.
int64_t place_in(const Source& source, std::span<const int64_t> coordinates, Beyond beyond)
{
    int64_t place = source.first;
    for (size_t a = 0; a < coordinates.size(); ++a) {
        const SourceAxis& axis = source.axes[a];
        const int64_t coordinate = within(coordinates[a] - axis.begin, axis.extent, beyond);
        if (coordinate < 0)
            return -1;
        place += coordinate * axis.stride;
    }
    return place;
}

void step(std::vector<int64_t>& coordinates, std::span<const int64_t> extents)
{
    for (size_t a = extents.size(); a-- > 0;) {
        if (++coordinates[a] < extents[a])
            return;
        coordinates[a] = 0;
    }
}

// Returns the output's elements, or nothing where an old document fills with a number other than 0.
std::optional<Bytes> moved(const MoveGeometry& geometry, const Move& move, Elements inputs)
{
    const size_t width = bits(geometry.dtype) / 8;
    if (geometry.fill != 0)
        return {};
    Bytes bytes(size_t(*element_count(move.output)) * width);
    std::vector<int64_t> coordinates(move.extents.size());
    for (size_t at = 0; at < bytes.size(); at += width, step(coordinates, move.extents)) {
        const std::byte* from = geometry.fill_input ? inputs[*geometry.fill_input].data() : nullptr;
        for (const Source& source : move.sources)
            if (const int64_t place = place_in(source, coordinates, geometry.beyond); place >= 0)
                from = inputs[source.input].data() + size_t(place) * width;
        if (from)
            std::memcpy(bytes.data() + at, from, width);
    }
    return bytes;
}

// ---- logic

uint64_t bits_at(std::span<const std::byte> bytes, size_t index, size_t width)
{
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + index * width, width);
    return value;
}

// Returns the bits of a type's infinity, or 0 for a type that has none.
uint64_t infinity_of(DType dtype)
{
    switch (dtype) {
    case DType::float16:
        return 0x7c00;
    case DType::bfloat16:
        return 0x7f80;
    case DType::float32:
        return 0x7f800000;
    case DType::float64:
        return 0x7ff0000000000000;
    default:
        return 0;
    }
}

bool is_signed(DType dtype)
{
    return dtype == DType::int8 || dtype == DType::int16 || dtype == DType::int32 || dtype == DType::int64;
}

// This struct holds the bits of an element, and what they mean.
struct Element {
    uint64_t bits = 0;
    uint64_t magnitude = 0;  // the bits without the highest one
    bool negative = false;   // whether the highest bit is set
    bool nan = false;
    // Elements that are no NaN have ranks in their order. Zeros of both signs have the same rank.
    uint64_t rank = 0;
};

Element element_of(DType dtype, uint64_t value)
{
    const uint64_t sign = uint64_t(1) << (bits(dtype) - 1);
    const uint64_t infinity = infinity_of(dtype);
    Element element = {.bits = value, .magnitude = value & ~sign, .negative = (value & sign) != 0, .rank = value};
    element.nan = infinity != 0 && element.magnitude > infinity;
    if (infinity != 0)
        element.rank = element.negative ? sign - element.magnitude : sign + element.magnitude;
    else if (dtype == DType::boolean)
        element.rank = value != 0;
    else if (is_signed(dtype))
        element.rank = value ^ sign;
    return element;
}

uint64_t shifted(const LogicGeometry& geometry, const Element& a, uint64_t count)
{
    const DType dtype = geometry.types[0];
    const uint64_t fill = geometry.shifts_right && is_signed(dtype) && a.negative ? ~uint64_t(0) : 0;
    if (count >= bits(dtype))
        return fill;
    if (!geometry.shifts_right)
        return a.bits << count;
    const uint64_t above = bits(dtype) == 64 ? 0 : ~uint64_t(0) << bits(dtype);
    return ((a.bits ^ (fill & ~above)) >> count) ^ fill;
}

// Returns what the operator makes of elements of its inputs. With one input, b is a. The operator Where is not handled here.
uint64_t joined(const LogicGeometry& geometry, const Element& a, const Element& b)
{
    const bool is_ordered = !a.nan && !b.nan;
    switch (geometry.kind) {
    case LogicKind::equal:
        return is_ordered && a.rank == b.rank;
    case LogicKind::greater:
        return is_ordered && a.rank > b.rank;
    case LogicKind::greater_or_equal:
        return is_ordered && a.rank >= b.rank;
    case LogicKind::less:
        return is_ordered && a.rank < b.rank;
    case LogicKind::less_or_equal:
        return is_ordered && a.rank <= b.rank;
    case LogicKind::is_nan:
        return a.nan;
    case LogicKind::is_inf:
        return a.magnitude == infinity_of(geometry.types[0]) &&
               (a.negative ? geometry.detects_negative : geometry.detects_positive);
    case LogicKind::logical_and:
        return a.bits != 0 && b.bits != 0;
    case LogicKind::logical_or:
        return a.bits != 0 || b.bits != 0;
    case LogicKind::logical_xor:
        return (a.bits != 0) != (b.bits != 0);
    case LogicKind::logical_not:
        return a.bits == 0;
    case LogicKind::bitwise_and:
        return a.bits & b.bits;
    case LogicKind::bitwise_or:
        return a.bits | b.bits;
    case LogicKind::bitwise_xor:
        return a.bits ^ b.bits;
    case LogicKind::bitwise_not:
        return ~a.bits;
    case LogicKind::bit_shift:
        return shifted(geometry, a, b.bits);
    case LogicKind::where:
        break;
    }
    return 0;
}

// ---- casts

bool is_cast_here(DType dtype)
{
    return dtype == DType::boolean || dtype == DType::int32 || dtype == DType::int64 || dtype == DType::float32;
}

// Rounds toward zero. Returns the least integer for a value that the type can't hold, as shaders/operators/cast/cast.comp does.
int64_t truncated(float value, DType to)
{
    const float beyond = to == DType::int32 ? 0x1p31f : 0x1p63f;
    if (value > -beyond && value < beyond)
        return int64_t(value);
    return to == DType::int32 ? INT32_MIN : INT64_MIN;
}

template <class Value>
Value element_at(std::span<const std::byte> bytes, size_t index)
{
    Value value = {};
    std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
    return value;
}

template <class Value>
void put_element(Bytes& bytes, size_t index, Value value)
{
    std::memcpy(bytes.data() + index * sizeof value, &value, sizeof value);
}

void put_cast(Bytes& bytes, size_t index, const CastGeometry& geometry, std::span<const std::byte> input)
{
    const DType to = geometry.output.dtype;
    float real = 0;
    int64_t integer = 0;
    const bool is_real = geometry.from == DType::float32;
    if (is_real)
        real = element_at<float>(input, index);
    else if (geometry.from == DType::boolean)
        integer = element_at<uint8_t>(input, index) != 0;
    else
        integer = integer_at(input, index, bits(geometry.from) / 8);

    if (to == DType::boolean)
        put_element(bytes, index, uint8_t(is_real ? real != 0 : integer != 0));
    else if (to == DType::float32)
        put_element(bytes, index, float(integer));
    else
        put_integer(bytes, index, bits(to) / 8, is_real ? truncated(real, to) : integer);
}

Status check_sizes(const Operator& op, std::span<const TensorDesc> inputs, Elements data)
{
    if (data.size() != inputs.size())
        return Status(Code::invalid_argument, join({name(op), ": data has ", int64_t(data.size()), " entries, but there are ",
                                                    int64_t(inputs.size()), " inputs"}));
    for (size_t i = 0; i < inputs.size(); ++i) {
        const Result<uint64_t> size = inputs[i].dtype == DType::undefined ? Result<uint64_t>(0) : byte_size(inputs[i]);
        VKONNX_RETURN_IF_ERROR(size.status());
        if (data[i].size() != *size)
            return Status(Code::invalid_argument, join({name(op), ": data[", int64_t(i), "] has ", int64_t(data[i].size()),
                                                        " bytes, ", to_string(inputs[i]), " needs ", int64_t(*size)}));
    }
    return {};
}

// Returns the coordinate that number `i` of the indices names, counted from the front.
template <class Geometry>
int64_t coordinate_at(const Geometry& geometry, std::span<const std::byte> indices, size_t i)
{
    const int64_t extent = geometry.indexed[i % geometry.indexed.size()].extent;
    const int64_t index = integer_at(indices, i, bits(geometry.indices.dtype) / 8);
    return index + (index < 0 ? extent : 0);
}

// Refuses an index beyond its axis.
template <class Geometry>
Status check_indices(const Geometry& geometry, std::span<const std::byte> indices)
{
    const auto count = size_t(*element_count(geometry.indices));
    for (size_t i = 0; i < count; ++i) {
        const int64_t extent = geometry.indexed[i % geometry.indexed.size()].extent;
        const int64_t index = integer_at(indices, i, bits(geometry.indices.dtype) / 8);
        if (index >= -extent && index < extent)
            continue;
        const std::string label = join({geometry.op, ": indices[", int64_t(i), "] = ", index});
        return Status(Code::invalid_argument, extent == 0 ? label + " is an index into an axis that has no elements"
                                                          : join({label, " must be in [", -extent, ", ", extent - 1, "]"}));
    }
    return {};
}

}  // namespace

std::optional<std::vector<Bytes>> evaluated(const ShapeGeometry& geometry, Elements)
{
    const auto bytes = std::as_bytes(std::span(geometry.result));
    return std::vector<Bytes>{Bytes(bytes.begin(), bytes.end())};
}

std::optional<std::vector<Bytes>> evaluated(const ElementwiseGeometry& geometry, Elements inputs)
{
    const auto folding =
        std::find_if(std::begin(foldings), std::end(foldings), [&](const Folding& one) { return one.kind == geometry.kind; });
    const bool is_fmod = geometry.kind == ElementwiseKind::mod && geometry.numbers[0] != 0;
    if (folding == std::end(foldings) || !geometry.steps.empty() || is_fmod ||
        (geometry.dtype != DType::int64 && geometry.dtype != DType::int32))
        return {};
    const size_t width = bits(geometry.dtype) / 8;
    Bytes bytes(size_t(*element_count({geometry.dtype, geometry.dims})) * width);
    for (size_t input = 0; input < inputs.size(); ++input)
        for (size_t i = 0; i < bytes.size() / width; ++i) {
            const int64_t value = integer_at(inputs[input], broadcast_place(i, geometry.dims, *geometry.inputs[input]), width);
            put_integer(bytes, i, width, input == 0 ? folding->first(value) : folding->next(integer_at(bytes, i, width), value));
        }
    return std::vector<Bytes>{std::move(bytes)};
}

std::optional<std::vector<Bytes>> evaluated(const ReductionGeometry& geometry, Elements inputs)
{
    const DType dtype = geometry.input.dtype;
    const bool is_narrow = dtype == DType::int32;
    struct Joining {
        ReductionKind kind;
        ElementwiseKind by;
        int64_t of_none;
    };
    const Joining joinings[] = {{ReductionKind::sum, ElementwiseKind::add, 0},
                                {ReductionKind::prod, ElementwiseKind::mul, 1},
                                {ReductionKind::max, ElementwiseKind::max, is_narrow ? INT32_MIN : INT64_MIN},
                                {ReductionKind::min, ElementwiseKind::min, is_narrow ? INT32_MAX : INT64_MAX}};
    const auto joining = std::ranges::find(joinings, geometry.kind, &Joining::kind);
    if (joining == std::end(joinings) || (!is_narrow && dtype != DType::int64))
        return {};
    const auto next = std::ranges::find(foldings, joining->by, &Folding::kind)->next;
    const size_t width = bits(dtype) / 8;
    Bytes bytes(size_t(*element_count(geometry.output)) * width);
    for (size_t i = 0; i < bytes.size() / width; ++i)
        put_integer(bytes, i, width, joining->of_none);
    std::vector<int64_t> coordinates(geometry.input.dims.size());
    for (size_t i = 0; i < inputs[0].size() / width; ++i, step(coordinates, geometry.input.dims)) {
        size_t place = 0;
        for (size_t axis = 0; axis < coordinates.size(); ++axis)
            if (!geometry.reduced[axis])
                place = place * size_t(geometry.input.dims[axis]) + size_t(coordinates[axis]);
        put_integer(bytes, place, width, next(integer_at(bytes, place, width), integer_at(inputs[0], i, width)));
    }
    return std::vector<Bytes>{std::move(bytes)};
}

std::optional<std::vector<Bytes>> evaluated(const MoveGeometry& geometry, Elements inputs)
{
    std::vector<Bytes> outputs;
    for (const Move& move : geometry.moves) {
        std::optional<Bytes> bytes = moved(geometry, move, inputs);
        if (!bytes)
            return {};
        outputs.push_back(std::move(*bytes));
    }
    return outputs;
}

std::optional<std::vector<Bytes>> evaluated(const LogicGeometry& geometry, Elements inputs)
{
    const size_t width = bits(geometry.output.dtype) / 8;
    const auto value_at = [&](size_t input, size_t index) {
        const size_t place = broadcast_place(index, geometry.output.dims, *geometry.inputs[input]);
        return bits_at(inputs[input], place, bits(geometry.types[input]) / 8);
    };
    Bytes bytes(size_t(*element_count(geometry.output)) * width);
    for (size_t i = 0; i < bytes.size() / width; ++i) {
        uint64_t value = 0;
        if (geometry.kind == LogicKind::where) {
            value = value_at(value_at(0, i) != 0 ? 1 : 2, i);
        } else {
            const Element a = element_of(geometry.types[0], value_at(0, i));
            value = joined(geometry, a, inputs.size() == 1 ? a : element_of(geometry.types[1], value_at(1, i)));
        }
        std::memcpy(bytes.data() + i * width, &value, width);
    }
    return std::vector<Bytes>{std::move(bytes)};
}

Status check_elements(const GatherGeometry& geometry, Elements inputs)
{
    return check_indices(geometry, inputs[1]);
}

Status check_elements(const ScatterGeometry& geometry, Elements inputs)
{
    return check_indices(geometry, inputs[1]);
}

std::optional<std::vector<Bytes>> evaluated(const GatherGeometry& geometry, Elements inputs)
{
    const size_t width = bits(geometry.data.dtype) / 8;
    std::vector<int64_t> extents;
    for (const GatherAxis& axis : geometry.axes)
        extents.push_back(axis.extent);
    size_t run = width;  // bytes that are copied at once, because they lie side by side in data, too
    if (const GatherAxis& last = geometry.axes.back(); last.data == 1 && last.indices == 0) {
        run *= size_t(last.extent);
        extents.back() = 1;
    }
    Bytes bytes(size_t(*element_count(geometry.output)) * width);
    std::vector<int64_t> coordinates(extents.size());
    for (size_t at = 0; at < bytes.size(); at += run, step(coordinates, extents)) {
        int64_t place = 0;
        int64_t index = 0;
        for (size_t a = 0; a < coordinates.size(); ++a) {
            place += coordinates[a] * geometry.axes[a].data;
            index += coordinates[a] * geometry.axes[a].indices;
        }
        for (size_t i = 0; i < geometry.indexed.size(); ++i)
            place += coordinate_at(geometry, inputs[1], size_t(index) + i) * geometry.indexed[i].stride;
        std::memcpy(bytes.data() + at, inputs[0].data() + size_t(place) * width, run);
    }
    return std::vector<Bytes>{std::move(bytes)};
}

std::optional<std::vector<Bytes>> evaluated(const ScatterGeometry& geometry, Elements inputs)
{
    if (geometry.reduction != ScatterReduction::none)
        return {};
    std::vector<int64_t> extents;
    for (const UpdateAxis& axis : geometry.update_axes)
        extents.push_back(axis.extent);
    const size_t bytes_of_slice = size_t(geometry.slice) * (bits(geometry.data.dtype) / 8);
    Bytes bytes(inputs[0].begin(), inputs[0].end());
    std::vector<int64_t> coordinates(extents.size());
    for (size_t update = 0; update * bytes_of_slice < inputs[2].size(); ++update, step(coordinates, extents)) {
        int64_t slice = 0;
        for (size_t a = 0; a < coordinates.size(); ++a)
            slice += coordinates[a] * geometry.update_axes[a].slices;
        for (size_t i = 0; i < geometry.indexed.size(); ++i)
            slice += coordinate_at(geometry, inputs[1], update * geometry.indexed.size() + i) * geometry.indexed[i].stride;
        std::memcpy(bytes.data() + size_t(slice) * bytes_of_slice, inputs[2].data() + update * bytes_of_slice, bytes_of_slice);
    }
    return std::vector<Bytes>{std::move(bytes)};
}

std::optional<std::vector<Bytes>> evaluated(const CastGeometry& geometry, Elements inputs)
{
    const DType to = geometry.output.dtype;
    if (!is_cast_here(geometry.from) || !is_cast_here(to))
        return {};
    if (geometry.from == to)
        return std::vector<Bytes>{Bytes(inputs[0].begin(), inputs[0].end())};
    const auto count = size_t(*element_count(geometry.output));
    Bytes bytes(count * (bits(to) / 8));
    for (size_t i = 0; i < count; ++i)
        put_cast(bytes, i, geometry, inputs[0]);
    return std::vector<Bytes>{std::move(bytes)};
}

}  // namespace ops

Result<std::vector<std::vector<std::byte>>> evaluate(const Operator& op, std::span<const TensorDesc> inputs,
                                                     std::span<const std::span<const std::byte>> data)
{
    return guarded([&]() -> Result<std::vector<std::vector<std::byte>>> {
        VKONNX_RETURN_IF_ERROR(check_span("evaluate", "inputs", inputs));
        VKONNX_RETURN_IF_ERROR(check_span("evaluate", "data", data));
        return std::visit(
            [&](const auto& one) -> Result<std::vector<std::vector<std::byte>>> {
                const auto geometry = ops::resolve(one, inputs);
                VKONNX_RETURN_IF_ERROR(geometry.status());
                VKONNX_RETURN_IF_ERROR(ops::check_sizes(op, inputs, data));
                VKONNX_RETURN_IF_ERROR(ops::check_elements(*geometry, data));
                auto outputs = ops::evaluated(*geometry, data);
                if (!outputs)
                    return Status(Code::unsupported, ops::join({name(op), ": it is computed on devices only"}));
                return std::move(*outputs);
            },
            op);
    });
}

}  // namespace vkonnx
