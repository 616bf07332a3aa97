// SPDX-License-Identifier: Apache-2.0
#include "graph/composites/einsum_equation.h"

#include <algorithm>
#include <optional>

#include "graph/quote.h"
#include "return_if_error.h"

namespace vkonnx::graph {
namespace {

constexpr char ellipsis = '.';  // stands for "..." in a term that is read

bool is_letter(int label)
{
    return (label >= 'A' && label <= 'Z') || (label >= 'a' && label <= 'z');
}

std::string in_quotes(int label)
{
    return {'\'', char(label), '\''};
}

class EquationReader {
public:
    EquationReader(std::string_view equation, std::span<const TensorDesc> inputs) : equation_(equation), inputs_(inputs) {}

    Result<Equation> run()
    {
        std::string text(equation_);
        std::erase(text, ' ');
        const size_t arrow = text.find("->");
        VKONNX_RETURN_IF_ERROR(read_inputs(text.substr(0, arrow)));
        VKONNX_RETURN_IF_ERROR(count_ellipsis());
        for (size_t i = 0; i < inputs_.size(); ++i)
            VKONNX_RETURN_IF_ERROR(tie(i));
        if (arrow == std::string::npos) {
            imply_output();
            return std::move(made_);
        }
        Status status = read_output(text.substr(arrow + 2));
        return status ? Result(std::move(made_)) : status;
    }

private:
    Status refuse(const std::string& what) const { return Status(Code::invalid_argument, about(equation_) + what); }

    Result<std::string> read_term(std::string_view text) const
    {
        std::string term;
        for (size_t i = 0; i < text.size(); ++i) {
            if (text.substr(i, 3) == "...") {
                if (term.find(ellipsis) != std::string::npos)
                    return refuse("has '...' twice in a term, expected once at most");
                term += ellipsis;
                i += 2;
            } else if (is_letter(text[i])) {
                term += text[i];
            } else {
                return refuse("has " + quote(text.substr(i, 1)) +
                              " where it does not belong, expected letters, '...', ',' between the inputs and one '->'");
            }
        }
        return term;
    }

    Status read_inputs(std::string_view text)
    {
        for (size_t at = 0; at <= text.size();) {
            const size_t end = std::min(text.find(',', at), text.size());
            Result<std::string> term = read_term(text.substr(at, end - at));
            VKONNX_RETURN_IF_ERROR(term.status());
            terms_.push_back(std::move(*term));
            at = end + 1;
        }
        if (terms_.size() == inputs_.size())
            return {};
        return refuse("has " + std::to_string(terms_.size()) + " terms in front of '->', expected " +
                      std::to_string(inputs_.size()) + ", one for each input of the node");
    }

    // Counts the axes that "..." stands for.
    Status count_ellipsis()
    {
        std::optional<size_t> first;
        for (size_t i = 0; i < inputs_.size(); ++i) {
            const size_t rank = inputs_[i].dims.size();
            const bool has = terms_[i].find(ellipsis) != std::string::npos;
            const size_t letters = terms_[i].size() - has;
            if (letters > rank || (!has && letters < rank))
                return refuse("has " + std::to_string(letters) + " labels" + (has ? " beside '...'" : "") + " for input " +
                              std::to_string(i) + ", expected " + (has ? "at most " : "") + std::to_string(rank) +
                              ", because it is " + to_string(inputs_[i]));
            if (!has)
                continue;
            if (first && axes_ != rank - letters)
                return refuse("has '...' for " + std::to_string(axes_) + " axes of input " + std::to_string(*first) +
                              " and for " + std::to_string(rank - letters) + " of input " + std::to_string(i) +
                              ", expected as many in all inputs");
            axes_ = rank - letters;
            first = first.value_or(i);
        }
        return {};
    }

    // Returns the labels of a term, with those of the axes that "..." stands for.
    Labels labels_of(std::string_view term) const
    {
        Labels labels;
        for (const char c : term) {
            if (c != ellipsis)
                labels.push_back(c);
            for (size_t i = 0; c == ellipsis && i < axes_; ++i)
                labels.push_back(int(i));
        }
        return labels;
    }

    Status tie(size_t input)
    {
        Labels labels = labels_of(terms_[input]);
        for (size_t axis = 0; axis < labels.size(); ++axis) {
            const int64_t own = inputs_[input].dims[axis];
            const int label = labels[axis];
            int64_t& extent = made_.extents.try_emplace(label, own).first->second;
            const bool broadcasts = !is_letter(label) && (own == 1 || extent == 1);
            if (own != extent && !broadcasts)
                return refuse(
                    (is_letter(label) ? "has label " + in_quotes(label) : "has axis " + std::to_string(label) + " of '...'") +
                    " with extent " + std::to_string(extent) + " and, in input " + std::to_string(input) + ", with extent " +
                    std::to_string(own) + ", expected equal ones" + (is_letter(label) ? "" : " or 1"));
            if (extent == 1)
                extent = own;
        }
        made_.inputs.push_back(std::move(labels));
        return {};
    }

    // The output has the axes of "..." first, and then the labels that occur once, in alphabetic order.
    void imply_output()
    {
        for (const auto& [label, extent] : made_.extents) {
            ptrdiff_t uses = 0;
            for (const Labels& labels : made_.inputs)
                uses += std::count(labels.begin(), labels.end(), label);
            if (uses == 1 || !is_letter(label))
                made_.output.push_back(label);
        }
    }

    Status read_output(std::string_view text)
    {
        const Result<std::string> term = read_term(text);
        VKONNX_RETURN_IF_ERROR(term.status());
        if (axes_ > 0 && term->find(ellipsis) == std::string::npos)
            return refuse("has no '...' behind '->', expected one, because it stands for " + std::to_string(axes_) +
                          " axes of the inputs");
        for (const int label : labels_of(*term)) {
            if (!made_.extents.contains(label))
                return refuse("has label " + in_quotes(label) + " behind '->', expected only labels that inputs have");
            if (std::find(made_.output.begin(), made_.output.end(), label) != made_.output.end())
                return refuse("has label " + in_quotes(label) + " twice behind '->', expected each once");
            made_.output.push_back(label);
        }
        return {};
    }

    std::string_view equation_;
    std::span<const TensorDesc> inputs_;
    std::vector<std::string> terms_;
    size_t axes_ = 0;  // that "..." stands for
    Equation made_;
};

}  // namespace

std::string about(std::string_view equation)
{
    return "equation " + quote(equation) + " ";
}

Result<Equation> read_equation(std::string_view equation, std::span<const TensorDesc> inputs)
{
    return EquationReader(equation, inputs).run();
}

}  // namespace vkonnx::graph
