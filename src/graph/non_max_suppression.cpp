// SPDX-License-Identifier: Apache-2.0
// This file computes NonMaxSuppression on the host. The boxes of a class are taken one after the other, the greatest score first,
// so that they can't be taken side by side: each is left out that overlaps one which was taken before.
#include <algorithm>
#include <cstring>

#include "graph/host_request.h"
#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

struct Box {
    float left = 0, right = 0, top = 0, bottom = 0;

    float area() const { return (right - left) * (bottom - top); }
};

// Returns a box of four numbers: two corners in any order, (y, x) each, or the centre (x, y) and the extents (width, height).
Box box_of(const float* numbers, bool is_centered)
{
    if (is_centered)
        return {.left = numbers[0] - numbers[2] / 2,
                .right = numbers[0] + numbers[2] / 2,
                .top = numbers[1] - numbers[3] / 2,
                .bottom = numbers[1] + numbers[3] / 2};
    return {.left = std::min(numbers[1], numbers[3]),
            .right = std::max(numbers[1], numbers[3]),
            .top = std::min(numbers[0], numbers[2]),
            .bottom = std::max(numbers[0], numbers[2])};
}

// Tells whether the area that two boxes share is more than this part of the area that they cover together. Boxes without an area,
// or with NaN, share nothing.
bool overlap(const Box& a, const Box& b, float threshold)
{
    const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
    const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    if (!(width > 0) || !(height > 0) || !(a.area() > 0) || !(b.area() > 0))
        return false;
    const float shared = width * height;
    const float together = a.area() + b.area() - shared;
    return together > 0 && shared / together > threshold;
}

// Returns the one element of an optional input, or 0 where it is left out.
template <class Number>
Result<Number> scalar(const HostRequest& request, size_t input, DType dtype, const char* what)
{
    Number value = 0;
    if (!request.has(input))
        return value;
    const HostTensor& given = request.inputs[input];
    if (given.desc.dtype != dtype || given.data.size() != sizeof(Number))
        return request.invalid(std::string(what) + " is " + to_string(given.desc) + ", expected one " + std::string(name(dtype)));
    std::memcpy(&value, given.data.data(), sizeof value);
    return value;
}

const float* floats_of(const HostTensor& tensor)
{
    return reinterpret_cast<const float*>(tensor.data.data());
}

}  // namespace

Result<HostTensors> compute(const NonMaxSuppression& op, const HostRequest& request)
{
    const HostTensor& boxes = request.inputs[0];
    const HostTensor& scores = request.inputs[1];
    const std::vector<int64_t>& shape = boxes.desc.dims;  // batches, boxes, 4
    if (boxes.desc.dtype != DType::float32 || shape.size() != 3 || shape[2] != 4)
        return request.invalid("boxes is " + to_string(boxes.desc) + ", expected float with the dimensions (batches, boxes, 4)");
    const std::vector<int64_t>& of_scores = scores.desc.dims;  // batches, classes, boxes
    if (scores.desc.dtype != DType::float32 || of_scores.size() != 3 || of_scores[0] != shape[0] || of_scores[2] != shape[1])
        return request.invalid("scores is " + to_string(scores.desc) + ", expected float with the dimensions (" +
                               std::to_string(shape[0]) + ", classes, " + std::to_string(shape[1]) + "), as boxes has");
    const int64_t form = op.center_point_box.value_or(0);
    if (form != 0 && form != 1)
        return request.invalid("center_point_box = " + std::to_string(form) + " must be 0 or 1");
    const Result<int64_t> most = scalar<int64_t>(request, 2, DType::int64, "max_output_boxes_per_class");
    VKONNX_RETURN_IF_ERROR(most.status());
    const Result<float> threshold = scalar<float>(request, 3, DType::float32, "iou_threshold");
    VKONNX_RETURN_IF_ERROR(threshold.status());
    if (!(*threshold >= 0 && *threshold <= 1))
        return request.invalid("iou_threshold = " + std::to_string(*threshold) + " must be in [0, 1]");
    const Result<float> least = scalar<float>(request, 4, DType::float32, "score_threshold");
    VKONNX_RETURN_IF_ERROR(least.status());

    std::vector<int64_t> taken;  // (batch, class, box) of each
    const int64_t classes = of_scores[1], count = shape[1];
    for (int64_t batch = 0; *most > 0 && batch < shape[0]; ++batch)
        for (int64_t number = 0; number < classes; ++number) {
            const float* score = floats_of(scores) + (batch * classes + number) * count;
            std::vector<int64_t> candidates;
            for (int64_t i = 0; i < count; ++i)
                if (request.has(4) ? score[i] > *least : score[i] == score[i])  // NaN is never taken
                    candidates.push_back(i);
            std::ranges::stable_sort(candidates, [&](int64_t a, int64_t b) { return score[a] > score[b]; });
            std::vector<Box> kept;
            for (const int64_t i : candidates) {
                if (int64_t(kept.size()) == *most)
                    break;
                const Box box = box_of(floats_of(boxes) + (batch * count + i) * 4, form == 1);
                if (std::ranges::any_of(kept, [&](const Box& other) { return overlap(box, other, *threshold); }))
                    continue;
                kept.push_back(box);
                taken.insert(taken.end(), {batch, number, i});
            }
        }
    Result<HostTensor> made = request.numbers({int64_t(taken.size() / 3), 3}, taken);
    return made ? Result(HostTensors{std::move(*made)}) : made.status();
}

}  // namespace vkonnx::graph
