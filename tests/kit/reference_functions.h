// This header has attributes of elementwise operators, functions that only some of them compute, to double's precision, and how
// exact devices are.
#pragma once

#include "kit/reference.h"

namespace vkonnx::kit {

// Tells whether this version of the operator has an attribute of this name.
bool has_attribute(ElementwiseKind kind, std::string_view name, int64_t version);

// Tells whether a kind is a function of its own, which takes no doubles: Sigmoid, Tanh, Elu, Exp, Log, Erf, Pow and all from Sin
// on.
bool is_function(ElementwiseKind kind);

// Returns the function's value without the steps of `op`. It is e^a - 1 for Elu, and 0 for Pow and for kinds that are no
// function.
double function_of(const Elementwise& op, double a);

// Returns Answer::ulps of one operator of this kind.
double ulps_of(ElementwiseKind kind);

// An element of a tensor is a value, or for an integer type a word as in RealTensor.
struct Element {
    DType dtype = DType::undefined;
    double value = 0;
    uint64_t word = 0;
};

// Computes Pow, in the base's type.
Answer power_of(const Element& base, const Element& exponent);

}  // namespace vkonnx::kit
