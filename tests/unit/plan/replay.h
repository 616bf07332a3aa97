// This header runs a plan on paper, and holds who reads and writes what against the problem's definition. It checks that
// - every output gets every (channel, tap) that meets it exactly once, in the order of SEMANTICS section 5, is started, finished
//   and written once, and goes on only from its own sum, in Y or in scratch memory
// - every element that is read or written lies in the part of the tensor that the step binds
// - the device's limits are kept: buffer ranges and offsets, groups, loop iterations; and the time that a dispatch may take
// - plan::check accepts the plan
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ops/geometry.h"
#include "plan/core/plan.h"
#include "plan/engines/merge.h"
#include "shaders/engines/gather/gather.h"

namespace vkonnx::plan {

// An addend is a product in an output's sum, or an element in AveragePool.
struct Addend {
    int64_t x = 0;
    int64_t w = 0;
    int64_t channel = 0;              // of the group
    std::array<int64_t, 6> tap = {};  // an axis each, outermost first
};

// A definition tells what a problem asks for, by brute force over positions and taps: it shares no formula with src/.
struct Definition {
    DType dtype = DType::float32;
    bool convolves = false;
    std::vector<int64_t> elements = {};                        // of the tensors at the kernel's bindings
    std::vector<uint8_t> tensors = {};                         // and their numbers
    std::vector<std::vector<Addend>> terms = {};               // an output each, in the order of its sum
    std::vector<int64_t> bias = {};                            // the element of B that an output adds; empty without a bias
    std::vector<std::vector<int64_t>> positions = {};          // of an output, an axis each
    std::vector<std::vector<std::vector<int64_t>>> taps = {};  // of an axis, at a position of it

    size_t rank() const { return taps.size(); }
    int64_t outputs() const { return int64_t(terms.size()); }
};

// Return the definition of a geometry whose axes were merged already, as its plan works on it.
Definition define(const ops::ConvTransposeGeometry& geometry);
Definition define(const PoolProblem& problem, DType dtype);

// Returns a step's push constants, with zeros where it has fewer bytes.
push::GatherPart part_of(const Step& step);

// Returns the first thing that is wrong with the plan, or "" when all is right.
std::string replay(const Definition& definition, const Plan& plan, const Capabilities& capabilities,
                   const PrepareOptions& options);

}  // namespace vkonnx::plan
