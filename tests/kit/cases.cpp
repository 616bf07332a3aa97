#include "kit/cases.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "kit/layout.h"
#include "kit/source_path.h"

namespace vkonnx::kit {
namespace {

// ---- words

Status bad(const std::string& sentence)
{
    return Status(Code::invalid_argument, sentence);
}

std::optional<int64_t> integer(std::string_view word)
{
    int64_t value = 0;
    const auto [stopped, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || stopped != word.data() + word.size())
        return std::nullopt;
    return value;
}

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> words;
    for (size_t from = 0; from <= text.size();) {
        const size_t to = std::min(text.find(separator, from), text.size());
        words.push_back(text.substr(from, to - from));
        from = to + 1;
    }
    return words;
}

// Reads numbers with a separator between them, such as "3,-1,2" or "3x5x7".
std::optional<std::vector<int64_t>> integers(std::string_view word, char separator)
{
    std::vector<int64_t> values;
    for (size_t from = 0; from <= word.size();) {
        const size_t to = std::min(word.find(separator, from), word.size());
        const auto value = integer(word.substr(from, to - from));
        if (!value)
            return std::nullopt;
        values.push_back(*value);
        from = to + 1;
    }
    return values;
}

std::string joined(const std::vector<int64_t>& values, char separator)
{
    std::string text;
    for (const int64_t value : values) {
        if (!text.empty())
            text += separator;
        text += std::to_string(value);
    }
    return text;
}

constexpr Spelling<Fill> fill_words[] = {
    {Fill::any, "any"},           {Fill::integers, "integers"},           {Fill::reals, "reals"}, {Fill::specials, "specials"},
    {Fill::positive, "positive"}, {Fill::negative_zero, "negative_zero"}, {Fill::large, "large"}, {Fill::denormals, "denormals"}};

template <class Value>
std::string_view printed(Spellings<Value> spellings, Value value)
{
    const std::string_view word = word_of(spellings, value);
    return word.empty() ? "?" : word;
}

// ---- keys: each knows how to read its word into a place and how to print the place, "" for what is not given

struct Key {
    std::string_view name;
    std::function<bool(std::string_view)> read;
    std::function<std::string()> print;
};

Key key_of(std::string_view name, std::vector<int64_t>& place)
{
    return {name,
            [&place](std::string_view word) {
                auto values = integers(word, ',');
                if (values)
                    place = std::move(*values);
                return values.has_value();
            },
            [&place] { return joined(place, ','); }};
}

Key key_of(std::string_view name, int64_t& place)
{
    return {name,
            [&place](std::string_view word) {
                const auto value = integer(word);
                place = value.value_or(place);
                return value.has_value();
            },
            [&place] { return std::to_string(place); }};
}

Key key_of(std::string_view name, std::optional<int64_t>& place)
{
    return {name,
            [&place](std::string_view word) {
                place = integer(word);
                return place.has_value();
            },
            [&place] { return place ? std::to_string(*place) : std::string(); }};
}

template <class Number>
std::string text_of(Number value)
{
    std::array<char, 40> text = {};
    return std::string(text.data(), std::to_chars(text.begin(), text.end(), value).ptr);
}

template <class Number>
bool read_number(std::string_view word, std::optional<Number>& place)
{
    Number value = 0;
    const auto [stopped, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = error == std::errc() && stopped == word.data() + word.size();
    if (whole)
        place = value;
    return whole;
}

Key key_of(std::string_view name, std::optional<float>& place)
{
    return {name, [&place](std::string_view word) { return read_number(word, place); },
            [&place] { return place ? text_of(*place) : std::string(); }};
}

Key key_of(std::string_view name, std::vector<float>& place)
{
    return {name,
            [&place](std::string_view word) {
                place.clear();
                for (size_t from = 0; from <= word.size();) {
                    const size_t to = std::min(word.find(',', from), word.size());
                    float value = 0;
                    const auto [stopped, error] = std::from_chars(word.data() + from, word.data() + to, value);
                    if (error != std::errc() || stopped != word.data() + to)
                        return false;
                    place.push_back(value);
                    from = to + 1;
                }
                return true;
            },
            [&place] {
                std::string text;
                for (const float value : place)
                    text += (text.empty() ? "" : ",") + text_of(value);
                return text;
            }};
}

template <class Value>
Key key_of(std::string_view name, std::vector<Value>& place, Spellings<Value> spellings)
{
    return {name,
            [&place, spellings](std::string_view words) {
                place.clear();
                for (const std::string_view word : split(words, ',')) {
                    const auto value = value_of(spellings, word);
                    if (!value)
                        return false;
                    place.push_back(*value);
                }
                return true;
            },
            [&place, spellings] {
                std::string text;
                for (const Value value : place)
                    text.append(text.empty() ? "" : ",").append(printed(spellings, value));
                return text;
            }};
}

template <class Value>
Key key_of(std::string_view name, Value& place, Spellings<Value> spellings)
{
    return {name,
            [&place, spellings](std::string_view word) {
                const auto value = value_of(spellings, word);
                place = value.value_or(place);
                return value.has_value();
            },
            [&place, spellings] { return std::string(printed(spellings, place)); }};
}

// ---- steps behind an elementwise operator

// Returns the attributes of a step that are numbers, with their names.
std::array<std::pair<std::string_view, std::optional<float> ElementwiseStep::*>, 5> attributes_of_steps()
{
    return {{{"alpha", &ElementwiseStep::alpha},
             {"beta", &ElementwiseStep::beta},
             {"min", &ElementwiseStep::min},
             {"max", &ElementwiseStep::max},
             {"gamma", &ElementwiseStep::gamma}}};
}

constexpr std::string_view approximate_is = "approximate=";
constexpr Spellings<GeluApproximation> approximations = gelu_approximation_words;

bool read_attribute(std::string_view word, ElementwiseStep& step)
{
    const size_t equals = word.find('=');
    for (const auto& attribute : attributes_of_steps())
        if (equals != word.npos && attribute.first == word.substr(0, equals))
            return read_number(word.substr(equals + 1), step.*attribute.second);
    if (!word.starts_with(approximate_is))
        return false;
    const auto value = value_of(approximations, word.substr(approximate_is.size()));
    step.approximate = value.value_or(step.approximate);
    return value.has_value();
}

bool read_step(std::string_view text, ElementwiseStep& step)
{
    const Spellings<ElementwiseKind> kinds = elementwise_words;
    std::vector<std::string_view> words = split(text, ':');
    std::optional<ElementwiseKind> kind = value_of(kinds, words[0]);
    if (!kind && words.size() > 1) {
        step.swapped = true;
        if (!words[0].empty() && !read_number(words[0], step.number))
            return false;
        words.erase(words.begin());
        kind = value_of(kinds, words[0]);
    }
    step.kind = kind.value_or(step.kind);
    for (size_t i = 1; kind && i < words.size(); ++i)
        if (!read_attribute(words[i], step) && (step.number || !read_number(words[i], step.number)))
            return false;
    return kind.has_value();
}

std::string printed_step(const ElementwiseStep& step)
{
    const std::string number = step.number ? text_of(*step.number) : "";
    std::string text = step.swapped ? number + ":" : "";
    text += printed(Spellings<ElementwiseKind>(elementwise_words), step.kind);
    if (step.number && !step.swapped)
        text += ":" + number;
    for (const auto& attribute : attributes_of_steps())
        if (const std::optional<float>& value = step.*attribute.second)
            text.append(":").append(attribute.first).append("=").append(text_of(*value));
    if (step.approximate != GeluApproximation::none)
        text.append(":").append(approximate_is).append(printed(approximations, step.approximate));
    return text;
}

Key key_of(std::string_view name, std::vector<ElementwiseStep>& place)
{
    return {name,
            [&place](std::string_view text) {
                place.clear();
                for (const std::string_view word : split(text, ','))
                    if (!read_step(word, place.emplace_back()))
                        return false;
                return true;
            },
            [&place] {
                std::string text;
                for (const ElementwiseStep& step : place)
                    text += (text.empty() ? "" : ",") + printed_step(step);
                return text;
            }};
}

// This struct holds a tensor's dimensions. `given` tells whether the key was there.
struct DimsPlace {
    bool given = false;
    std::vector<int64_t> dims = {};
};

Key dims_key(std::string_view name, DimsPlace& place)
{
    return {name,
            [&place](std::string_view word) {
                place.given = true;
                if (word == "scalar" || word.empty()) {
                    place.dims.clear();
                    return word == "scalar";
                }
                auto dims = integers(word, 'x');
                if (dims)
                    place.dims = std::move(*dims);
                return dims.has_value();
            },
            [&place] {
                if (!place.given)
                    return std::string();
                return place.dims.empty() ? std::string("scalar") : joined(place.dims, 'x');
            }};
}

Key type_key(std::string_view name, DType& place)
{
    return {name,
            [&place](std::string_view word) {
                for (int number = 0; number <= int(DType::int2); ++number)
                    if (vkonnx::name(DType(number)) == word) {
                        place = DType(number);
                        return true;
                    }
                return false;
            },
            [&place] { return std::string(vkonnx::name(place)); }};
}

// Returns the keys of the attributes, words behind numbers, and then keys of what is no attribute. A kind, which is none either,
// comes first.
std::vector<Key> operator_keys(Operator& op)
{
    std::vector<Key> keys, words;
    if (auto* elementwise = std::get_if<Elementwise>(&op))
        keys.push_back(key_of("op", elementwise->kind, Spellings<ElementwiseKind>(elementwise_words)));
    fields(op, [&](std::string_view name, auto& place, auto... spellings) {
        (sizeof...(spellings) > 0 ? words : keys).push_back(key_of(name, place, spellings...));
    });
    keys.insert(keys.end(), words.begin(), words.end());
    if (auto* elementwise = std::get_if<Elementwise>(&op))
        keys.push_back(key_of("steps", elementwise->steps));
    if (int64_t* opset = opset_of(op))
        keys.push_back(key_of("opset", *opset));
    if (int64_t* outputs = outputs_of(op))
        keys.push_back(key_of("outputs", *outputs));
    if (Rules* rules = rules_of(op))
        keys.push_back(key_of("rules", *rules, Spellings<Rules>(rules_words)));
    return keys;
}

// ---- operators: what their lines are made of

// Returns the operator at an index of the variant Operator, with the default attributes.
const Operator& default_of(size_t index)
{
    return *std::ranges::find(every_operator(), index, &Operator::index);
}

template <class... Op>
bool is_any_of(const Operator& op)
{
    return (std::holds_alternative<Op>(op) || ...);
}

// This struct tells how an operator's lines are written: the file's stem, and the keys of the inputs, of which the first
// `required` must be there.
struct LineFormat {
    std::string stem;
    std::vector<std::string> inputs;
    size_t required = 1;
    bool has_layout = false;  // whether there is a key for X's layout
    // Input i has the type of input typed_by[i], whose key is type_keys[typed_by[i]]: "type" for the first input, and
    // "scale_type" for BatchNormalization's scale and B. Both lists follow from the type constraints of the newest version.
    std::vector<size_t> typed_by;
    std::vector<std::string> type_keys;
};

constexpr size_t most_inputs = 16;  // that a line can name

// "DepthToSpace" becomes depth_to_space, "LRN" lrn, and "IsNaN" is_nan: a capital at the end begins no word.
std::string snake_case(std::string_view name)
{
    std::string words;
    for (size_t i = 0; i < name.size(); ++i) {
        const bool begins_word =
            i > 0 && i + 1 < name.size() && std::islower(uint8_t(name[i - 1])) && std::isupper(uint8_t(name[i]));
        words.append(begins_word ? "_" : "").push_back(char(std::tolower(uint8_t(name[i]))));
    }
    return words;
}

// Returns an input's key: the name in the ONNX document in lower case. An input that is called input or data there is X here.
std::string key_of_input(std::string_view name)
{
    if (name == "input" || name == "data")
        return "x";
    const std::string key = snake_case(name);
    return key.starts_with("input_") ? key.substr(6) : key;
}

// Returns the description of an input in the newest version. Only inputs that `prepare` counts have an index.
const Schema::Input& input_of(const Operator& op, size_t index)
{
    const std::vector<std::string_view> names = signature(op)->inputs;
    const Schema::Input* newest = nullptr;
    for (const Schema::Input& input : schema(op)->inputs)
        if (input.name == names[std::min(index, names.size() - 1)] && input.member.empty())
            newest = &input;
    return *newest;
}

// Adds a key for the type of each input whose type constraint differs from that of the first.
void add_types(LineFormat& format, const Operator& op)
{
    std::vector<std::string_view> constraints;
    for (size_t i = 0; i < format.inputs.size(); ++i) {
        const bool is_elementwise = std::holds_alternative<Elementwise>(op);  // its inputs depend on its kind
        constraints.push_back(is_elementwise ? std::string_view() : input_of(op, i).type_constraint);
        format.typed_by.push_back(size_t(std::ranges::find(constraints, constraints[i]) - constraints.begin()));
        format.type_keys.push_back(i == 0 ? "type" : format.inputs[i] + "_type");
    }
}

LineFormat made_format(const Operator& op)
{
    const bool named_by_letters = is_any_of<Elementwise, Transpose, Slice, Pad, Concat, Split, DepthToSpace>(op);
    const bool is_elementwise = std::holds_alternative<Elementwise>(op);
    LineFormat format;
    if (std::holds_alternative<MatMul>(op))
        format.stem = "matmul";
    else if (is_elementwise)
        format.stem = "elementwise";
    else
        format.stem = (domain(op) == onednn::ConvTranspose::domain ? "onednn_" : "") + snake_case(name(op));
    Signature has = *signature(op);
    if (is_elementwise)
        has.most_inputs = most_inputs;  // which some kinds take
    format.required = has.least_inputs;
    if (!named_by_letters)
        for (const std::string_view input : has.inputs)
            format.inputs.push_back(key_of_input(input));
    else
        for (size_t i = 0; i < std::min(has.most_inputs, most_inputs); ++i)
            format.inputs.emplace_back(1, char('a' + i));
    format.has_layout = !is_any_of<Shape, onednn::ConvTranspose, RNN, GRU, LSTM>(op) && format.inputs.front() == "x";
    add_types(format, op);
    return format;
}

const LineFormat& format_of(const Operator& op)
{
    static const std::vector<LineFormat> formats = [] {
        std::vector<LineFormat> all;
        for (size_t index = 0; index < std::variant_size_v<Operator::variant>; ++index)
            all.push_back(made_format(default_of(index)));
        return all;
    }();
    return formats[op.index()];
}

// Returns M, the number of output channels, as W's dimensions give it. A key `b` without a value is a bias of this length.
int64_t channels_out(const ConvTranspose& op, const std::vector<int64_t>& w)
{
    return w[1] * op.group;
}

int64_t channels_out(const Conv&, const std::vector<int64_t>& w)
{
    return w[0];
}

int64_t channels_out(const onednn::ConvTranspose& op, const std::vector<int64_t>& w)
{
    return w[places_of(op.filter_format, w.size() - 2).out] * op.groups;
}

// This struct has all keys of an operator, and the places where a line's values are kept while it is read or printed.
struct Line {
    Case problem = {};
    std::array<DType, most_inputs> types = {DType::float32};  // undefined ones behind the first mean usual_type
    Layout layout = Layout::ncx;
    std::array<DimsPlace, most_inputs> dims = {};

    // Returns the input that gives this one its type.
    size_t typed_by(size_t input) const
    {
        const auto* elementwise = std::get_if<Elementwise>(&problem.attributes);
        const bool is_exponent = elementwise && elementwise->kind == ElementwiseKind::pow && input == 1;
        return is_exponent ? 1 : format_of(problem.attributes).typed_by[input];
    }

    DType type_of(size_t input) const
    {
        const size_t key = typed_by(input);
        return key == 0 || types[key] != DType::undefined ? types[key] : usual_type(problem.attributes, input, types[0]);
    }

    std::vector<Key> keys()
    {
        std::vector<Key> keys;
        const LineFormat& format = format_of(problem.attributes);
        for (size_t i = 0; i < format.inputs.size(); ++i)
            keys.push_back(dims_key(format.inputs[i], dims[i]));
        for (size_t i = 0; i < format.inputs.size(); ++i)
            if (format.typed_by[i] == i)
                keys.push_back(type_key(format.type_keys[i], types[i]));
        if (std::holds_alternative<Elementwise>(problem.attributes))
            keys.push_back(type_key("exponent", types[1]));
        if (format.has_layout)
            keys.push_back(key_of("layout", layout, Spellings<Layout>(layout_words)));
        const std::vector<Key> own = operator_keys(problem.attributes);
        keys.insert(keys.end(), own.begin(), own.end());
        keys.push_back(key_of("fill", problem.fill, Spellings<Fill>(fill_words)));
        return keys;
    }

    // Returns the dimensions of the bias, or null where the operator has none.
    DimsPlace* bias() { return bias_length() ? &dims[2] : nullptr; }

    std::optional<int64_t> bias_length() const
    {
        const auto length = [&](const auto& op) -> std::optional<int64_t> {
            const std::vector<int64_t>& w = dims[1].dims;
            if constexpr (requires { channels_out(op, w); })
                return w.size() < 2 ? 0 : channels_out(op, w);
            else
                return std::nullopt;
        };
        return std::visit(length, problem.attributes);
    }
};

bool is_name(std::string_view word)
{
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    return !word.empty() && std::all_of(word.begin(), word.end(), fits);
}

Status read_word(std::vector<Key>& keys, std::set<std::string_view>& seen, std::string_view word, bool has_bias)
{
    const size_t equals = word.find('=');
    const std::string_view key_name = word.substr(0, equals);
    const auto key = std::find_if(keys.begin(), keys.end(), [&](const Key& known) { return known.name == key_name; });
    if (key == keys.end())
        return bad("unknown key '" + std::string(key_name) + "'");
    if (!seen.insert(key->name).second)
        return bad("key '" + std::string(key_name) + "' is given twice");
    if (equals == std::string_view::npos)
        return has_bias && key_name == "b" ? Status() : bad("key '" + std::string(key_name) + "' needs a value");
    if (!key->read(word.substr(equals + 1)))
        return bad("value '" + std::string(word.substr(equals + 1)) + "' does not fit key '" + std::string(key_name) + "'");
    return Status();
}

}  // namespace

std::string_view name(Fill fill)
{
    return printed(Spellings<Fill>(fill_words), fill);
}

std::string_view operator_of(const Case& problem)
{
    return format_of(problem.attributes).stem;
}

std::string to_string(const Case& problem)
{
    Line line = {.problem = problem};
    if (!problem.inputs.empty()) {
        line.types[0] = problem.inputs[0].dtype;
        line.layout = problem.inputs[0].layout;
    }
    for (size_t i = 0; i < std::min(problem.inputs.size(), format_of(problem.attributes).inputs.size()); ++i) {
        const DType type = problem.inputs[i].dtype;
        const bool has_own = line.typed_by(i) != 0 && type != DType::undefined;  // another type without a key: not given
        if (has_own && type != usual_type(problem.attributes, i, line.types[0]))
            line.types[line.typed_by(i)] = type;
        line.dims[i] = {has_own || type == line.types[0], problem.inputs[i].dims};
    }
    Line plain = {.problem = {.attributes = default_of(problem.attributes.index())}};
    plain.types[0] = usual_type(plain.problem.attributes, 0, DType::float32);
    const std::vector<Key> keys = line.keys(), defaults = plain.keys();
    std::string text = problem.name;
    for (size_t i = 0; i < keys.size(); ++i) {
        const DimsPlace* bias = line.bias();
        const bool bare = bias && keys[i].name == "b" && bias->given && bias->dims == std::vector<int64_t>{*line.bias_length()};
        const std::string value = keys[i].print();
        if (value != defaults[i].print())
            text.append(" ").append(keys[i].name).append(bare ? "" : "=").append(bare ? "" : value);
    }
    return text;
}

Result<Case> parse_case(std::string_view operator_name, std::string_view text)
{
    Line line;
    const std::span<const Operator> all = every_operator();
    const auto known = std::ranges::find(all, operator_name, [](const Operator& op) { return format_of(op).stem; });
    if (known == all.end())
        return bad("unknown operator '" + std::string(operator_name) + "'");
    line.problem.attributes = *known;
    line.types[0] = usual_type(*known, 0, DType::float32);

    const size_t hash = std::min(text.find('#'), text.size());
    const size_t reason = text.find_first_not_of(" \t", hash + 1);
    if (reason != std::string_view::npos)
        line.problem.why = text.substr(reason, text.find_last_not_of(" \t\r") + 1 - reason);

    std::istringstream words{std::string(text.substr(0, hash))};
    words >> line.problem.name;
    if (!is_name(line.problem.name))
        return bad("'" + line.problem.name + "' is no case name: lower case letters, digits and '_' are");
    std::vector<Key> keys = line.keys();
    std::set<std::string_view> seen;
    for (std::string word; words >> word;)
        if (Status status = read_word(keys, seen, word, line.bias() != nullptr); !status)
            return bad("case '" + line.problem.name + "': " + std::string(status.message()));

    if (DimsPlace* bias = line.bias(); bias && seen.count("b") && !bias->given)
        *bias = {true, {*line.bias_length()}};
    const LineFormat& format = format_of(line.problem.attributes);
    for (size_t i = 0; i < format.required; ++i)
        if (!line.dims[i].given)
            return bad("case '" + line.problem.name + "': key '" + std::string(format.inputs[i]) + "' is missing");
    size_t count = format.inputs.size();
    while (!line.dims[count - 1].given)
        --count;
    for (size_t i = 0; i < count; ++i)
        line.problem.inputs.push_back(line.dims[i].given ? TensorDesc{line.type_of(i), line.dims[i].dims}
                                                         : TensorDesc{DType::undefined, {}});
    line.problem.inputs[0].layout = line.layout;
    return std::move(line.problem);
}

Result<std::vector<Case>> parse_cases(std::string_view operator_name, std::string_view text)
{
    std::vector<Case> cases;
    std::set<std::string> names;
    std::istringstream lines{std::string(text)};
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const size_t first = line.find_first_not_of(" \t\r");
        if (first == std::string::npos || line[first] == '#')
            continue;
        Result<Case> parsed = parse_case(operator_name, line);
        if (!parsed)
            return bad("line " + std::to_string(number) + ": " + std::string(parsed.message()));
        if (!names.insert(parsed->name).second)
            return bad("line " + std::to_string(number) + ": case '" + parsed->name + "' is there twice");
        cases.push_back(std::move(*parsed));
    }
    return cases;
}

Result<std::vector<Case>> load_cases(const std::string& path)
{
    std::ifstream file(path);
    if (!file)
        return Status(Code::io, path + ": cannot be opened");
    std::stringstream text;
    text << file.rdbuf();
    const size_t slash = path.find_last_of("/\\");
    const std::string file_name = slash == std::string::npos ? path : path.substr(slash + 1);
    Result<std::vector<Case>> cases = parse_cases(file_name.substr(0, file_name.find('.')), text.str());
    if (!cases)
        return bad(path + ": " + std::string(cases.message()));
    return cases;
}

Result<std::vector<Case>> load_all_cases()
{
    std::vector<Case> all;
    for (size_t index = 0; index < std::variant_size_v<Operator::variant>; ++index) {
        const std::string& stem = format_of(default_of(index)).stem;
        Result<std::vector<Case>> cases = load_cases(source_path("tests/cases/" + stem + ".txt"));
        if (!cases)
            return cases.status();
        all.insert(all.end(), cases->begin(), cases->end());
    }
    return all;
}

std::vector<std::vector<int64_t>*> lists_of(Case& problem)
{
    std::vector<std::vector<int64_t>*> lists;
    fields(problem.attributes, [&](std::string_view, auto& member, auto...) {
        if constexpr (std::is_same_v<decltype(member), std::vector<int64_t>&>)
            lists.push_back(&member);
    });
    return lists;
}

DType usual_type(const Operator& op, size_t input, DType first)
{
    const std::span<const Schema::Type> types = input_of(op, input).types;
    return std::ranges::count(types, first, &Schema::Type::dtype) > 0 ? first : types.back().dtype;
}

}  // namespace vkonnx::kit
