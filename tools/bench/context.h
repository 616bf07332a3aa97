// This header has what a result must carry along to mean anything later: keys and values for Google Benchmark's "context" object.
#pragma once

#include "measure.h"
#include "options.h"
#include "suite.h"

namespace vkonnx::bench {

using ContextEntries = std::vector<std::pair<std::string, std::string>>;

ContextEntries context_of(const Device& device, const Clock& clock, const Options& options, std::span<const NamedCase> cases);

// These return the peaks as entries: those before the cases, and those after them with the drift.
ContextEntries peaks_before(const Peaks& before);
ContextEntries peaks_after(const Peaks& before, const Peaks& after);
// Returns the greater of the relative changes of both peaks.
double drift_of(const Peaks& before, const Peaks& after);

// Tells whether the environment forces the validation layer on. Then no time is worth anything.
bool validation_is_forced();

}  // namespace vkonnx::bench
