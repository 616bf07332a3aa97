#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "kit/einsum.h"
#include "kit/elements.h"

namespace vkonnx::kit {
namespace {

// Splits "ij, ...j" into "ij" and "01j": a digit stands for each of the axes that "..." stands for, of which there are so many.
std::vector<std::string> terms_of(std::string_view text, size_t ellipsis_axes)
{
    std::vector<std::string> terms(1);
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == ',')
            terms.emplace_back();
        else if (text[i] == '.')
            terms.back().append(std::string("0123456789").substr(0, ellipsis_axes));
        else if (text[i] != ' ')
            terms.back() += text[i];
        i += text[i] == '.' ? 2 : 0;
    }
    return terms;
}

size_t count_ellipsis_axes(std::string_view inputs, std::span<const RealTensor> tensors)
{
    size_t term = 0, letters = 0, axes = 0;
    bool has_dots = false;
    for (size_t i = 0; i <= inputs.size(); ++i) {
        const char c = i < inputs.size() ? inputs[i] : ',';
        has_dots |= c == '.';
        letters += c != ',' && c != '.' && c != ' ';
        if (c != ',')
            continue;
        if (has_dots)
            axes = tensors[term].desc.dims.size() - letters;
        ++term;
        letters = 0;
        has_dots = false;
    }
    return axes;
}

std::string implicit_output(const std::vector<std::string>& terms)
{
    std::string all, output;
    for (const std::string& term : terms)
        all += term;
    std::sort(all.begin(), all.end());
    for (const char c : all)
        if (output.find(c) == std::string::npos && (c <= '9' || std::count(all.begin(), all.end(), c) == 1))
            output += c;
    return output;
}

using Places = std::map<char, int64_t>;

size_t index_of_term(const std::string& term, const std::vector<int64_t>& dims, const Places& places)
{
    int64_t index = 0;
    for (size_t axis = 0; axis < term.size(); ++axis)
        index = index * dims[axis] + (dims[axis] == 1 ? 0 : places.at(term[axis]));
    return size_t(index);
}

// Goes to the next place on these axes, the last one first. It returns false behind the last place, and is at the first one then.
bool advance(const std::string& axes, const std::map<char, int64_t>& extents, Places& places)
{
    for (size_t i = axes.size(); i-- > 0;) {
        if (++places[axes[i]] < extents.at(axes[i]))
            return true;
        places[axes[i]] = 0;
    }
    return false;
}

// Adds the product of one element of each input.
void add_product(Answer& sum, const std::vector<std::string>& terms, std::span<const RealTensor> inputs, const Places& places)
{
    DoubleDouble product(1);
    uint64_t word = 1;
    for (size_t i = 0; i < inputs.size(); ++i) {
        const size_t index = index_of_term(terms[i], inputs[i].desc.dims, places);
        if (sum.word)
            word *= inputs[i].words[index];
        else
            product = product * DoubleDouble(inputs[i].values[index]);
    }
    if (sum.word)
        *sum.word += word;
    sum.value = sum.value + product;
    sum.magnitude += std::fabs(product.hi);
    ++sum.taps;
}

}  // namespace

EinsumAnswers reference_einsum(std::string_view equation, std::span<const RealTensor> inputs)
{
    const size_t arrow = equation.find("->");
    const std::string_view left = equation.substr(0, arrow);
    const size_t ellipsis_axes = count_ellipsis_axes(left, inputs);
    const std::vector<std::string> terms = terms_of(left, ellipsis_axes);
    const std::string output =
        arrow == std::string_view::npos ? implicit_output(terms) : terms_of(equation.substr(arrow + 2), ellipsis_axes)[0];
    std::map<char, int64_t> extents;
    for (size_t i = 0; i < terms.size(); ++i)
        for (size_t axis = 0; axis < terms[i].size(); ++axis)
            if (int64_t& extent = extents.try_emplace(terms[i][axis], 1).first->second; extent == 1)
                extent = inputs[i].desc.dims[axis];
    std::string sums;
    Places places;
    bool adds = true;
    for (const auto& [label, extent] : extents) {
        places[label] = 0;
        if (output.find(label) != std::string::npos)
            continue;
        sums += label;
        adds &= extent > 0;
    }
    EinsumAnswers answers;
    answers.output.dtype = inputs[0].desc.dtype;
    int64_t elements = 1;
    for (const char label : output) {
        answers.output.dims.push_back(extents.at(label));
        elements *= extents.at(label);
    }
    for (int64_t i = 0; i < elements; ++i) {
        Answer answer;
        if (is_integer(answers.output.dtype))
            answer.word = 0;
        if (adds)
            do
                add_product(answer, terms, inputs, places);
            while (advance(sums, extents, places));
        if (answer.word)
            answer.word = normalized(answers.output.dtype, *answer.word);
        answers.elements.push_back(answer);
        advance(output, extents, places);
    }
    return answers;
}

}  // namespace vkonnx::kit
