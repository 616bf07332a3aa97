#include "results.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

#include "console.h"
#include "counters.h"
#include "file.h"
#include "json.h"

namespace vkonnx::bench {
using nlohmann::json;

// ------------------------------------------------------------------------------------------------------------ questions

std::optional<double> CaseResult::counter(std::string_view name) const
{
    const auto found = counters.find(name);
    return found == counters.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> CaseResult::efficiency() const
{
    const std::optional<double> floor = counter(counter::floor_s);
    if (!error.empty() || !floor || *floor <= 0)
        return std::nullopt;
    return *floor / median_s;
}

double Peak::best() const
{
    return std::max(before, after.value_or(before));
}

double Peak::drift() const
{
    return after ? std::abs(*after / before - 1) : 0;
}

std::string_view RunResult::text(std::string_view key) const
{
    const auto found = context.find(key);
    return found == context.end() ? std::string_view() : std::string_view(found->second);
}

// Tells whether a number can be used. Numbers beyond these measure nothing, and ratios of them would leave what a plot or a table
// can show.
static bool is_sensible(double value)
{
    return value == 0 || (std::abs(value) >= 1e-30 && std::abs(value) <= 1e30);
}

std::optional<double> RunResult::number(std::string_view key) const
{
    const std::string_view word = text(key);
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !is_sensible(value))
        return std::nullopt;
    return value;
}

std::string RunResult::device() const
{
    const std::string_view name = text(context::device);
    return std::string(name.empty() ? std::string_view(path) : name);
}

static std::optional<Peak> peak(const RunResult& run, std::string_view before, std::string_view after)
{
    const std::optional<double> first = run.number(before);
    if (!first || *first <= 0)
        return std::nullopt;
    const std::optional<double> last = run.number(after);
    return Peak{.before = *first, .after = last && *last > 0 ? last : std::nullopt};
}

std::optional<Peak> RunResult::peak_f32() const
{
    return peak(*this, context::peak_f32_before, context::peak_f32_after);
}

std::optional<Peak> RunResult::peak_f16() const
{
    return peak(*this, context::peak_f16_before, context::peak_f16_after);
}

std::optional<Peak> RunResult::peak_copy() const
{
    return peak(*this, context::peak_copy_before, context::peak_copy_after);
}

const CaseResult* RunResult::find(std::string_view name) const
{
    const auto found = std::find_if(cases.begin(), cases.end(), [&](const CaseResult& one) { return one.name == name; });
    return found == cases.end() ? nullptr : &*found;
}

std::string_view plain_name(std::string_view name)
{
    const auto added = [](std::string_view part) {
        for (const std::string_view word : {"manual_time", "real_time", "process_time"})
            if (part == word)
                return true;
        for (const std::string_view word : {"iterations:", "repeats:", "threads:", "min_time:", "min_warmup_time:"})
            if (part.starts_with(word))
                return true;
        return false;
    };
    for (size_t slash = name.rfind('/'); slash != std::string_view::npos && added(name.substr(slash + 1));
         slash = name.rfind('/'))
        name = name.substr(0, slash);
    return name;
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double geometric_mean(std::span<const double> values)
{
    double sum = 0;
    for (const double value : values)
        sum += std::log(value);
    return std::exp(sum / double(values.size()));
}

// -------------------------------------------------------------------------------------------------------------- reading

// Tells whether a number is a counter. These are the keys that Google Benchmark writes into every entry.
static bool is_counter(const std::string& key)
{
    static constexpr std::string_view own[] = {
        "family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads", "iterations", "real_time",
        "cpu_time"};
    return std::find(std::begin(own), std::end(own), key) == std::end(own);
}

static std::string string_of(const json& entry, const char* key)
{
    const auto found = entry.find(key);
    return found != entry.end() && found->is_string() ? tools::visible(found->get<std::string>()) : std::string();
}

static std::optional<double> seconds_per_unit(std::string_view unit)
{
    if (unit == "ns" || unit.empty())
        return 1e-9;
    if (unit == "us")
        return 1e-6;
    if (unit == "ms")
        return 1e-3;
    if (unit == "s")
        return 1.0;
    return std::nullopt;
}

// This struct holds what the entries of one case have told so far.
struct Gathered {
    std::string name = {};
    std::string kernel = {};
    std::string error = {};
    std::vector<double> seconds = {};
    std::map<std::string, std::vector<double>> counters = {};
    std::optional<double> median = {}, deviation = {};  // seconds, of the aggregates
    std::map<std::string, double, std::less<>> median_counters = {};
    size_t repetitions = 0;
};

static Status gather(const json& entry, const std::string& where, Gathered& into)
{
    const std::string name = where + ": " + into.name;
    if (std::string label = string_of(entry, "label"); !label.empty())
        into.kernel = std::move(label);
    if (const auto flag = entry.find("error_occurred"); flag != entry.end() && flag->is_boolean() && flag->get<bool>()) {
        const std::string sentence = string_of(entry, "error_message");
        into.error = sentence.empty() ? "failed without saying why" : sentence;
        return {};
    }
    if (const auto flag = entry.find("skipped"); flag != entry.end() && flag->is_boolean() && flag->get<bool>()) {
        const std::string sentence = string_of(entry, "skip_message");
        into.error = sentence.empty() ? "skipped without saying why" : sentence;
        return {};
    }

    const std::string aggregate = string_of(entry, "aggregate_name");
    if (!aggregate.empty() && aggregate != "median" && aggregate != "stddev")
        return {};
    const auto time = entry.find("real_time");
    if (time == entry.end() || !time->is_number())
        return Status(Code::invalid_argument, name + ": real_time must be a number");
    for (const auto& [key, value] : entry.items())
        if (value.is_number() && !is_sensible(value.get<double>())) {
            into.error = tools::visible(key) + " = " + tools::json_text(value) + " is no measurement";
            return {};
        }
    const std::string unit = string_of(entry, "time_unit");
    const std::optional<double> scale = seconds_per_unit(unit);
    if (!scale)
        return Status(Code::invalid_argument, name + ": time_unit \"" + unit + "\" must be ns, us, ms or s");
    const double seconds = time->get<double>() * *scale;
    if (const auto count = entry.find("repetitions"); count != entry.end() && count->is_number_unsigned())
        into.repetitions = count->get<size_t>();

    if (aggregate == "stddev") {
        into.deviation = seconds;
        return {};
    }
    // The median is vkonnx-bench's own, of a run's samples. real_time is their mean.
    const auto own = entry.find(counter::median_s);
    const double typical = own != entry.end() && own->is_number() ? own->get<double>() : seconds;
    if (aggregate == "median")
        into.median = typical;
    else
        into.seconds.push_back(typical);
    for (const auto& [key, value] : entry.items())
        if (value.is_number() && is_counter(key)) {
            if (aggregate == "median")
                into.median_counters[key] = value.get<double>();
            else
                into.counters[key].push_back(value.get<double>());
        }
    return {};
}

static CaseResult finish(Gathered&& gathered)
{
    CaseResult result{.name = std::move(gathered.name), .kernel = std::move(gathered.kernel), .error = std::move(gathered.error)};
    if (!result.error.empty())
        return result;
    if (!gathered.seconds.empty()) {
        result.samples = gathered.seconds.size();
        result.median_s = median(gathered.seconds);
        const auto [low, high] = std::minmax_element(gathered.seconds.begin(), gathered.seconds.end());
        result.low_s = *low;
        result.high_s = *high;
        for (auto& [key, values] : gathered.counters)
            result.counters[key] = median(std::move(values));
        const std::optional<double> samples = result.counter(counter::samples);
        if (result.samples == 1 && samples && *samples >= 2 && *samples < 1e15) {
            result.samples = size_t(*samples);
            result.low_s = result.counter(counter::p25_s).value_or(result.low_s);
            result.high_s = result.counter(counter::p75_s).value_or(result.high_s);
        }
    } else if (gathered.median) {
        result.samples = std::max<size_t>(gathered.repetitions, 1);
        result.median_s = *gathered.median;
        const double reach = 2 * gathered.deviation.value_or(0);
        result.low_s = std::max(0.0, result.median_s - reach);
        result.high_s = result.median_s + reach;
        result.counters = std::move(gathered.median_counters);
    } else {
        result.error = "the file holds no time for it";
        return result;
    }
    if (!(result.median_s > 0) || !std::isfinite(result.median_s)) {
        result = {.name = std::move(result.name), .kernel = std::move(result.kernel)};
        result.error = "its time is not greater than 0";
    }
    return result;
}

static Result<std::vector<CaseResult>> read_cases(const json& entries, const std::string& path)
{
    std::vector<Gathered> cases;
    std::map<std::string, size_t, std::less<>> places;
    for (size_t i = 0; i < entries.size(); ++i) {
        const std::string where = path + ": benchmarks[" + std::to_string(i) + "]";
        if (!entries[i].is_object())
            return Status(Code::invalid_argument, where + " must be an object");
        // The names of aggregates end with "_median" and the like. Their run_name is what they have in common.
        std::string name = string_of(entries[i], "run_name");
        if (name.empty())
            name = string_of(entries[i], "name");
        if (name.empty())
            return Status(Code::invalid_argument, where + " must have a name");
        name = plain_name(name);
        const auto [place, added] = places.try_emplace(name, cases.size());
        if (added)
            cases.push_back({.name = name});
        if (Status status = gather(entries[i], path, cases[place->second]); !status)
            return status;
    }
    std::vector<CaseResult> results;
    for (Gathered& gathered : cases)
        results.push_back(finish(std::move(gathered)));
    return results;
}

Result<RunResult> parse_result(std::string_view text, const std::string& path)
{
    json root;
    try {
        root = json::parse(text);
    } catch (const json::parse_error& error) {
        return Status(Code::invalid_argument, path + ": byte " + std::to_string(error.byte) +
                                                  " is where it stops being JSON; expected a result of "
                                                  "vkonnx-bench --benchmark_out=FILE --benchmark_out_format=json");
    } catch (const json::out_of_range&) {
        return Status(Code::invalid_argument, path + ": a number in it is beyond what 64 bits hold");
    }
    if (!root.is_object() || !root.contains("benchmarks") || !root["benchmarks"].is_array())
        return Status(Code::invalid_argument, path + ": there is no list \"benchmarks\"; expected a result of Google Benchmark");
    if (root.contains("context") && !root["context"].is_object())
        return Status(Code::invalid_argument, path + ": \"context\" must be an object");

    RunResult run{.path = path};
    if (root.contains("context"))
        for (const auto& [key, value] : root["context"].items()) {
            if (value.is_string())
                run.context[key] = tools::visible(value.get<std::string>());
            else if (value.is_primitive())
                run.context[key] = tools::json_text(value);
        }
    Result<std::vector<CaseResult>> cases = read_cases(root["benchmarks"], path);
    if (!cases)
        return cases.status();
    run.cases = std::move(*cases);
    return run;
}

Result<RunResult> load_result(const std::string& path)
{
    const Result<std::vector<std::byte>> content = tools::read_file(path, tools::most_text_bytes);
    if (!content)
        return content.status();
    return parse_result({reinterpret_cast<const char*>(content->data()), content->size()}, path);
}

}  // namespace vkonnx::bench
