// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "graph/composites/contrib.h"
#include "graph/composites/packed_bits.h"

namespace vkonnx::graph {
namespace {

using Dims = std::vector<int64_t>;

constexpr Schema::Input gather_block_inputs[] = {
    {.name = "data"}, {.name = "indices"}, {.name = "scales"}, {.name = "zero_points", .option = Schema::Option::optional}};
constexpr Schema::Output gather_block_outputs[] = {{"output"}};

int64_t blocks_of(int64_t extent, int64_t size)
{
    return size == 0 ? 1 : extent / size + (extent % size != 0 ? 1 : 0);
}

// This class composes one GatherBlockQuantized: output = (q - zero point) * scale, where q, the zero points and the scales are
// gathered first. Where blocks lie along the axis that is gathered, the whole table is multiplied before.
class GatherBlockComposer {
    enum : size_t { data, indices, scales, zero_points };

public:
    GatherBlockComposer(Composer& composer, const GatherBlockQuantized& op) : composer_(composer), op_(op) {}

    void run()
    {
        if (!check_data() || !check_scales())
            return;
        const Operand table = is_packed_ ? composer_.input(data) : composer_.cast(composer_.input(data), element_type());
        const std::optional<Operand> zeros = zero_points_of();
        const Operand factors = composer_.cast(composer_.input(scales), DType::float32);
        const DType made = composer_.input(scales).desc.dtype;
        if (gather_at_ == block_at_) {
            const Operand whole = composer_.cast(product(table, factors, zeros, block_at_, dims_), made);
            return composer_.set_output(0, composer_.add(Gather{.axis = int64_t(gather_at_)}, {whole, composer_.input(indices)}));
        }
        std::optional<Operand> taken_zeros;
        if (zeros)
            taken_zeros = taken(*zeros);
        const Dims& places = composer_.dims(indices);
        Dims dims = dims_;
        dims.erase(dims.begin() + std::ptrdiff_t(gather_at_));
        dims.insert(dims.begin() + std::ptrdiff_t(gather_at_), places.begin(), places.end());
        const size_t at = block_at_ < gather_at_ ? block_at_ : block_at_ + places.size() - 1;
        composer_.set_output(0, composer_.cast(product(taken(table), taken(factors), taken_zeros, at, dims), made));
    }

private:
    DType element_type() const { return is_float_ ? DType::float32 : dtype_ == DType::int4 ? DType::int8 : DType::uint8; }

    bool check_data()
    {
        const TensorDesc& desc = composer_.input(data).desc;
        dtype_ = desc.dtype;
        is_packed_ = dtype_ == DType::uint8;
        is_float_ = is_signed_float8(dtype_) || dtype_ == DType::float4e2m1;
        width_ = op_.bits.value_or(4);
        size_ = op_.block_size.value_or(128);
        dims_ = desc.dims;
        const bool is_whole = is_float_ && size_ == 0;
        if (!composer_.check(is_packed_ || is_float_ || dtype_ == DType::int4 || dtype_ == DType::uint4,
                             "data is " + to_string(desc) + ", expected int4, uint4, uint8, float4e2m1 or float8") ||
            !check_packing(composer_, is_packed_ ? width_ : 8, is_whole ? 16 : size_))
            return false;
        gather_at_ = composer_.axis(op_.gather_axis.value_or(0), dims_.size(), "gather_axis");
        block_at_ = composer_.axis(op_.quantize_axis.value_or(1), dims_.size(), "quantize_axis");
        if (!is_packed_)
            return composer_.status().ok();
        if (!composer_.check(gather_at_ == 0 && block_at_ + 1 == dims_.size() && block_at_ > 0,
                             "gather_axis = " + std::to_string(op_.gather_axis.value_or(0)) +
                                 " and quantize_axis = " + std::to_string(op_.quantize_axis.value_or(1)) +
                                 " must be the first and the last axis of data of type uint8"))
            return false;
        dims_.back() *= 8 / width_;
        return true;
    }

    bool check_scales()
    {
        Dims wanted = dims_;
        wanted[block_at_] = blocks_of(dims_[block_at_], size_);
        const TensorDesc& desc = composer_.input(scales).desc;
        // Where the data are floats, one scale may serve all places of an axis.
        bool fits = desc.dims.size() == wanted.size();
        for (size_t axis = 0; fits && axis < wanted.size(); ++axis)
            fits = desc.dims[axis] == wanted[axis] || (is_float_ && axis != block_at_ && desc.dims[axis] == 1);
        if (!composer_.check_floats(scales, "scales") ||
            !composer_.check(fits,
                             "scales is " + to_string(desc) + ", expected " + to_string({.dtype = desc.dtype, .dims = wanted})))
            return false;
        if (!composer_.has(zero_points))
            return true;
        if (is_packed_)
            wanted.back() = (wanted.back() * width_ + 7) / 8;
        const TensorDesc& zeros = composer_.input(zero_points).desc;
        return composer_.check(!is_float_ && zeros.dtype == dtype_ && zeros.dims == wanted,
                               "zero_points is " + to_string(zeros) + ", expected " +
                                   (is_float_ ? "none beside data of floats" : to_string({.dtype = dtype_, .dims = wanted})));
    }

    // Returns the zero points that are given, which may still lie in bytes. What is not given is added by `product`.
    std::optional<Operand> zero_points_of()
    {
        if (!composer_.has(zero_points))
            return {};
        return is_packed_ ? composer_.input(zero_points) : composer_.cast(composer_.input(zero_points), element_type());
    }

    // Returns the places of a table that the indices name. One for all places stays as it is, under the rank of the output.
    Operand taken(const Operand& table)
    {
        const Operand places = composer_.input(indices);
        if (table.desc.dims[gather_at_] == dims_[gather_at_])
            return composer_.add(Gather{.axis = int64_t(gather_at_)}, {table, places});
        Dims dims = table.desc.dims;
        dims.erase(dims.begin() + std::ptrdiff_t(gather_at_));
        dims.insert(dims.begin() + std::ptrdiff_t(gather_at_), places.desc.dims.size(), 1);
        return Composer::view(table, dims);
    }

    // Returns integers that may lie in bytes along the last axis, as floats. `extent` is how many of them there are on it.
    Operand numbers(const Operand& table, int64_t extent)
    {
        if (!is_packed_ || !composer_.status())
            return composer_.cast(table, DType::float32);
        Dims dims = table.desc.dims;
        const int64_t bytes = dims.back(), rows = extent_of(dims, 0, dims.size() - 1);
        Operand all = unpacked_bits(composer_, table, rows, bytes, width_);
        if (extent < bytes * 8 / width_)
            all = composer_.add(Slice{.starts = {0}, .ends = {extent}, .axes = {1}}, {all});
        dims.back() = extent;
        return composer_.cast(Composer::view(all, dims), DType::float32);
    }

    // Returns (q - zero point) * scale of the dimensions `dims`, with blocks along the axis `at`.
    Operand product(const Operand& table, const Operand& factors, const std::optional<Operand>& zeros, size_t at,
                    const Dims& dims)
    {
        const int64_t size = size_;
        const auto spread = [&](const Operand& parameter) {  // each block's to all of its places
            if (size == 0)
                return parameter;
            const Operand block =
                composer_.constant({.dtype = DType::int64, .dims = {dims[at]}}, [size](int64_t i) { return double(i / size); });
            return composer_.add(Gather{.axis = int64_t(at)}, {parameter, block});
        };
        Operand q = numbers(table, dims[at]);
        if (zeros)
            q = composer_.add(ElementwiseKind::sub, {q, spread(numbers(*zeros, blocks_of(dims[at], size)))});
        else if (is_packed_)
            q = composer_.add(ElementwiseKind::sub, {q, composer_.constant(DType::float32, double(1 << (width_ - 1)))});
        return composer_.add(ElementwiseKind::mul, {q, spread(factors)});
    }

    Composer& composer_;
    const GatherBlockQuantized& op_;
    DType dtype_ = DType::uint8;
    bool is_packed_ = false, is_float_ = false;
    int64_t width_ = 4, size_ = 128;
    Dims dims_ = {};  // of data, in elements
    size_t gather_at_ = 0, block_at_ = 0;
};

}  // namespace

constinit const Schema GatherBlockQuantized::schema = contrib("GatherBlockQuantized", gather_block_inputs, gather_block_outputs);

void GatherBlockQuantized::compose(Composer& composer) const
{
    GatherBlockComposer(composer, *this).run();
}

}  // namespace vkonnx::graph
