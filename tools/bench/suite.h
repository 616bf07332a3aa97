// This header reads what is timed: a built-in suite, a user's file, a line from the command line or a whole model.
#pragma once

#include "kit/cases.h"
#include "options.h"
#include "test_case.h"

namespace vkonnx::bench {

// A named case is a case with the name that Google Benchmark's filter sees: "conv_transpose/ct03/f32", or "model/resnet50".
struct NamedCase {
    std::string name = {};
    kit::Case problem = {};
    std::string kernel = {};                    // forced; "" leaves it to the library
    std::optional<tools::TestCase> model = {};  // instead of the problem
};

// This word of --kernel means every kernel that fits.
inline constexpr char every_kernel[] = "all";

// Returns all cases that the options ask for, the filter applied. Errors name the file or the case and are the user's: a case
// that the operator's document forbids is refused here, before anything runs.
Result<std::vector<NamedCase>> load_suite(const Options& options);

// These are the built-in suites: ConvTranspose and AveragePool in published models, the same made small, and layers of networks.
inline constexpr char full_suite[] = "suite", quick_suite[] = "quick", networks_suite[] = "networks";

// Returns the cases of the suite of that name, or none where there is no such suite.
Result<std::vector<kit::Case>> built_in_cases(std::string_view suite);

}  // namespace vkonnx::bench
