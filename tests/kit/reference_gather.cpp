// This file computes Gather, GatherElements and GatherND as their documents define them: an output's coordinates give data's, one
// element at a time.
#include <algorithm>

#include "kit/operators.h"
#include "kit/reference_move.h"

namespace vkonnx::kit {

using namespace movement;

namespace {

// Checks the types of data and indices, and the dimensions of each of them alone.
Status check_gathered(std::span<const int64_t> versions, int64_t opset, bool narrow_too, std::span<const TensorDesc> inputs)
{
    const int64_t version = version_of(versions, opset);
    if (version == 0 || inputs.size() != 2 || !is_common(inputs[0].dtype, version) ||
        !(inputs[1].dtype == DType::int64 || (narrow_too && inputs[1].dtype == DType::int32)))
        return refusal("version, types or number of inputs");
    for (const TensorDesc& input : inputs)
        if (Status status = check_count(input); !status)
            return status;
    return {};
}

// Returns the element at these coordinates, of which negative ones count from behind the last; zeros where there is none.
Answer element_at(const RealTensor& data, const List& coordinates)
{
    const std::optional<size_t> place = place_at(data.desc.dims, coordinates);
    return word_answer(place ? data.words[*place] : 0);
}

}  // namespace

Result<Resolution> resolve(const Gather& op, std::span<const TensorDesc> inputs)
{
    if (Status status = check_gathered(versions<Gather>, op.opset, true, inputs); !status)
        return status;
    const std::optional<size_t> axis = axis_of(op.axis.value_or(0), inputs[0].dims.size());
    if (!axis)
        return refusal("axis");
    Resolution resolution = {.output = {inputs[0].dtype, inputs[0].dims}};
    List& dims = resolution.output.dims;
    const auto place = dims.erase(dims.begin() + ptrdiff_t(*axis));
    dims.insert(place, inputs[1].dims.begin(), inputs[1].dims.end());
    if (Status status = check_count(resolution.output); !status)
        return status;
    return resolution;
}

// The document's loops: an output's coordinates are some of data's, then those of indices, then the rest of data's.
Result<std::vector<Answer>> reference(const Gather& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    const std::vector<TensorDesc> descs = {inputs[0].desc, inputs[1].desc};
    const Result<Resolution> resolution = resolve(op, descs);
    if (!resolution)
        return resolution.status();
    const auto axis = ptrdiff_t(*axis_of(op.axis.value_or(0), descs[0].dims.size()));
    std::vector<Answer> answers;
    for (const int64_t element : sample) {
        const List y = coordinates_of(element, resolution->output.dims);
        const auto behind = y.begin() + axis + ptrdiff_t(descs[1].dims.size());
        List x(y.begin(), y.begin() + axis);
        x.push_back(index_at(inputs[1], List(y.begin() + axis, behind)));
        x.insert(x.end(), behind, y.end());
        answers.push_back(element_at(inputs[0], x));
    }
    return answers;
}

Result<Resolution> resolve(const GatherElements& op, std::span<const TensorDesc> inputs)
{
    if (Status status = check_gathered(versions<GatherElements>, op.opset, true, inputs); !status)
        return status;
    const List& data = inputs[0].dims;
    const List& indices = inputs[1].dims;
    const std::optional<size_t> axis = axis_of(op.axis.value_or(0), data.size());
    if (!axis || indices.size() != data.size())
        return refusal("axis or rank");
    for (size_t a = 0; a < data.size(); ++a)
        if (a != *axis && indices[a] > data[a])
            return refusal("dimensions of indices");
    return Resolution{.output = {inputs[0].dtype, indices}};
}

// Along the first axis, out[i][j][k] = data[indices[i][j][k]][j][k].
Result<std::vector<Answer>> reference(const GatherElements& op, std::span<const RealTensor> inputs,
                                      std::span<const int64_t> sample)
{
    const std::vector<TensorDesc> descs = {inputs[0].desc, inputs[1].desc};
    const Result<Resolution> resolution = resolve(op, descs);
    if (!resolution)
        return resolution.status();
    const size_t axis = *axis_of(op.axis.value_or(0), descs[0].dims.size());
    std::vector<Answer> answers;
    for (const int64_t element : sample) {
        List x = coordinates_of(element, descs[1].dims);
        x[axis] = index_at(inputs[1], x);
        answers.push_back(element_at(inputs[0], x));
    }
    return answers;
}

Result<Resolution> resolve(const GatherND& op, std::span<const TensorDesc> inputs)
{
    if (Status status = check_gathered(versions<GatherND>, op.opset, false, inputs); !status)
        return status;
    if (op.batch_dims && version_of(versions<GatherND>, op.opset) < 12)
        return refusal("batch_dims");
    const List& data = inputs[0].dims;
    const List& indices = inputs[1].dims;
    const auto rank = int64_t(data.size());
    const int64_t batch = op.batch_dims.value_or(0);
    if (batch < 0 || batch >= std::min<int64_t>(rank, int64_t(indices.size())))
        return refusal("batch_dims");
    if (!std::equal(data.begin(), data.begin() + ptrdiff_t(batch), indices.begin()))
        return refusal("batches");
    if (indices.back() < 1 || indices.back() > rank - batch)
        return refusal("coordinates");
    Resolution resolution = {.output = {inputs[0].dtype, List(indices.begin(), indices.end() - 1)}};
    List& dims = resolution.output.dims;
    dims.insert(dims.end(), data.begin() + ptrdiff_t(batch + indices.back()), data.end());
    if (Status status = check_count(resolution.output); !status)
        return status;
    return resolution;
}

// An output's coordinates are those of an index, the first batch_dims of which are data's, too, and then the last ones of data.
Result<std::vector<Answer>> reference(const GatherND& op, std::span<const RealTensor> inputs, std::span<const int64_t> sample)
{
    const std::vector<TensorDesc> descs = {inputs[0].desc, inputs[1].desc};
    const Result<Resolution> resolution = resolve(op, descs);
    if (!resolution)
        return resolution.status();
    const List& indices = descs[1].dims;
    std::vector<Answer> answers;
    for (const int64_t element : sample) {
        const List y = coordinates_of(element, resolution->output.dims);
        const auto behind = y.begin() + ptrdiff_t(indices.size() - 1);
        List x(y.begin(), y.begin() + ptrdiff_t(op.batch_dims.value_or(0)));
        for (int64_t i = 0; i < indices.back(); ++i) {
            List place(y.begin(), behind);
            place.push_back(i);
            x.push_back(index_at(inputs[1], place));
        }
        x.insert(x.end(), behind, y.end());
        answers.push_back(element_at(inputs[0], x));
    }
    return answers;
}

}  // namespace vkonnx::kit
