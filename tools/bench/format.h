// This header writes numbers and names as people read them, and makes strings safe for HTML and Markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "html.h"
#include "results.h"

namespace vkonnx::bench {

// Returns three significant digits, and never an exponent below a million: 0.0123, 1.23, 12.3, 123, 1234.
std::string number_text(double value);

// A quantity is a number and its unit apart, so that columns can align both.
struct Quantity {
    std::string number = {};
    std::string unit = {};
};
Quantity time_quantity(double seconds);                      // ns, us, ms or s
Quantity rate_quantity(double giga, std::string_view unit);  // of 1e9 a second: rate_quantity(67000, "FLOP/s") is 67.0 TFLOP/s

std::string text(const Quantity& quantity);  // "1.23 ms"
std::string time_text(double seconds);
std::string percent_text(double share);  // 0.0371 to "3.7 %"

// Returns one half of the range over the median: "4.4 %" for fastest 1.20 ms and slowest 1.31 ms, and "" for a single sample.
std::string spread_text(const CaseResult& result);

using tools::html_escape;
// Makes a text safe for a cell of a Markdown table: one line, no pipe, no markup.
std::string markdown_escape(std::string_view text);

// Returns shorter names that still tell all cases apart, in the same order: without the type that all share, and without the
// operator where the rest is enough.
std::vector<std::string> short_names(const std::vector<std::string>& names);

// Returns "conv_transpose" for "conv_transpose/dcgan_g2/f32", and "" where there is no '/'.
std::string_view operator_of(std::string_view name);

}  // namespace vkonnx::bench
