#include "kit/cases.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <sstream>

#include "kit/layout.h"

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

// "3,-1,2" or "3x5x7"
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

constexpr std::array<std::pair<AutoPad, std::string_view>, 4> auto_pad_words = {{{AutoPad::notset, "NOTSET"},
                                                                                 {AutoPad::same_upper, "SAME_UPPER"},
                                                                                 {AutoPad::same_lower, "SAME_LOWER"},
                                                                                 {AutoPad::valid, "VALID"}}};
constexpr std::array<std::pair<AutoPad, std::string_view>, 4> onednn_auto_pad_words = {{{AutoPad::notset, "None"},
                                                                                        {AutoPad::same_upper, "SAME_UPPER"},
                                                                                        {AutoPad::same_lower, "SAME_LOWER"},
                                                                                        {AutoPad::valid, "VALID"}}};
constexpr std::array<std::pair<Layout, std::string_view>, 2> layout_words = {{{Layout::ncx, "NCX"}, {Layout::nxc, "NXC"}}};
constexpr std::array<std::pair<onednn::FilterFormat, std::string_view>, 3> filter_words = {
    {{onednn::FilterFormat::xio, "XIO"}, {onednn::FilterFormat::oix, "OIX"}, {onednn::FilterFormat::iox, "IOX"}}};
constexpr std::array<std::pair<Rules, std::string_view>, 2> rules_words = {
    {{Rules::specification, "specification"}, {Rules::onnxruntime, "onnxruntime"}}};
constexpr std::array<std::pair<Fill, std::string_view>, 8> fill_words = {{{Fill::any, "any"},
                                                                          {Fill::integers, "integers"},
                                                                          {Fill::reals, "reals"},
                                                                          {Fill::specials, "specials"},
                                                                          {Fill::positive, "positive"},
                                                                          {Fill::negative_zero, "negative_zero"},
                                                                          {Fill::large, "large"},
                                                                          {Fill::denormals, "denormals"}}};

template <class Value, size_t count>
std::string_view word_of(const std::array<std::pair<Value, std::string_view>, count>& words, Value value)
{
    for (const auto& [known, word] : words)
        if (known == value)
            return word;
    return "?";
}

// ---- keys: each knows how to read its word into a place and how to print the place, "" when it holds the default

struct Key {
    std::string_view name;
    std::function<bool(std::string_view)> read;
    std::function<std::string()> print;
};

Key list_key(std::string_view name, std::vector<int64_t>& place)
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

Key integer_key(std::string_view name, int64_t& place, int64_t unset)
{
    return {name,
            [&place](std::string_view word) {
                const auto value = integer(word);
                place = value.value_or(place);
                return value.has_value();
            },
            [&place, unset] { return place == unset ? std::string() : std::to_string(place); }};
}

Key integer_key(std::string_view name, std::optional<int64_t>& place)
{
    return {name,
            [&place](std::string_view word) {
                place = integer(word);
                return place.has_value();
            },
            [&place] { return place ? std::to_string(*place) : std::string(); }};
}

template <class Value, size_t count>
Key word_key(std::string_view name, const std::array<std::pair<Value, std::string_view>, count>& words, Value& place, Value unset)
{
    return {name,
            [&place, &words](std::string_view word) {
                for (const auto& [value, known] : words)
                    if (known == word) {
                        place = value;
                        return true;
                    }
                return false;
            },
            [&place, &words, unset] { return place == unset ? std::string() : std::string(word_of(words, place)); }};
}

// A tensor's dimensions; `given` tells whether the key was there.
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

Key type_key(DType& place)
{
    return {"type",
            [&place](std::string_view word) {
                for (int number = 0; number <= static_cast<int>(DType::int2); ++number)
                    if (vkonnx::name(static_cast<DType>(number)) == word) {
                        place = static_cast<DType>(number);
                        return true;
                    }
                return false;
            },
            [&place] { return place == DType::float32 ? std::string() : std::string(vkonnx::name(place)); }};
}

std::vector<Key> attribute_keys(ConvTranspose& a)
{
    return {list_key("kernel_shape", a.kernel_shape),
            list_key("strides", a.strides),
            list_key("dilations", a.dilations),
            list_key("pads", a.pads),
            list_key("output_padding", a.output_padding),
            list_key("output_shape", a.output_shape),
            integer_key("group", a.group, 1),
            word_key("auto_pad", auto_pad_words, a.auto_pad, AutoPad::notset),
            integer_key("opset", a.opset, newest_opset),
            word_key("rules", rules_words, a.rules, Rules::specification)};
}

std::vector<Key> attribute_keys(AveragePool& a)
{
    return {list_key("kernel_shape", a.kernel_shape),
            list_key("strides", a.strides),
            list_key("dilations", a.dilations),
            list_key("pads", a.pads),
            integer_key("ceil_mode", a.ceil_mode),
            integer_key("count_include_pad", a.count_include_pad),
            word_key("auto_pad", auto_pad_words, a.auto_pad, AutoPad::notset),
            integer_key("opset", a.opset, newest_opset),
            word_key("rules", rules_words, a.rules, Rules::specification)};
}

std::vector<Key> attribute_keys(onednn::ConvTranspose& a)
{
    return {list_key("strides", a.strides),
            list_key("pads_begin", a.pads_begin),
            list_key("pads_end", a.pads_end),
            list_key("dilations", a.dilations),
            list_key("output_padding", a.output_padding),
            integer_key("groups", a.groups, 1),
            word_key("auto_pad", onednn_auto_pad_words, a.auto_pad, AutoPad::notset),
            word_key("data_format", layout_words, a.data_format, Layout::nxc),
            word_key("filter_format", filter_words, a.filter_format, onednn::FilterFormat::xio)};
}

std::vector<Key> attribute_keys(Shape& a)
{
    return {integer_key("start", a.start), integer_key("end", a.end), integer_key("opset", a.opset, newest_opset)};
}

// All keys of an operator over the places where a line is kept while it is read or printed.
struct Line {
    Case problem = {};
    DType type = DType::float32;
    Layout layout = Layout::ncx;
    DimsPlace x = {};
    DimsPlace w = {};
    DimsPlace b = {};

    bool has_filter() const
    {
        return std::holds_alternative<ConvTranspose>(problem.attributes) ||
               std::holds_alternative<onednn::ConvTranspose>(problem.attributes);
    }

    bool has_layout() const
    {
        return std::holds_alternative<ConvTranspose>(problem.attributes) ||
               std::holds_alternative<AveragePool>(problem.attributes);
    }

    std::vector<Key> keys()
    {
        std::vector<Key> keys = {dims_key("x", x)};
        if (has_filter()) {
            keys.push_back(dims_key("w", w));
            keys.push_back(dims_key("b", b));
        }
        keys.push_back(type_key(type));
        if (has_layout())
            keys.push_back(word_key("layout", layout_words, layout, Layout::ncx));
        std::vector<Key> own = std::visit([](auto& attributes) { return attribute_keys(attributes); }, problem.attributes);
        keys.insert(keys.end(), own.begin(), own.end());
        keys.push_back(word_key("fill", fill_words, problem.fill, Fill::any));
        return keys;
    }

    // M, as far as W tells: what a bare `b` stands for.
    int64_t channels_out() const
    {
        if (w.dims.size() < 2)
            return 0;
        if (const auto* attributes = std::get_if<ConvTranspose>(&problem.attributes))
            return w.dims[1] * attributes->group;
        if (const auto* attributes = std::get_if<onednn::ConvTranspose>(&problem.attributes))
            return w.dims[places_of(attributes->filter_format, w.dims.size() - 2).out] * attributes->groups;
        return 0;
    }
};

bool is_name(std::string_view word)
{
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    return !word.empty() && std::all_of(word.begin(), word.end(), fits);
}

Status read_word(std::vector<Key>& keys, std::set<std::string_view>& seen, std::string_view word)
{
    const size_t equals = word.find('=');
    const std::string_view key_name = word.substr(0, equals);
    const auto key = std::find_if(keys.begin(), keys.end(), [&](const Key& known) { return known.name == key_name; });
    if (key == keys.end())
        return bad("unknown key '" + std::string(key_name) + "'");
    if (!seen.insert(key->name).second)
        return bad("key '" + std::string(key_name) + "' is given twice");
    if (equals == std::string_view::npos)
        return key_name == "b" ? Status() : bad("key '" + std::string(key_name) + "' needs a value");
    if (!key->read(word.substr(equals + 1)))
        return bad("value '" + std::string(word.substr(equals + 1)) + "' does not fit key '" + std::string(key_name) + "'");
    return Status();
}

}  // namespace

std::string_view name(Fill fill)
{
    return word_of(fill_words, fill);
}

std::string_view name(AutoPad auto_pad)
{
    return word_of(auto_pad_words, auto_pad);
}

std::string_view operator_of(const Case& problem)
{
    static constexpr std::array<std::string_view, 4> names = {"conv_transpose", "average_pool", "shape", "onednn_conv_transpose"};
    return names[problem.attributes.index()];
}

void set_rules(Case& problem, Rules rules)
{
    const auto set = [&](auto& attributes) {
        if constexpr (requires { attributes.rules; })
            attributes.rules = rules;
    };
    std::visit(set, problem.attributes);
}

std::string to_string(const Case& problem)
{
    Line line = {.problem = problem};
    std::array<DimsPlace*, 3> places = {&line.x, &line.w, &line.b};
    for (size_t i = 0; i < problem.inputs.size() && i < places.size(); ++i)
        *places[i] = {true, problem.inputs[i].dims};
    if (!problem.inputs.empty()) {
        line.type = problem.inputs[0].dtype;
        line.layout = problem.inputs[0].layout;
    }
    std::string text = problem.name;
    for (const Key& key : line.keys()) {
        const bool bare = key.name == "b" && line.b.given && line.b.dims == std::vector<int64_t>{line.channels_out()};
        const std::string value = key.print();
        if (!value.empty())
            text.append(" ").append(key.name).append(bare ? "" : "=").append(bare ? "" : value);
    }
    return text;
}

Result<Case> parse_case(std::string_view operator_name, std::string_view text)
{
    Line line;
    if (operator_name == "conv_transpose")
        line.problem.attributes = ConvTranspose();
    else if (operator_name == "average_pool")
        line.problem.attributes = AveragePool();
    else if (operator_name == "shape")
        line.problem.attributes = Shape();
    else if (operator_name == "onednn_conv_transpose")
        line.problem.attributes = onednn::ConvTranspose();
    else
        return bad("unknown operator '" + std::string(operator_name) + "'");

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
        if (Status refused = read_word(keys, seen, word); !refused)
            return bad("case '" + line.problem.name + "': " + std::string(refused.message()));

    if (seen.count("b") && !line.b.given)
        line.b = {true, {line.channels_out()}};
    if (!line.x.given)
        return bad("case '" + line.problem.name + "': key 'x' is missing");
    if (!line.w.given && line.has_filter())
        return bad("case '" + line.problem.name + "': key 'w' is missing");
    for (const DimsPlace* place : {&line.x, &line.w, &line.b})
        if (place->given)
            line.problem.inputs.push_back({line.type, place->dims});
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
    for (const char* stem : {"conv_transpose", "average_pool", "shape", "onednn_conv_transpose"}) {
        Result<std::vector<Case>> cases = load_cases(VKONNX_SOURCE_DIR "/tests/cases/" + std::string(stem) + ".txt");
        if (!cases)
            return cases.status();
        all.insert(all.end(), cases->begin(), cases->end());
    }
    return all;
}

std::vector<std::vector<int64_t>*> lists_of(Case& problem)
{
    if (auto* a = std::get_if<ConvTranspose>(&problem.attributes))
        return {&a->kernel_shape, &a->strides, &a->dilations, &a->pads, &a->output_padding, &a->output_shape};
    if (auto* a = std::get_if<AveragePool>(&problem.attributes))
        return {&a->kernel_shape, &a->strides, &a->dilations, &a->pads};
    if (auto* a = std::get_if<onednn::ConvTranspose>(&problem.attributes))
        return {&a->strides, &a->pads_begin, &a->pads_end, &a->dilations, &a->output_padding};
    return {};
}

Result<Resolution> resolve(const Case& problem)
{
    return std::visit([&](const auto& attributes) { return resolve(attributes, problem.inputs); }, problem.attributes);
}

Result<std::vector<Answer>> reference(const Case& problem, std::span<const HostTensor> inputs, std::span<const int64_t> sample)
{
    if (const auto* conv = std::get_if<ConvTranspose>(&problem.attributes))
        return reference(*conv, inputs, sample);
    if (const auto* pool = std::get_if<AveragePool>(&problem.attributes))
        return reference(*pool, inputs, sample);
    if (const auto* onednn = std::get_if<onednn::ConvTranspose>(&problem.attributes))
        return reference(*onednn, inputs, sample);
    return bad("case '" + problem.name + "' has no arithmetic");
}

}  // namespace vkonnx::kit
