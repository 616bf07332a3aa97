// This header deals out the case lists of tests/cases over operators, versions and types.
#pragma once

#include "test_case.h"

namespace vkonnx::tools {

// Returns the cases of all cells of all operators, by cell and then by name. They are equal on every machine.
//
// A line of the lists says one problem, for one version and type. It would be too slow to run each in every cell that accepts it,
// so the cells share them:
//
// 1. Each line runs in one cell. What it names, a type or an opset, it keeps, and a big problem keeps both; what it leaves open
//    is dealt to the cell that accepts it and has the fewest so far.
// 2. Then each cell of ConvTranspose, of both dialects, AveragePool and Shape draws further lines of its operator that it
//    accepts, with numbers of its own, until there are at least 20, and among them every attribute, fill and rank that any of the
//    lines could bring to this cell. One that accepts fewer than 20 different problems has them all.
// 3. A cell of another operator that has no case by then takes one line: one that names another type or opset only where no other
//    is accepted.
//
// The caller that asks for one_per_cell gets what step 3 alone gives: one case for each cell.
//
// Rules other than the default are those of every case.
Result<std::vector<TestCase>> built_in_cases(Rules rules, bool one_per_cell = false);

// Runs a built-in case with each of its fills and compares it with the reference, by the rules of kit/compare.h.
CaseResult run_built_in(const Device& device, const kit::Case& problem);

}  // namespace vkonnx::tools
