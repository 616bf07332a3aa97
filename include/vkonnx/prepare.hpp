// SPDX-License-Identifier: Apache-2.0
//
// vkonnx 0.1.0: what a plan is made of and tells. That is tensors on a device, constants, options and explanations.
#ifndef VKONNX_PREPARE_HPP
#define VKONNX_PREPARE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <vkonnx/capabilities.hpp>
#include <vkonnx/export.hpp>
#include <vkonnx/operators.hpp>
#include <vkonnx/schema.hpp>
#include <vkonnx/status.hpp>
#include <vkonnx/tensor_desc.hpp>

namespace vkonnx {

namespace api {  // behind the handles
struct Access;
struct DeviceState;
struct TensorState;
struct WeightsState;
struct StagingState;
struct OpState;
struct BindingState;
struct JobState;
struct RecordingState;
}  // namespace api

namespace plan {
struct PipelineState;
}

// A Tensor is a tensor in device memory.
class VKONNX_API Tensor {
public:
    explicit operator bool() const noexcept { return state_ != nullptr; }  // not an empty handle
    const TensorDesc& desc() const noexcept;
    // Copies all elements between host and device; the sizes must be equal. Waits until done. An upload must not overlap a
    // run or job that uses the tensor, and a download none that writes it: wait for the job first. Other jobs may be in flight;
    // where the host sees the tensor's memory (software drivers, integrated GPUs) the copy does not wait for them. Any thread.
    Status upload(std::span<const std::byte> bytes);
    Status download(std::span<std::byte> bytes) const;
    // Copies all elements into memory that is made for them and written once. All that is said of `download` above holds here.
    Result<std::vector<std::byte>> download() const;
    // These do the same for typed memory: t.upload(std::vector<float>{...}).
    template <class Range>
    requires(!std::is_convertible_v<Range&&, std::span<const std::byte>>) Status upload(const Range& elements)
    {
        return upload(std::as_bytes(std::span(elements)));
    }
    template <class Range>
    requires(!std::is_convertible_v<Range&&, std::span<std::byte>>) Status download(Range&& elements)
    const { return download(std::as_writable_bytes(std::span(elements))); }
    // Returns the same memory under other dimensions with the same number of elements; no copy, no work. Any thread.
    Result<Tensor> view(std::vector<int64_t> dims) const;
    // Returns the elements of `desc` in this tensor's memory, from byte `offset` on, a multiple of
    // Capabilities::storage_buffer_alignment (of texel_buffer_alignment, too, for kernels that read texels) and of 4. A tensor of
    // bytes can so hold many others. Any thread.
    Result<Tensor> part(uint64_t offset, const TensorDesc& desc) const;
    // Tells whether both have bytes in common, as far as their buffers tell: false for an empty handle, and for a tensor without
    // elements. Any thread.
    bool shares_memory(const Tensor& other) const noexcept;

private:
    friend struct api::Access;
    std::shared_ptr<api::TensorState> state_;
};

class Device;

// Weights are the elements of a constant input, made where a kernel asks for them, and known again by all Ops that are prepared
// with the same Weights, for inputs of other sizes above all. What one Op packs the others share. The elements themselves lie on
// the device only while they are packed, or where an Op reads them as they are.
class VKONNX_API Weights {
public:
    explicit operator bool() const noexcept { return state_ != nullptr; }  // not an empty handle
    // `fill` uploads the elements, always the same, to the tensor that it is given, of `desc`, whose memory the host sees: whole,
    // or in parts. Device::prepare calls it, in its own thread, but two never at once, whenever a kernel asks for the elements
    // and no Op holds them. Its error is that of `prepare`. It must not throw, nor prepare anything with constants, nor keep the
    // tensor.
    static Result<Weights> create(const Device& device, const TensorDesc& desc, std::function<Status(Tensor& to)> fill);
    const TensorDesc& desc() const noexcept;

private:
    friend struct api::Access;
    std::shared_ptr<api::WeightsState> state_;
};

// A ConstantInput is an input that does not change, by its place among the inputs given to `prepare`. What is only explained
// needs no elements.
struct ConstantInput {
    size_t input = 0;
    Tensor tensor = {};
    Weights weights = {};  // in place of a tensor
};

// A Prologue is what each element x of the input X of a convolution or pool goes through before it is multiplied or added: t = x
// * scale + offset where it is scaled, by the numbers of its channel, then the kind's operator on t, PRelu by the channel's
// slope. Padding is added behind it.
struct Prologue {
    bool scaled = false;
    ElementwiseKind kind = ElementwiseKind::identity;  // one of prologue_kinds; Identity only where it is scaled

    friend bool operator==(const Prologue&, const Prologue&) = default;
};

// A Staging is what preparing sends to a device, gathered from several operators (PrepareOptions::staging): constants go up and
// are packed by one submit for 16 MiB of them, or one larger constant, where otherwise each operator waits for a submit of its
// own. Any thread.
class VKONNX_API Staging {
public:
    explicit operator bool() const noexcept { return state_ != nullptr; }  // not an empty handle
    static Result<Staging> create(const Device& device);
    // Submits what is left and waits. It may go on being used. After an error what is left stays for another try.
    Status finish() const;

private:
    friend struct api::Access;
    std::shared_ptr<api::StagingState> state_;
};

// A PlannedPipeline is a pipeline that a plan uses: a kernel, and all that a driver compiles it with. Equal ones are compiled to
// the same.
class VKONNX_API PlannedPipeline {
public:
    explicit operator bool() const noexcept { return state_ != nullptr; }  // not an empty handle
    std::string_view kernel() const noexcept;                              // with its type, as Explanation::kernel
    std::span<const std::pair<std::string, uint32_t>> specialization() const noexcept;
    bool operator==(const PlannedPipeline& other) const noexcept;

private:
    friend struct api::Access;
    std::shared_ptr<const plan::PipelineState> state_;
};

// PrepareOptions say how an operator is planned and prepared.
struct PrepareOptions {
    // Forces a kernel by its name without the type ("conv_transpose_nd"); an unfit or unknown one is an error that lists those
    // that fit.
    std::string kernel = {};
    // Asks for equal bits on every device that rounds sums and products of floats to nearest, whatever the kernel and however the
    // problem is cut, as long as no input, product or partial sum is denormal and no result NaN. On other devices it is an error.
    bool reproducible = false;
    // Device::prepare times the kernels that fit, on inputs of its own, where estimates don't tell them clearly apart, and takes
    // the fastest: some runs of each, one problem at a time on a Device, best while it is idle. The Device keeps what it found
    // (Device::tunings), and never times a problem twice. Without memory for it, and in `explain`, which has no device, estimates
    // decide; beside `kernel` it counts for nothing.
    bool tune = false;
    // No dispatch, and no submit of several, is planned to take longer, by Capabilities::work_per_second: systems reset a GPU
    // that does not answer for some seconds. What would take longer is cut, with the same bits as result; into more than 65,536
    // dispatches nothing is cut, but refused. Greater than 0; infinity is no limit.
    double max_dispatch_seconds = 0.5;
    // Scratch memory should not exceed so many bytes: convolutions then pack their input in bands, one after the other. It is no
    // error where it does. Sessions set what keeps their peak near the values that live at once.
    uint64_t scratch_budget = UINT64_MAX;
    // These inputs do not change; most are weights. `bind` takes the others only. A kernel may read such an input in a form of
    // its own, packed memory, which Device::prepare then makes by a submit for which it waits. A tensor must have its elements
    // before, and keep them while an Op lives that was prepared with it. An Op keeps it alive only where it reads it as it is;
    // those that want the same of the same tensor share their packed memory.
    std::vector<ConstantInput> constants = {};
    // This operator follows Conv, ConvTranspose of either dialect, Gemm or MatMul, and is computed before the output is stored.
    // It is one of epilogue_kinds. Elements are what that operator's own kernel would make of them, but halves are rounded once,
    // at the end. Clip's bounds are attributes here in every version; `steps` may be a Mul, an Add or both in this order, by
    // numbers. Sessions do this by themselves.
    std::optional<Elementwise> epilogue = {};
    // The prologue is computed of each element of X where a Conv, a ConvTranspose of either dialect or a GlobalAveragePool reads
    // it. Its numbers are one more input: input 3, behind the place of B, or input 1 of the pool. It has X's type and a row for
    // each channel with the numbers that the prologue has, in this order: scale, offset, slope. A Relu alone has no numbers and
    // no such input. Each product and each sum is rounded by itself, those of halves as floats. Sessions do this by themselves.
    std::optional<Prologue> prologue = {};
    // These pipelines are there already. A kernel that needs others is taken only where it is estimated to take less than half of
    // the time: building them costs as much as many runs. Sessions name those of their first plan when they prepare for other
    // sizes, on devices that are no CPUs.
    std::vector<PlannedPipeline> built = {};
    // Device::prepare need not wait: what it sends to the device is there once this is finished, which binding the Op does where
    // nobody did before. Tensors in `constants` must keep their elements until then.
    Staging staging = {};
};

// An Explanation tells how a problem was understood and what would run. It is pure and needs no device.
struct Explanation {
    std::vector<TensorDesc> outputs = {};
    std::vector<int64_t> pads_begin = {};  // resolved, a spatial axis each; empty for Shape
    std::vector<int64_t> pads_end = {};
    // It names the document and the rule that gave pads and sizes, and has a line for each spatial axis with its numbers, then
    // the prologue and the epilogue.
    std::string equation = {};
    // The kernel that was picked, with its type ("conv_transpose_direct_f32"): f32, f16, bf16, f64, and f64_soft for doubles in
    // integer words; "host" when nothing is dispatched.
    std::string kernel = {};
    std::vector<std::pair<std::string, uint32_t>> specialization = {};  // of the dispatch that is estimated to take longest
    std::vector<PlannedPipeline> pipelines = {};                        // all, those that pack constant inputs among them
    std::vector<std::array<uint32_t, 3>> grids = {};                    // workgroups, one a dispatch
    double seconds = 0;                                                 // the estimate of all dispatches, as KernelInfo has it
    uint64_t scratch_bytes = 0;                                         // device memory that a Binding needs besides the tensors
    uint64_t packed_bytes = 0;  // device memory that the Op needs for constant inputs in a form of its own
    std::string why = {};       // why this kernel
    // The output may have the memory of one of these inputs, which are named by their places: see Device::bind.
    std::vector<size_t> in_place = {};
    std::vector<int64_t> host_result = {};  // the result of a Shape, known already; empty for other operators
};

VKONNX_API Result<Explanation> explain(const Operator& op, std::span<const TensorDesc> inputs, const Capabilities& capabilities,
                                       const PrepareOptions& options = {});

// A KernelInfo is one of an operator's kernels, in the eyes of a problem.
struct KernelInfo {
    std::string name = {};      // as PrepareOptions::kernel takes it
    std::string unfit = {};     // why it can't run the problem, for the middle of a sentence; empty where it can
    double seconds = 0;         // where it can, the estimate of all its dispatches, by Capabilities::work_per_second
    bool keeps_order = true;    // adds in the operator's own order: no other fits with PrepareOptions::reproducible
    bool only_by_name = false;  // never picked, only forced
    bool last_resort = false;   // picked only where no other fits
};

// Returns all kernels of the operator. Of those that fit, the one of the least `seconds`, the first of equals, is what `explain`
// tells of. It is pure and needs no device. `options.kernel` and `options.built` do not count. There are none for what runs on
// the host, Shape and empty outputs.
VKONNX_API Result<std::vector<KernelInfo>> kernels(const Operator& op, std::span<const TensorDesc> inputs,
                                                   const Capabilities& capabilities, const PrepareOptions& options = {});

}  // namespace vkonnx

#endif
