// SPDX-License-Identifier: Apache-2.0
#include "onnxruntime/options.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>

namespace vkonnx::onnxruntime {

namespace {

// Returns false where the text is no value of the option.
using Read = bool (*)(const std::string& text, ProviderOptions& options);

template <class Number>
bool read_number(const std::string& text, Number least, Number& place)
{
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = error == std::errc() && end == text.data() + text.size() && number >= least;
    if (is_whole)
        place = number;
    return is_whole;
}

bool read_switch(const std::string& text, bool& place)
{
    if (text != "0" && text != "1")
        return false;
    place = text == "1";
    return true;
}

template <class Value, size_t count>
std::optional<Value> value_named(const Spelling<Value> (&words)[count], std::string_view text)
{
    const auto word = std::find_if(std::begin(words), std::end(words), [&](const auto& one) { return one.word == text; });
    return word == std::end(words) ? std::nullopt : std::optional(word->value);
}

bool read_rules(const std::string& text, ProviderOptions& options)
{
    const std::optional<Rules> rules = value_named(rules_words, text);
    options.session.rules = rules.value_or(options.session.rules);
    return rules.has_value();
}

// Reads words with commas between them.
bool read_fusions(const std::string& text, ProviderOptions& options)
{
    for (size_t begin = 0; begin <= text.size() && !text.empty();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        const std::optional<onnx::Fusion> fusion =
            value_named(onnx::fusion_words, std::string_view(text).substr(begin, end - begin));
        if (!fusion)
            return false;
        options.session.without_fusions |= uint32_t(*fusion);
        begin = end + 1;
    }
    return true;
}

bool read_timeout(const std::string& text, ProviderOptions& options)
{
    uint32_t seconds = 0;
    const bool is_read = read_number<uint32_t>(text, 1, seconds);
    if (is_read)
        options.device.timeout_seconds = seconds;
    return is_read;
}

bool read_groups(const std::string& text, ProviderOptions& options)
{
    options.capability.take_all = text == "all";
    return text == "all" || text == "worthwhile";
}

struct Option {
    std::string_view name;
    std::string_view expected;  // for the end of a sentence
    Read read;
};

// docs/onnxruntime.md tells of each.
constexpr Option known[] = {
    {"device", "an index, gpu, cpu, gpu:1, uuid:... or a part of the name",
     [](const std::string& text, ProviderOptions& o) { return o.device.select = text, true; }},
    {"cache_folder", "a folder", [](const std::string& text, ProviderOptions& o) { return o.device.cache_folder = text, true; }},
    {"max_memory", "a number of bytes",
     [](const std::string& text, ProviderOptions& o) { return read_number<uint64_t>(text, 0, o.device.max_memory); }},
    {"timeout_seconds", "a number of at least 1", read_timeout},
    {"rules", "specification or onnxruntime", read_rules},
    {"reproducible", "0 or 1",
     [](const std::string& text, ProviderOptions& o) { return read_switch(text, o.session.prepare.reproducible); }},
    {"tune", "0 or 1", [](const std::string& text, ProviderOptions& o) { return read_switch(text, o.session.prepare.tune); }},
    {"without_fusions", "some of padding, pattern, weights, activation, chain and prologue, with commas between them",
     read_fusions},
    {"max_plans", "a number of at least 1",
     [](const std::string& text, ProviderOptions& o) { return read_number<uint64_t>(text, 1, o.session.max_plans); }},
    {"max_loop_iterations", "a number of at least 1",
     [](const std::string& text, ProviderOptions& o) { return read_number<uint64_t>(text, 1, o.session.max_loop_iterations); }},
    {"prepare_threads", "a number of at least 1",
     [](const std::string& text, ProviderOptions& o) { return read_number<uint32_t>(text, 1, o.session.prepare_threads); }},
    {"groups", "worthwhile or all", read_groups},
    {"least_nodes", "a number",
     [](const std::string& text, ProviderOptions& o) { return read_number<uint64_t>(text, 0, o.capability.least_nodes); }},
};

std::string known_names()
{
    std::string names;
    for (const Option& option : known)
        names += (names.empty() ? "" : &option == &known[std::size(known) - 1] ? " and " : ", ") + std::string(option.name);
    return names;
}

}  // namespace

Result<ProviderOptions> read_options(const OptionPairs& pairs)
{
    ProviderOptions options;
    options.device.cache_folder = default_cache_folder();
    for (const auto& [key, value] : pairs) {
        if (!key.starts_with(option_prefix))
            continue;
        const std::string name = key.substr(option_prefix.size());
        const auto option = std::find_if(std::begin(known), std::end(known), [&](const Option& one) { return one.name == name; });
        if (option == std::end(known))
            return Status(Code::invalid_argument, "there is no option '" + name + "'; the options are " + known_names());
        if (!option->read(value, options))
            return Status(Code::invalid_argument,
                          "the option " + name + " is '" + value + "', expected is " + std::string(option->expected));
    }
    return options;
}

std::string device_key(const DeviceOptions& options)
{
    const std::string numbers = std::to_string(options.max_memory) + '\n' + std::to_string(options.timeout_seconds);
    return options.select + '\n' + options.cache_folder + '\n' + numbers;
}

}  // namespace vkonnx::onnxruntime
