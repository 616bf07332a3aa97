// Attributes of elementwise operators, what only some of them compute, to double's precision, and how exactly devices do.
#pragma once

#include "kit/reference.h"

namespace vkonnx::kit {

// Whether this version of the operator has an attribute of this name.
bool has_attribute(ElementwiseKind kind, std::string_view name, int64_t version);

// Sigmoid, Tanh, Elu, Exp, Log, Erf, Pow and all from Sin on: functions of their own, which take no doubles.
bool is_function(ElementwiseKind kind);

// Its value, steps aside; of Elu, e^a - 1. 0 for Pow, and for kinds that are none.
double function_of(const Elementwise& op, double a);

// Answer::ulps.
double ulps_of(ElementwiseKind kind);

// Of a tensor: a value, or of integers a word as RealTensor has it.
struct Element {
    DType dtype = DType::undefined;
    double value = 0;
    uint64_t word = 0;
};

// Pow: of the base's type.
Answer power_of(const Element& base, const Element& exponent);

}  // namespace vkonnx::kit
