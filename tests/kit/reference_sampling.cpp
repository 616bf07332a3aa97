// This file has the references of composites that sample or pool: AffineGrid, GridSample, LpPool and GlobalLpPool. They follow
// the documents place by place.
#include <cmath>

#include "kit/composites.h"
#include "kit/elements.h"
#include "kit/reference_parts.h"

namespace vkonnx::kit {
namespace {

using Answers = std::vector<CompositeAnswers>;
using Ints = std::vector<int64_t>;

int64_t elements_of(const TensorDesc& desc)
{
    return *element_count(desc);
}

// ------------------------------------------------------------------------------------------------- grids

double place_on(int64_t i, int64_t extent, bool aligned)
{
    if (!aligned)
        return (2 * double(i) + 1) / double(extent) - 1;
    return extent > 1 ? 2 * double(i) / double(extent - 1) - 1 : -1;
}

Answers affine_grid(const CompositeProblem& problem)
{
    const RealTensor& theta = problem.inputs[0];
    const bool aligned = problem.attribute<int64_t>("align_corners", 0) == 1;
    List size(problem.inputs[1].words.begin(), problem.inputs[1].words.end());
    const size_t axes = size.size() - 2;
    CompositeAnswers made = {.output = {.dtype = theta.desc.dtype, .dims = {size[0]}}};
    made.output.dims.insert(made.output.dims.end(), size.begin() + 2, size.end());
    made.output.dims.push_back(int64_t(axes));
    for (int64_t i = 0; i < elements_of(made.output); ++i) {
        const List place = coordinates_of(i, made.output.dims);
        const auto row = size_t(place.back());
        const double* factors = &theta.values[(size_t(place[0]) * axes + row) * (axes + 1)];
        Answer answer = {.value = factors[axes], .magnitude = std::fabs(factors[axes]), .taps = int64_t(axes) + 2};
        for (size_t column = 0; column < axes; ++column) {  // x goes along the last axis
            const double term = factors[column] * place_on(place[axes - column], size[1 + axes - column], aligned);
            answer.value = answer.value.hi + term;
            answer.magnitude += std::fabs(term);
        }
        answer.rounds_terms = true;
        made.elements.push_back(answer);
    }
    return {made};
}

// ------------------------------------------------------------------------------------------------- samples

// Returns which element an index means on an axis, or -1 for none.
int64_t element_at(int64_t index, int64_t extent, const std::string& padding, bool aligned)
{
    if (padding == "zeros")
        return index >= 0 && index < extent ? index : -1;
    if (padding == "border")
        return std::clamp<int64_t>(index, 0, extent - 1);
    while (index < 0 || index >= extent) {  // an edge in the middle of elements is passed once, one between them counts twice
        if (extent == 1)
            return 0;
        index = index < 0 ? -index - (aligned ? 0 : 1) : 2 * extent - index - (aligned ? 2 : 1);
    }
    return index;
}

double cubic(double distance)
{
    const double a = -0.75, d = std::fabs(distance);
    if (d <= 1)
        return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

struct Sampled {
    int64_t index = 0;
    double weight = 1;
};

std::vector<Sampled> taps_of(double place, const std::string& mode)
{
    if (mode == "nearest")
        return {{int64_t(std::nearbyint(place))}};
    const double first = std::floor(place);
    std::vector<Sampled> taps;
    const bool is_cubic = mode.ends_with("cubic");
    for (int64_t i = is_cubic ? -1 : 0; i < (is_cubic ? 3 : 2); ++i) {
        const double distance = place - first - double(i);
        taps.push_back({int64_t(first) + i, is_cubic ? cubic(distance) : 1 - std::fabs(distance)});
    }
    return taps;
}

Answers grid_sample(const CompositeProblem& problem)
{
    const RealTensor &x = problem.inputs[0], &grid = problem.inputs[1];
    const std::string mode = problem.attribute<std::string>("mode", "linear");
    const std::string padding = problem.attribute<std::string>("padding_mode", "zeros");
    const bool aligned = problem.attribute<int64_t>("align_corners", 0) == 1;
    const List &dims = x.desc.dims, &places = grid.desc.dims;
    const size_t axes = dims.size() - 2;
    CompositeAnswers made = {.output = {.dtype = x.desc.dtype, .dims = {dims[0], dims[1]}}};
    made.output.dims.insert(made.output.dims.end(), places.begin() + 1, places.end() - 1);
    for (int64_t i = 0; i < elements_of(made.output); ++i) {
        const List at = coordinates_of(i, made.output.dims);
        List of_grid = at;
        of_grid.erase(of_grid.begin() + 1);
        of_grid.push_back(0);
        std::vector<std::vector<Sampled>> taps;
        for (size_t axis = 0; axis < axes; ++axis) {
            of_grid.back() = int64_t(axes - 1 - axis);
            const double number = grid.values[size_t(index_of(of_grid, places))], extent = double(dims[2 + axis]);
            taps.push_back(taps_of(aligned ? (number + 1) / 2 * (extent - 1) : ((number + 1) * extent - 1) / 2, mode));
        }
        Answer answer;
        std::vector<size_t> chosen(axes);
        for (bool is_left = true; is_left;) {
            List element = {at[0], at[1]};
            double weight = 1;
            for (size_t axis = 0; axis < axes; ++axis) {
                const Sampled& tap = taps[axis][chosen[axis]];
                element.push_back(element_at(tap.index, dims[2 + axis], padding, aligned));
                weight *= tap.weight;
            }
            const bool is_there = *std::min_element(element.begin(), element.end()) >= 0;
            if (is_there && !x.words.empty())
                answer.word = x.words[size_t(index_of(element, dims))];
            else if (is_there) {
                const double term = weight * x.values[size_t(index_of(element, dims))];
                answer.value = answer.value.hi + term;
                answer.magnitude += std::fabs(term);
            } else if (!x.words.empty()) {
                answer.word = 0;
            }
            is_left = false;
            for (size_t axis = axes; axis-- > 0 && !is_left;) {
                is_left = ++chosen[axis] < taps[axis].size();
                if (!is_left)
                    chosen[axis] = 0;
            }
        }
        if (mode != "nearest") {  // weights are polynomials, of which four are multiplied at most
            answer.magnitude = answer.magnitude * 2 + 1;
            answer.taps = 64;
            answer.rounds_terms = true;
        }
        made.elements.push_back(answer);
    }
    return {made};
}

// ------------------------------------------------------------------------------------------------- pools

Answer root_answer(double sum, int64_t p, int64_t terms)
{
    Answer answer = {.value = std::pow(sum, 1 / double(p))};
    answer.magnitude = answer.value.hi;
    answer.taps = terms + (p > 2 ? 64 : 4);  // a power may be off by several units in the last place
    answer.rounds_terms = true;
    return answer;
}

Answers lp_pool(const CompositeProblem& problem)
{
    const RealTensor& x = problem.inputs[0];
    const List& dims = x.desc.dims;
    const size_t axes = dims.size() - 2;
    const int64_t p = problem.attribute<int64_t>("p", 2);
    const List kernel = problem.attribute<Ints>("kernel_shape", {});
    const List strides = problem.attribute<Ints>("strides", Ints(axes, 1));
    const List dilations = problem.attribute<Ints>("dilations", Ints(axes, 1));
    List pads = problem.attribute<Ints>("pads", Ints(2 * axes, 0));
    const std::string auto_pad = problem.attribute<std::string>("auto_pad", "NOTSET");
    const bool rounds_up = problem.attribute<int64_t>("ceil_mode", 0) == 1;
    CompositeAnswers made = {.output = {.dtype = x.desc.dtype, .dims = {dims[0], dims[1]}}};
    for (size_t i = 0; i < axes; ++i) {
        const int64_t in = dims[2 + i], reach = dilations[i] * (kernel[i] - 1) + 1;
        if (auto_pad.starts_with("SAME")) {
            const int64_t total = std::max<int64_t>(((in + strides[i] - 1) / strides[i] - 1) * strides[i] + reach - in, 0);
            pads[i] = auto_pad == "SAME_UPPER" ? total / 2 : (total + 1) / 2;
            pads[axes + i] = total - pads[i];
        }
        const int64_t room = in + pads[i] + pads[axes + i] - reach;
        int64_t out = room / strides[i] + 1;
        if (rounds_up && auto_pad == "NOTSET" && room % strides[i] != 0 && out * strides[i] < in + pads[i])
            ++out;
        made.output.dims.push_back(out);
    }
    for (int64_t i = 0; i < elements_of(made.output); ++i) {
        const List at = coordinates_of(i, made.output.dims);
        double sum = 0;
        int64_t terms = 0;
        for (int64_t element = 0; element < elements_of(x.desc); ++element) {
            const List place = coordinates_of(element, dims);
            bool is_in = place[0] == at[0] && place[1] == at[1];
            for (size_t axis = 0; axis < axes && is_in; ++axis) {
                const int64_t from = place[2 + axis] - at[2 + axis] * strides[axis] + pads[axis];
                is_in = from >= 0 && from % dilations[axis] == 0 && from / dilations[axis] < kernel[axis];
            }
            if (is_in) {
                sum += std::pow(std::fabs(x.values[size_t(element)]), double(p));
                ++terms;
            }
        }
        made.elements.push_back(root_answer(sum, p, terms));
    }
    return {made};
}

Answers global_lp_pool(const CompositeProblem& problem)
{
    const RealTensor& x = problem.inputs[0];
    const List& dims = x.desc.dims;
    const int64_t p = problem.attribute<int64_t>("p", 2);
    CompositeAnswers made = {.output = {.dtype = x.desc.dtype, .dims = List(dims.size(), 1)}};
    made.output.dims[0] = dims[0];
    made.output.dims[1] = dims[1];
    const int64_t channels = dims[0] * dims[1], each = channels == 0 ? 0 : elements_of(x.desc) / channels;
    for (int64_t channel = 0; channel < channels; ++channel) {
        double sum = 0;
        for (int64_t i = 0; i < each; ++i)
            sum += std::pow(std::fabs(x.values[size_t(channel * each + i)]), double(p));
        made.elements.push_back(root_answer(sum, p, each));
    }
    return {made};
}

}  // namespace

std::vector<CompositeAnswers> reference_sampling(const CompositeProblem& problem)
{
    if (problem.op_type == "AffineGrid")
        return affine_grid(problem);
    if (problem.op_type == "GridSample")
        return grid_sample(problem);
    return problem.op_type == "LpPool" ? lp_pool(problem) : global_lp_pool(problem);
}

}  // namespace vkonnx::kit
