// This header has the cases of vkonnx-test. It finds ONNX backend test folders and runs one on a device.
#pragma once

#include <vkonnx/onnx.hpp>

#include <filesystem>

#include <nlohmann/json_fwd.hpp>

#include "cell.h"
#include "compare.h"
#include "kit/cases.h"

namespace vkonnx::tools {

// A test case is a folder with model.onnx, and one of its test_data_set_* folders with input_K.pb and output_K.pb, or a built-in
// problem.
struct TestCase {
    std::string name = {};  // the folder's name, with "/K" where it has several data sets; or the cell's and the problem's
    std::filesystem::path folder = {};
    std::filesystem::path data_set = {};  // empty where it has none
    std::optional<Cell> cell = {};        // of a built-in problem
    std::optional<kit::Case> problem = {};
};

// Returns the cases of `path`, in the order of their names: those of the folder itself if it is one, or else of those folders in
// it that are.
Result<std::vector<TestCase>> find_cases(const std::string& path);

// Returns the cases of all folders, each once, with names that tell them apart.
Result<std::vector<TestCase>> find_all_cases(std::span<const std::string> folders);

// This struct holds what the files of a case hold.
struct LoadedCase {
    onnx::Model model = {};
    std::vector<onnx::HostTensor> inputs = {};
    std::vector<onnx::HostTensor> expected = {};  // outputs
    std::vector<onnx::NamedDesc> descs = {};      // of the inputs, as Session::prepare takes them
};

// Reads the files of a case. Code::unsupported means that there is no data, or an input is no tensor.
Result<LoadedCase> load_case(const TestCase& test);

// Returns the greatest errors of all outputs, and a sentence that names those that are not as expected.
Comparison compare_outputs(const LoadedCase& loaded, std::span<const onnx::HostTensor> outputs, const Tolerance& tolerance);

enum class Outcome : uint8_t { passed, failed, skipped };

struct CaseResult {
    Outcome outcome = Outcome::passed;
    std::string message = {};               // why it failed or was skipped
    std::optional<Errors> errors = {};      // none where nothing was compared
    std::vector<std::string> kernels = {};  // of the nodes, in order
    std::vector<Cell> cells = {};           // where the nodes belong that the table has, as far as their types are known
    double seconds = 0;                     // wall time of all of it
};

struct CaseOptions {
    Tolerance tolerance = {};
    Rules rules = Rules::specification;
};

// Runs a folder. What the library says it does not support is skipped, and so is a case without data.
CaseResult run_case(const Device& device, const TestCase& test, const CaseOptions& options);

std::string_view outcome_text(Outcome outcome);

nlohmann::json to_json(const Cell& cell);

// JSON has no infinity, so an infinity is written as a string.
nlohmann::json number_to_json(double value);
nlohmann::json to_json(const CaseResult& result);
Result<CaseResult> case_result_from_json(std::string_view text);

}  // namespace vkonnx::tools
