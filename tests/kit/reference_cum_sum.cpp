// This file computes CumSum as its document defines it, going once along each row.
#include <cmath>

#include "kit/elements.h"
#include "kit/operators.h"
#include "kit/reference_move.h"

namespace vkonnx::kit {

using namespace movement;

Result<Resolution> resolve(const CumSum& op, std::span<const TensorDesc> inputs)
{
    const int64_t version = version_of(versions<CumSum>, op.opset);
    if (version == 0 || inputs.size() != 1)
        return refusal("version or number of inputs");
    switch (inputs[0].dtype) {
    case DType::float32:
    case DType::float64:
    case DType::int32:
    case DType::int64:
    case DType::uint32:
    case DType::uint64:
        break;
    case DType::float16:
    case DType::bfloat16:
        if (version >= 14)
            break;
        return refusal("type");
    default:
        return refusal("type");
    }
    for (const auto& flag : {op.exclusive, op.reverse})
        if (flag && *flag != 0 && *flag != 1)
            return refusal("a flag");
    if (Status status = check_count(inputs[0]); !status)
        return status;
    if (!op.axis || !axis_of(*op.axis, inputs[0].dims.size()))
        return refusal("axis");
    return Resolution{.output = inputs[0]};
}

Result<std::vector<Answer>> reference(const CumSum& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    const RealTensor& x = inputs[0];
    if (const Result<Resolution> resolution = resolve(op, std::vector<TensorDesc>{x.desc}); !resolution)
        return resolution.status();
    const List& dims = x.desc.dims;
    const size_t axis = *axis_of(*op.axis, dims.size());
    const int64_t extent = dims[axis];
    const int64_t elements = *element_count(x.desc);
    std::vector<Answer> all(static_cast<size_t>(elements));
    for (int64_t first = 0; first < elements; ++first) {
        List place = coordinates_of(first, dims);
        if (place[axis] != 0)
            continue;  // the row was gone along from its first element
        Answer sum;
        uint64_t word = 0;
        for (int64_t i = 0; i < extent; ++i) {
            place[axis] = op.reverse == 1 ? extent - 1 - i : i;
            const auto at = size_t(index_of(place, dims));
            Answer& answer = all[at];
            const auto note = [&] {
                answer = sum;
                if (!x.words.empty())
                    answer.word = normalized(x.desc.dtype, word);
            };
            if (op.exclusive == 1)
                note();
            if (!x.words.empty()) {
                word += x.words[at];
            } else {
                const bool begins = sum.taps == 0 && op.exclusive != 1;  // -0 stays where nothing is added to it
                sum.value = begins ? DoubleDouble(x.values[at]) : sum.value + DoubleDouble(x.values[at]);
                sum.magnitude += std::fabs(x.values[at]);
                ++sum.taps;
            }
            if (op.exclusive != 1)
                note();
        }
    }
    std::vector<Answer> answers;
    for (const int64_t element : sample)
        answers.push_back(all[size_t(element)]);
    return answers;
}

}  // namespace vkonnx::kit
