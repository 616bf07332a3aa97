// This file has the references of composites that put windows back or move their taps: Col2Im, DeformConv, MaxUnpool and
// RoiAlign. They go along the inputs, as the documents tell where each element belongs.
#include <cmath>

#include "kit/composites.h"
#include "kit/elements.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

using Answers = std::vector<CompositeAnswers>;

List list_of(const CompositeProblem& problem, const char* name, size_t count, int64_t otherwise)
{
    return problem.attribute<List>(name, List(count, otherwise));
}

List numbers_of(const RealTensor& tensor)
{
    return {tensor.words.begin(), tensor.words.end()};
}

Answers col2im(const CompositeProblem& problem)
{
    const RealTensor& x = problem.inputs[0];
    const List image = numbers_of(problem.inputs[1]), block = numbers_of(problem.inputs[2]);
    const size_t axes = image.size();
    const List strides = list_of(problem, "strides", axes, 1), dilations = list_of(problem, "dilations", axes, 1);
    const List pads = list_of(problem, "pads", 2 * axes, 0);
    int64_t taps = 1;
    List blocks;
    for (size_t i = 0; i < axes; ++i) {
        taps *= block[i];
        blocks.push_back((image[i] + pads[i] + pads[axes + i] - dilations[i] * (block[i] - 1) - 1) / strides[i] + 1);
    }
    CompositeAnswers made = {.output = {.dtype = x.desc.dtype, .dims = {x.desc.dims[0], x.desc.dims[1] / taps}}};
    made.output.dims.insert(made.output.dims.end(), image.begin(), image.end());
    made.elements.assign(size_t(*element_count(made.output)), exactly(x.desc.dtype, 0));
    for (int64_t i = 0; i < *element_count(x.desc); ++i) {
        const List at = coordinates_of(i, x.desc.dims);
        const List tap = coordinates_of(at[1] % taps, block), number = coordinates_of(at[2], blocks);
        List place = {at[0], at[1] / taps};
        bool is_inside = true;
        for (size_t axis = 0; axis < axes; ++axis) {
            place.push_back(number[axis] * strides[axis] + tap[axis] * dilations[axis] - pads[axis]);
            is_inside = is_inside && place.back() >= 0 && place.back() < image[axis];
        }
        if (!is_inside)
            continue;
        Answer& sum = made.elements[size_t(index_of(place, made.output.dims))];
        if (x.desc.dtype == DType::boolean)
            sum.word = *sum.word | x.words[size_t(i)];
        else if (!x.words.empty())
            sum.word = normalized(x.desc.dtype, *sum.word + x.words[size_t(i)]);
        else
            sum.value = sum.value + DoubleDouble(x.values[size_t(i)]);
        sum.magnitude += x.words.empty() ? std::fabs(x.values[size_t(i)]) : 0;
        ++sum.taps;
    }
    return {made};
}

Answers max_unpool(const CompositeProblem& problem)
{
    const RealTensor &x = problem.inputs[0], &indices = problem.inputs[1];
    const List& dims = x.desc.dims;
    const size_t axes = dims.size() - 2;
    const List kernel = list_of(problem, "kernel_shape", axes, 1), strides = list_of(problem, "strides", axes, 1);
    const List pads = list_of(problem, "pads", 2 * axes, 0);
    List covered = dims;  // the dimensions that the indices count in
    for (size_t i = 0; i < axes; ++i)
        covered[2 + i] = (dims[2 + i] - 1) * strides[i] + kernel[i] - (problem.has(2) ? 0 : pads[i] + pads[axes + i]);
    CompositeAnswers made = {.output = {.dtype = x.desc.dtype, .dims = problem.has(2) ? numbers_of(problem.inputs[2]) : covered}};
    made.elements.assign(size_t(*element_count(made.output)), exactly(x.desc.dtype, 0));
    for (int64_t i = 0; i < *element_count(x.desc); ++i) {
        const List place = coordinates_of(int64_t(indices.words[size_t(i)]), covered);
        made.elements[size_t(index_of(place, made.output.dims))] = moved(x, i);
    }
    return {made};
}

// Returns the weight of an element in a linear sample: 1 at the place, and 0 from a distance of 1 on, along each axis.
double weight_at(const List& element, const std::vector<double>& place)
{
    double weight = 1;
    for (size_t axis = 0; axis < place.size(); ++axis)
        weight *= std::max(0.0, 1 - std::fabs(place[axis] - double(element[axis])));
    return weight;
}

Answers deform_conv(const CompositeProblem& problem)
{
    const RealTensor &x = problem.inputs[0], &w = problem.inputs[1], &offset = problem.inputs[2];
    const List& dims = x.desc.dims;
    const size_t axes = dims.size() - 2;
    const List strides = list_of(problem, "strides", axes, 1), dilations = list_of(problem, "dilations", axes, 1);
    const List pads = list_of(problem, "pads", 2 * axes, 0);
    const int64_t group = problem.attribute<int64_t>("group", 1), offsets = problem.attribute<int64_t>("offset_group", 1);
    const List kernel(w.desc.dims.begin() + 2, w.desc.dims.end()), image(dims.begin() + 2, dims.end());
    int64_t taps = 1, elements = 1;
    CompositeAnswers made = {.output = {.dtype = x.desc.dtype, .dims = {dims[0], w.desc.dims[0]}}};
    for (size_t i = 0; i < axes; ++i) {
        taps *= kernel[i];
        elements *= image[i];
        made.output.dims.push_back((image[i] + pads[i] + pads[axes + i] - dilations[i] * (kernel[i] - 1) - 1) / strides[i] + 1);
    }
    for (int64_t i = 0; i < *element_count(made.output); ++i) {
        const List at = coordinates_of(i, made.output.dims);
        Answer answer = {.rounds_terms = true};
        if (problem.has(3)) {
            answer.value = problem.inputs[3].values[size_t(at[1])];
            answer.magnitude = std::fabs(problem.inputs[3].values[size_t(at[1])]);
            ++answer.taps;
        }
        const int64_t each = w.desc.dims[1];  // channels of a group
        for (int64_t c = 0; c < each; ++c) {
            const int64_t channel = at[1] / (w.desc.dims[0] / group) * each + c;
            const int64_t moved_by = channel / (dims[1] / offsets);
            for (int64_t tap = 0; tap < taps; ++tap) {
                const List in_kernel = coordinates_of(tap, kernel);
                List of_offset = at;
                std::vector<double> place;
                for (size_t axis = 0; axis < axes; ++axis) {
                    of_offset[1] = (moved_by * taps + tap) * int64_t(axes) + int64_t(axis);
                    place.push_back(double(at[2 + axis] * strides[axis] - pads[axis] + in_kernel[axis] * dilations[axis]) +
                                    offset.values[size_t(index_of(of_offset, offset.desc.dims))]);
                }
                double factor = w.values[size_t((at[1] * each + c) * taps + tap)];
                if (problem.has(4)) {
                    of_offset[1] = moved_by * taps + tap;
                    factor *= problem.inputs[4].values[size_t(index_of(of_offset, problem.dims(4)))];
                }
                for (int64_t element = 0; element < elements; ++element) {
                    const double weight = weight_at(coordinates_of(element, image), place);
                    const double term = factor * weight * x.values[size_t((at[0] * dims[1] + channel) * elements + element)];
                    answer.value = answer.value + DoubleDouble(term);
                    answer.magnitude += std::fabs(term);
                    answer.taps += weight > 0 ? 4 : 0;  // the products of a term are rounded, too
                }
            }
        }
        made.elements.push_back(answer);
    }
    return {made};
}

// Returns the products of a place's four neighbours and their weights, or none where it lies further than an element outside.
std::vector<double> corners_of(double y, double x, const RealTensor& image, int64_t plane)
{
    const int64_t height = image.desc.dims[2], width = image.desc.dims[3];
    if (image.values.empty() || y < -1 || y > double(height) || x < -1 || x > double(width))
        return {};
    y = std::clamp(y, 0.0, double(height - 1));
    x = std::clamp(x, 0.0, double(width - 1));
    std::vector<double> products;
    for (int64_t row = int64_t(y); row <= int64_t(y) + 1; ++row)
        for (int64_t column = int64_t(x); column <= int64_t(x) + 1; ++column) {
            const int64_t at = (plane * height + std::min(row, height - 1)) * width + std::min(column, width - 1);
            products.push_back(weight_at({row, column}, {y, x}) * image.values[size_t(at)]);
        }
    return products;
}

Answers roi_align(const CompositeProblem& problem)
{
    const RealTensor &x = problem.inputs[0], &rois = problem.inputs[1], &images = problem.inputs[2];
    const int64_t bins[] = {problem.attribute<int64_t>("output_height", 1), problem.attribute<int64_t>("output_width", 1)};
    const int64_t ratio = problem.attribute<int64_t>("sampling_ratio", 0);
    const double scale = problem.attribute("spatial_scale", 1.0f);
    const bool is_max = problem.attribute<std::string>("mode", "avg") == "max";
    const std::string otherwise = problem.opset < 16 ? "output_half_pixel" : "half_pixel";
    const bool is_shifted = problem.attribute("coordinate_transformation_mode", otherwise) == "half_pixel";
    CompositeAnswers made = {.output = {x.desc.dtype, {rois.desc.dims[0], x.desc.dims[1], bins[0], bins[1]}}};
    for (int64_t i = 0; i < *element_count(made.output); ++i) {
        const List at = coordinates_of(i, made.output.dims);
        double start[2], bin[2];
        int64_t places[2];
        for (size_t axis = 0; axis < 2; ++axis) {  // a region begins with the last axis
            const double* edges = &rois.values[size_t(at[0]) * 4 + 1 - axis];
            start[axis] = edges[0] * scale - (is_shifted ? 0.5 : 0);
            double size = (edges[2] - edges[0]) * scale;
            if (!is_shifted)
                size = std::max(size, 1.0);
            bin[axis] = size / double(bins[axis]);
            places[axis] = ratio > 0 ? ratio : int64_t(std::ceil(bin[axis]));
        }
        Answer answer;
        const auto image = int64_t(images.words[size_t(at[0])]);
        for (int64_t row = 0; row < places[0]; ++row)
            for (int64_t column = 0; column < places[1]; ++column) {
                const double y = start[0] + (double(at[2]) + (double(row) + 0.5) / double(places[0])) * bin[0];
                const double place = start[1] + (double(at[3]) + (double(column) + 0.5) / double(places[1])) * bin[1];
                const bool is_there = image >= 0 && image < x.desc.dims[0];
                const std::vector<double> products =
                    is_there ? corners_of(y, place, x, image * x.desc.dims[1] + at[1]) : std::vector<double>();
                double greatest = products.empty() ? 0 : -HUGE_VAL;
                for (const double product : products) {
                    greatest = std::max(greatest, product);
                    answer.magnitude += std::fabs(product);
                    if (!is_max)
                        answer.value = answer.value + DoubleDouble(product);
                }
                const bool is_first = row + column == 0;
                if (is_max)
                    answer.value = is_first ? greatest : std::max(answer.value.hi, greatest);
            }
        if (!is_max) {
            const double count = double(std::max<int64_t>(places[0] * places[1], 1));
            answer.value = answer.value.hi / count;
            answer.magnitude /= count;
        }
        answer.magnitude = answer.magnitude * 2 + 1;  // places are rounded, and with them the weights
        answer.taps = 256;
        answer.rounds_terms = true;
        made.elements.push_back(answer);
    }
    return {made};
}

}  // namespace

std::vector<CompositeAnswers> reference_windows(const CompositeProblem& problem)
{
    if (problem.op_type == "Col2Im")
        return col2im(problem);
    if (problem.op_type == "RoiAlign")
        return roi_align(problem);
    return problem.op_type == "MaxUnpool" ? max_unpool(problem) : deform_conv(problem);
}

}  // namespace vkonnx::kit
