// SPDX-License-Identifier: Apache-2.0
// This file puts the nodes of the functions that a model defines in the places of the nodes that call them.
//
//   function twice(a) -> (b):           the call          becomes
//       h = Neg(a)      'n'             Y = twice(X)      'c/h' = Neg(X)      'c/n'
//       b = Neg(h)      'm'             'c'               Y     = Neg('c/h')  'c/m'
//
// Inputs and outputs take the call's names. All other names begin with the call's name, and so do the names of the nodes.
#pragma once

#include "parse.h"

namespace vkonnx::onnx {

// Replaces every call, also those in subgraphs and in other functions. A file of some lines can ask for any number of nodes by
// functions that call each other, so that the number of nodes and their memory are limited.
Status inline_functions(ModelProto& model);

}  // namespace vkonnx::onnx
