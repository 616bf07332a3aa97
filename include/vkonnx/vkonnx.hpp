// SPDX-License-Identifier: Apache-2.0
//
// vkonnx 0.1.0: ONNX operators as Vulkan compute shaders.
// Licensed as LICENSE says. Report what goes wrong, with what `vkonnx devices` prints, to where you got vkonnx from.
//
//   Result<Device> gpu = Device::open();
//   Result<Op> op = gpu->prepare(ConvTranspose{.strides = {2, 2}}, {x.desc(), w.desc()});
//   Status done = gpu->run(*op, {x, w}, {y});
//
// Work takes three steps, each with its own cost. `prepare` checks attributes and shapes, picks a kernel and fetches its
// pipeline. `bind` ties an Op to tensors. `run` of a Binding, or of a Recording of many, only submits and waits: it allocates
// nothing. `submit` is `run` without the wait: it gives a Job to wait for.
//
// Nothing here throws, prints or exits. What can fail returns Status or Result: a code, and one sentence that names the
// attribute or limit, the value refused and what was expected. With the host out of memory that is Code::out_of_memory, by a
// literal; functions that can't say so are noexcept, and those that would need memory say what they give without. Only copies
// of structs, of a Result and of a Status allocate and throw as the strings and vectors in them do. There are no globals; two
// devices never share state.
//
// Handles: one that was made by default or moved from is empty. Functions that can fail refuse an empty handle, and one of
// another device, with Code::invalid_argument and a sentence: "Device::run: the Binding is an empty handle". Accessors of an
// empty handle give empty values: no elements, a TensorDesc of DType::undefined, a struct as made by default; Job::done says
// true. As a condition, `if (tensor)`, an empty handle is false. What an application destroys itself while it is in use (its
// VkDevice, a wrapped VkBuffer) is contract only.
//
// Threads: functions without a class, and the const functions of Device, Op and Tensor, may be called from many threads at once,
// on the same object, too. The limits are stated where they stand: no two threads write one tensor at once, and a Binding or a
// Recording belongs, with its Jobs, to one thread at a time. A handle itself is as safe as a shared_ptr: copies of it may be used
// and let go in any thread.
//
// Order: whatever is submitted to a Device runs in the order of its submits. Each sees what all before it wrote, so that jobs
// need no wait between them.
//
// Processes: a device belongs to the process that opened it. In a fork of that every call on it gives Code::device_lost at once,
// and handles can be let go; drivers do not survive a fork either, so that a child that wants to compute calls exec first.
//
// Lifetimes: all classes are handles; copies share the object, and whatever is still in use keeps what it needs alive: all that
// was made by a Device works on when its last handle went.
#ifndef VKONNX_VKONNX_HPP
#define VKONNX_VKONNX_HPP

#include <string_view>

#include <vkonnx/capabilities.hpp>
#include <vkonnx/device.hpp>
#include <vkonnx/export.hpp>
#include <vkonnx/operators.hpp>
#include <vkonnx/prepare.hpp>
#include <vkonnx/schema.hpp>
#include <vkonnx/status.hpp>
#include <vkonnx/tensor_desc.hpp>

namespace vkonnx {

// Returns "MAJOR.MINOR.PATCH".
VKONNX_API std::string_view version() noexcept;

}  // namespace vkonnx

#endif
