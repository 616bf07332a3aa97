// vkonnx-problems DIRECTORY COUNT [SEED] writes random problems as ONNX backend test folders, for tools/compare_onnxruntime.py.
//
// DIRECTORY/0007_average_pool holds model.onnx, the inputs and problem.txt: the problem as a case's line, and what the
// specification's rules make of it. The reference answers by the rules onnxruntime: either test_data_set_0/output_0.pb or
// refused.txt, with its sentence.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>

#include "console.h"
#include "kit/draw.h"
#include "kit/elements.h"
#include "kit/onnx_builder.h"

namespace vkonnx::kit {
namespace {

namespace fs = std::filesystem;

// Returns a node's attribute, or "" where it is not given.
std::string attribute(std::string_view name, const std::vector<int64_t>& list)
{
    return list.empty() ? std::string() : ints_attribute(name, list);
}

std::string attribute(std::string_view name, const std::vector<float>& list)
{
    return list.empty() ? std::string() : floats_attribute(name, list);
}

std::string attribute(std::string_view name, int64_t value)
{
    return int_attribute(name, value);
}

std::string attribute(std::string_view name, std::optional<int64_t> value)
{
    return value ? int_attribute(name, *value) : std::string();
}

std::string attribute(std::string_view name, std::optional<float> value)
{
    return value ? float_attribute(name, *value) : std::string();
}

template <class Value>
std::string attribute(std::string_view name, const std::vector<Value>& list, Spellings<Value> spellings)
{
    std::vector<std::string> words;
    for (const Value value : list)
        words.emplace_back(word_of(spellings, value));
    return words.empty() ? std::string() : strings_attribute(name, words);
}

template <class Value>
std::string attribute(std::string_view name, Value value, Spellings<Value> spellings)
{
    return string_attribute(name, word_of(spellings, value));
}

std::vector<std::string> all_attributes(const Operator& op)
{
    std::vector<std::string> all;
    fields(op, [&](std::string_view name, const auto&... rest) { all.push_back(attribute(name, rest...)); });
    return all;
}

// Returns the attributes that differ from their defaults. The others aren't written, so that both sides' defaults are compared,
// too.
std::vector<std::string> attributes_of(const Operator& op)
{
    const auto plain = [](const auto& one) -> Operator { return std::decay_t<decltype(one)>(); };
    const std::vector<std::string> defaults = all_attributes(std::visit(plain, op));
    std::vector<std::string> given;
    size_t index = 0;
    for (std::string& one : all_attributes(op))
        if (one != defaults[index++])
            given.push_back(std::move(one));
    return given;
}

// Tells whether a model file can hold the inputs: floats in ONNX's layout, and not too many of them, even where they are refused.
bool can_be_written(const Case& problem)
{
    constexpr int64_t most_elements = 50'000;
    return std::all_of(problem.inputs.begin(), problem.inputs.end(), [](const TensorDesc& input) {
        const Result<int64_t> count = element_count(input);
        const bool is_real = input.dtype == DType::float32 || input.dtype == DType::float16 || input.dtype == DType::bfloat16 ||
                             input.dtype == DType::float64;
        return is_real && input.layout == Layout::ncx && count && *count <= most_elements;
    });
}

// Tells whether ONNX Runtime lacks kernels for this type on the CPU. A few problems are enough to notice when it gets some.
bool is_rare_type(DType dtype)
{
    return dtype == DType::float64 || dtype == DType::bfloat16;
}

Case draw_problem(Draw& draw, const std::string& name)
{
    const bool is_pool = draw.one_in(2);
    for (;;) {
        Case problem = is_pool ? draw_average_pool(draw) : draw_conv_transpose(draw);
        problem.name = name;
        if (*rules_of(problem.attributes) == Rules::onnxruntime && can_be_written(problem) &&
            (!is_rare_type(problem.inputs[0].dtype) || draw.one_in(10)))
            return problem;
    }
}

std::string model_of(const Case& problem)
{
    const char* names[] = {"X", "W", "B"};
    ModelBuilder model;
    model.opset(*opset_of(problem.attributes));
    std::vector<std::string> inputs;
    for (size_t i = 0; i < problem.inputs.size(); ++i) {
        const TensorDesc& desc = problem.inputs[i];
        inputs.push_back(names[i]);
        model.input(names[i], desc.dtype, std::vector<Dim>(desc.dims.begin(), desc.dims.end()));
    }
    return model.node(std::string(name(problem.attributes)), inputs, {"Y"}, attributes_of(problem.attributes))
        .output("Y")
        .build();
}

// Returns the whole output, with each element rounded to its type.
Result<RealTensor> answer_to(const Case& problem, std::span<const RealTensor> inputs)
{
    const Result<Resolution> resolution = resolve(problem);
    if (!resolution)
        return resolution.status();
    const Result<int64_t> count = element_count(resolution->output);
    if (!count)
        return count.status();
    const auto answers = reference(problem, inputs, sample_of(resolution->output, std::max<int64_t>(*count, 1)));
    if (!answers)
        return answers.status();
    RealTensor output = {resolution->output, {}};
    for (const Answer& answer : *answers)
        output.values.push_back(rounded(output.desc.dtype, answer.value.hi));
    return output;
}

// Returns how the answer changes under the rules of the specification: see the rows of SEMANTICS marked [ORT].
std::string by_specification(Case problem, const Result<RealTensor>& by_onnxruntime, std::span<const RealTensor> inputs)
{
    *rules_of(problem.attributes) = Rules::specification;
    const Result<RealTensor> answer = answer_to(problem, inputs);
    if (!answer || !by_onnxruntime)
        return !answer && !by_onnxruntime ? "same" : answer ? "answers" : "refuses";
    if (answer->desc.dims != by_onnxruntime->desc.dims)
        return "other shape";
    return encoded(*answer) == encoded(*by_onnxruntime) ? "same" : "other values";
}

bool write(const fs::path& path, const std::string& content)
{
    std::ofstream file(path, std::ios::binary);
    file.write(content.data(), std::streamsize(content.size()));
    file.close();
    return !file.fail();
}

bool write_problem(const fs::path& folder, const Case& problem)
{
    const fs::path data = folder / "test_data_set_0";
    std::error_code error;
    fs::create_directories(data, error);
    if (error)
        return false;
    const std::vector<RealTensor> inputs = fill_inputs(problem, problem.fill);
    bool done = write(folder / "model.onnx", model_of(problem));
    for (size_t i = 0; i < inputs.size(); ++i)
        done = done && write(data / ("input_" + std::to_string(i) + ".pb"), raw_tensor("", inputs[i].desc, encoded(inputs[i])));
    const Result<RealTensor> answer = answer_to(problem, inputs);
    done = done && (answer ? write(data / "output_0.pb", raw_tensor("", answer->desc, encoded(*answer)))
                           : write(folder / "refused.txt", std::string(answer.status().message()) + "\n"));
    const std::string line = std::string(operator_of(problem)) + " " + to_string(problem);
    return done && write(folder / "problem.txt", line + "\nspecification: " + by_specification(problem, answer, inputs) + "\n");
}

// Returns the whole text as a whole number, or nothing where it is something else.
template <class Number>
std::optional<Number> number_of(std::string_view text)
{
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

int write_problems(int argc, char** argv)
{
    const auto count = argc >= 3 ? number_of<long>(argv[2]) : std::nullopt;
    const auto seed = argc == 4 ? number_of<uint32_t>(argv[3]) : std::nullopt;
    if (argc < 3 || argc > 4 || !count || *count < 1 || (argc == 4 && !seed)) {
        std::fprintf(stderr, "usage: vkonnx-problems DIRECTORY COUNT [SEED]\n");
        return 2;
    }
    if (std::error_code error; fs::exists(argv[1], error) && !fs::is_empty(argv[1], error)) {
        std::fprintf(stderr, "vkonnx-problems: %s is not empty\n", tools::visible(argv[1]).c_str());
        return 2;
    }
    Draw draw(seed ? *seed : std::random_device()());
    std::printf("%s\n", draw.repeat().c_str());
    for (long i = 0; i < *count; ++i) {
        char number[24];
        std::snprintf(number, sizeof number, "%04ld", i);
        const Case problem = draw_problem(draw, "drawn_" + std::string(number));
        const fs::path folder = fs::path(argv[1]) / (std::string(number) + "_" + std::string(operator_of(problem)));
        if (!write_problem(folder, problem)) {
            std::fprintf(stderr, "vkonnx-problems: cannot write %s\n", tools::visible(folder.string()).c_str());
            return 1;
        }
    }
    return 0;
}

}  // namespace
}  // namespace vkonnx::kit

int main(int argc, char** argv)
{
    return vkonnx::tools::tool_main(vkonnx::kit::write_problems, argc, argv);
}
