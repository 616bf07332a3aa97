// This header writes the report of vkonnx-bench: one page that needs no network and no scripts, or the same as Markdown or
// condensed JSON. It shows one result, or two side by side (the first is A).
#pragma once

#include <span>
#include <string>

#include "results.h"

namespace vkonnx::bench {

// These choose the form by the path's extension: .html, .md or .json.
Status check_report_path(const std::string& path);
Status write_report(const std::string& path, std::span<const RunResult> runs);

// There are one or two `runs`.
std::string report_html(std::span<const RunResult> runs);
std::string report_markdown(std::span<const RunResult> runs);
std::string report_json(std::span<const RunResult> runs);

}  // namespace vkonnx::bench
