#include "format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "console.h"

namespace vkonnx::bench {

std::string number_text(double value)
{
    if (!std::isfinite(value))
        return "-";
    char text[64];
    // The value is rounded to three digits first, so that 9.996 becomes 10.0 and not 10.00.
    std::snprintf(text, sizeof text, "%.2e", value);
    const double rounded = std::strtod(text, nullptr);
    const int exponent = rounded == 0 ? 0 : int(std::floor(std::log10(std::abs(rounded)) + 1e-9));
    if (exponent < -6)
        return text;
    std::snprintf(text, sizeof text, "%.*f", rounded == 0 ? 0 : std::max(0, 2 - exponent), exponent > 2 ? value : rounded);
    return text;
}

struct Prefix {
    double factor;
    std::string_view letter;
};

static Quantity scaled(double value, std::span<const Prefix> prefixes, std::string_view unit)
{
    // Without this margin 999.6 would be printed as 1000.
    const auto fits = [&](const Prefix& prefix) { return std::abs(value) >= 0.9995 * prefix.factor; };
    const auto found = std::find_if(prefixes.begin(), prefixes.end(), fits);
    const Prefix& prefix = found == prefixes.end() ? prefixes.back() : *found;
    return {number_text(value / prefix.factor), std::string(prefix.letter) + std::string(unit)};
}

Quantity time_quantity(double seconds)
{
    static constexpr std::array<Prefix, 4> prefixes = {Prefix{1, ""}, Prefix{1e-3, "m"}, Prefix{1e-6, "u"}, Prefix{1e-9, "n"}};
    return scaled(seconds, prefixes, "s");
}

Quantity rate_quantity(double giga, std::string_view unit)
{
    static constexpr std::array<Prefix, 4> prefixes = {Prefix{1e3, "T"}, Prefix{1, "G"}, Prefix{1e-3, "M"}, Prefix{1e-6, "k"}};
    return scaled(giga, prefixes, unit);
}

std::string text(const Quantity& quantity)
{
    return quantity.number + " " + quantity.unit;
}

std::string time_text(double seconds)
{
    return text(time_quantity(seconds));
}

std::string percent_text(double share)
{
    const double percent = 100 * share;
    char text[32];
    std::snprintf(text, sizeof text, percent < 0.995 ? "%.2f %%" : percent < 9.95 ? "%.1f %%" : "%.0f %%", percent);
    return text;
}

std::string spread_text(const CaseResult& result)
{
    return result.samples < 2 ? "" : percent_text((result.high_s - result.low_s) / 2 / result.median_s);
}

std::string markdown_escape(std::string_view text)
{
    std::string escaped;
    for (const char c : tools::visible_lines(text)) {
        if (std::string_view("\\`*[]<>|&").find(c) != std::string_view::npos)
            escaped += '\\';
        escaped += c == '\n' || c == '\r' ? ' ' : c;
    }
    return escaped;
}

std::string_view operator_of(std::string_view name)
{
    const size_t slash = name.find('/');
    return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

static bool all_distinct(std::vector<std::string> names)
{
    std::sort(names.begin(), names.end());
    return std::adjacent_find(names.begin(), names.end()) == names.end();
}

std::vector<std::string> short_names(const std::vector<std::string>& names)
{
    std::vector<std::string> result = names;
    // The type is left out when all have the same. A model's name has none.
    const auto type_of = [](const std::string& name) {
        return name.rfind('/') == name.find('/') ? std::string() : name.substr(name.rfind('/'));
    };
    const auto same_type = [&](const std::string& name) { return type_of(name) == type_of(names[0]); };
    if (!names.empty() && std::all_of(names.begin(), names.end(), same_type))
        for (std::string& name : result)
            name.resize(name.size() - type_of(name).size());
    // The operator is left out when the rest tells all apart.
    std::vector<std::string> without_operator = result;
    for (std::string& name : without_operator)
        name = name.substr(operator_of(name).empty() ? 0 : operator_of(name).size() + 1);
    return all_distinct(without_operator) ? without_operator : result;
}

}  // namespace vkonnx::bench
