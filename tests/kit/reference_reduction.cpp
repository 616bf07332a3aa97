// GlobalAveragePool, GlobalMaxPool, ReduceMean and ReduceSum as their documents define them: every element of the input belongs
// to the output whose index it has on the axes that are kept.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "kit/elements.h"
#include "kit/operators.h"

namespace vkonnx::kit {
namespace {

using List = std::vector<int64_t>;

Status bad(const std::string& sentence)
{
    return Status(Code::invalid_argument, sentence);
}

bool is_float(DType dtype)
{
    return dtype == DType::float32 || dtype == DType::float64 || dtype == DType::float16;
}

bool takes(DType dtype, int64_t version)
{
    const bool wide = dtype == DType::int32 || dtype == DType::int64 || dtype == DType::uint32 || dtype == DType::uint64;
    return is_float(dtype) || wide || (dtype == DType::bfloat16 && version >= 13);
}

int64_t version_of(std::span<const int64_t> versions, int64_t opset)
{
    int64_t version = 0;
    for (const int64_t each : versions)
        version = each <= opset ? each : version;
    return version;
}

struct Reduced {
    TensorDesc output = {};
    std::set<size_t> axes = {};
};

template <class Attributes>
Result<Reduced> reduced(const Attributes& a, std::span<const TensorDesc> inputs, std::span<const int64_t> versions,
                        int64_t noop_since)
{
    const int64_t version = version_of(versions, a.opset);
    if (version == 0 || inputs.size() != 1 || !takes(inputs[0].dtype, version))
        return bad("opset, number of inputs or type");
    for (const auto& flag : {a.keepdims, a.noop_with_empty_axes})
        if (flag && *flag != 0 && *flag != 1)
            return bad("a flag");
    if (a.noop_with_empty_axes && version < noop_since)
        return bad("noop_with_empty_axes");
    const List& dims = inputs[0].dims;
    if (Result<int64_t> count = element_count(inputs[0]); !count)
        return count.status();
    Reduced result;
    for (const int64_t axis : a.axes) {
        const int64_t from_front = axis < 0 && version >= 11 ? axis + int64_t(dims.size()) : axis;
        if (from_front < 0 || from_front >= int64_t(dims.size()))
            return bad("an axis");
        result.axes.insert(size_t(from_front));
    }
    for (size_t i = 0; a.axes.empty() && a.noop_with_empty_axes.value_or(0) == 0 && i < dims.size(); ++i)
        result.axes.insert(i);
    result.output = {inputs[0].dtype, {}, inputs[0].layout};
    for (size_t i = 0; i < dims.size(); ++i)
        if (!result.axes.count(i) || a.keepdims.value_or(1) == 1)
            result.output.dims.push_back(result.axes.count(i) ? 1 : dims[i]);
    if (Result<int64_t> count = element_count(result.output); !count)
        return count.status();
    return result;
}

Result<Reduced> reduced_channels(int64_t opset, std::span<const TensorDesc> inputs)
{
    if (opset < 1 || inputs.size() != 1)
        return bad("opset or number of inputs");
    const TensorDesc& x = inputs[0];
    if (!is_float(x.dtype) && !(x.dtype == DType::bfloat16 && opset >= 22))
        return bad("type");
    if (Result<int64_t> count = element_count(x); !count)
        return count.status();
    if (x.dims.size() < 3)
        return bad("rank");
    Reduced result = {.output = x};
    for (size_t i = 1; i < x.dims.size(); ++i) {
        const size_t channels = x.layout == Layout::nxc ? x.dims.size() - 1 : 1;
        if (i == channels)
            continue;
        result.axes.insert(i);
        result.output.dims[i] = 1;
    }
    return result;
}

Result<Reduced> reduced(const GlobalAveragePool& a, std::span<const TensorDesc> inputs)
{
    return reduced_channels(a.opset, inputs);
}

Result<Reduced> reduced(const GlobalMaxPool& a, std::span<const TensorDesc> inputs)
{
    return reduced_channels(a.opset, inputs);
}

Result<Reduced> reduced(const ReduceMean& a, std::span<const TensorDesc> inputs)
{
    return reduced(a, inputs, versions<ReduceMean>, 18);
}

Result<Reduced> reduced(const ReduceSum& a, std::span<const TensorDesc> inputs)
{
    return reduced(a, inputs, versions<ReduceSum>, 13);
}

template <class Attributes>
Result<Resolution> resolution(const Attributes& a, std::span<const TensorDesc> inputs)
{
    const Result<Reduced> result = reduced(a, inputs);
    if (!result)
        return result.status();
    return Resolution{.output = result->output};
}

enum class What { sum, mean, greatest };

// Of an output.
struct Total {
    std::optional<DoubleDouble> sum = {};
    double greatest = -std::numeric_limits<double>::infinity();
    double magnitude = 0;
    uint64_t word = 0;  // of integers, modulo 2^64
    int64_t count = 0;
};

uint64_t quotient_of(const Total& total, DType dtype)
{
    if (total.count == 0)
        return 0;
    // sums of 32 bits fit 64, and those of 64 are what is left of them there
    if (is_signed(dtype))
        return uint64_t(int64_t(total.word) / total.count);
    return total.word / uint64_t(total.count);
}

Answer answer_of(const Total& total, DType dtype, What what)
{
    const bool mean = what == What::mean;
    Answer answer;
    if (what == What::greatest) {
        answer.value = total.greatest;
        return answer;
    }
    if (is_integer(dtype)) {
        answer.word = normalized(dtype, mean ? quotient_of(total, dtype) : total.word);
        return answer;
    }
    if (!total.sum)
        return answer;
    answer.taps = total.count;
    answer.divisor = mean ? total.count : 1;
    answer.value = mean ? *total.sum / DoubleDouble(double(total.count)) : *total.sum;
    answer.magnitude = total.magnitude / double(answer.divisor);
    return answer;
}

template <class Attributes>
Result<std::vector<Answer>> answers(const Attributes& a, std::span<const RealTensor> inputs, std::span<const int64_t> sample,
                                    What what)
{
    const Result<Reduced> result = reduced(a, std::vector<TensorDesc>{inputs[0].desc});
    if (!result)
        return result.status();
    const List& dims = inputs[0].desc.dims;
    const DType dtype = inputs[0].desc.dtype;
    std::vector<Total> totals(size_t(*element_count(result->output)));
    List index(dims.size());
    const int64_t elements = *element_count(inputs[0].desc);
    for (int64_t flat = 0; flat < elements; ++flat) {
        int64_t to = 0;
        for (size_t i = 0; i < dims.size(); ++i)
            if (!result->axes.count(i))
                to = to * dims[i] + index[i];
        Total& total = totals[size_t(to)];
        ++total.count;
        if (is_integer(dtype)) {
            total.word += inputs[0].words[size_t(flat)];
        } else {
            const double value = inputs[0].values[size_t(flat)];
            total.sum = total.sum ? *total.sum + DoubleDouble(value) : DoubleDouble(value);
            total.magnitude += std::fabs(value);
            total.greatest = value > total.greatest ? value : total.greatest;
        }
        for (size_t i = dims.size(); i-- > 0;) {
            if (++index[i] < dims[i])
                break;
            index[i] = 0;
        }
    }
    std::vector<Answer> all;
    for (const int64_t flat : sample)
        all.push_back(answer_of(totals[size_t(flat)], dtype, what));
    return all;
}

}  // namespace

Result<Resolution> resolve(const GlobalAveragePool& attributes, std::span<const TensorDesc> inputs)
{
    return resolution(attributes, inputs);
}

Result<Resolution> resolve(const GlobalMaxPool& attributes, std::span<const TensorDesc> inputs)
{
    return resolution(attributes, inputs);
}

Result<Resolution> resolve(const ReduceMean& attributes, std::span<const TensorDesc> inputs)
{
    return resolution(attributes, inputs);
}

Result<Resolution> resolve(const ReduceSum& attributes, std::span<const TensorDesc> inputs)
{
    return resolution(attributes, inputs);
}

Result<std::vector<Answer>> reference(const GlobalAveragePool& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    return answers(attributes, inputs, sample, What::mean);
}

Result<std::vector<Answer>> reference(const GlobalMaxPool& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    return answers(attributes, inputs, sample, What::greatest);
}

Result<std::vector<Answer>> reference(const ReduceMean& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    return answers(attributes, inputs, sample, What::mean);
}

Result<std::vector<Answer>> reference(const ReduceSum& attributes, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    return answers(attributes, inputs, sample, What::sum);
}

}  // namespace vkonnx::kit
