// SPDX-License-Identifier: Apache-2.0
//
// vkonnx 0.1.0: ONNX operators as Vulkan compute shaders.
// Licensed as LICENSE says. Report what goes wrong, with what `vkonnx devices` prints, to where you got vkonnx from.
//
//   Result<Device> gpu = Device::open();
//   Result<Op> op = gpu->prepare(ConvTranspose{.strides = {2, 2}}, {x.desc(), w.desc()});
//   Status done = gpu->run(*op, {x, w}, {y});
//
// Three steps, each with its own cost. `prepare` checks attributes and shapes, picks a kernel and fetches its pipeline.
// `bind` ties an Op to tensors. `run` of a Binding, or of a Recording of many, only submits and waits: it allocates nothing.
// `submit` is `run` without the wait: it gives a Job to wait for.
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

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <vkonnx/export.hpp>
#include <vkonnx/operators.hpp>

struct VkAllocationCallbacks;  // of Vulkan's own headers, which are not needed here

namespace vkonnx {

// Returns "MAJOR.MINOR.PATCH".
VKONNX_API std::string_view version() noexcept;

// ---------------------------------------------------------------------------------------------------------- errors

enum class Code : uint8_t {
    ok,
    invalid_argument,  // an attribute, shape, type or file content that the operator's document forbids
    unsupported,       // legal, but beyond this library or this device
    out_of_memory,     // host or device
    no_loader,         // no Vulkan loader on this machine
    no_driver,         // a loader, but no driver that it accepts
    no_device,         // no device that fits the selection
    device_lost,       // the device is gone, or was given up; every later call on it says so
    timeout,           // the device did not answer in DeviceOptions::timeout_seconds
    io,                // a file could not be read or written
    driver_error,      // any other failure of a Vulkan call
};

class [[nodiscard]] Status {
public:
    Status() = default;
    Status(Code code, std::string message) noexcept : code_(code), text_(std::move(message)) {}
    // The sentence must outlive everything (a literal): for failures that must not allocate.
    static Status from_literal(Code code, const char* sentence) noexcept
    {
        Status status;
        status.code_ = code;
        status.literal_ = sentence;
        return status;
    }

    bool ok() const noexcept { return code_ == Code::ok; }
    explicit operator bool() const noexcept { return ok(); }
    Code code() const noexcept { return code_; }
    std::string_view message() const noexcept { return literal_ ? std::string_view(literal_) : std::string_view(text_); }

private:
    Code code_ = Code::ok;
    const char* literal_ = nullptr;
    std::string text_;
};

// A value, or the Status that says why there is none. Reading the value of a failed Result is a programmer's error.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : value_(std::move(value)) {}
    Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }

    bool ok() const noexcept { return value_.has_value(); }
    explicit operator bool() const noexcept { return ok(); }
    const Status& status() const noexcept { return status_; }
    Code code() const noexcept { return status_.code(); }
    std::string_view message() const noexcept { return status_.message(); }

    T& operator*() { return assert(value_), *value_; }
    const T& operator*() const { return assert(value_), *value_; }
    T* operator->() { return assert(value_), &*value_; }
    const T* operator->() const { return assert(value_), &*value_; }

private:
    Status status_;
    std::optional<T> value_;
};

// --------------------------------------------------------------------------------------------------------- tensors

// The numbers are those of ONNX's TensorProto.DataType.
enum class DType : uint8_t {
    undefined = 0,
    float32 = 1,
    uint8 = 2,
    int8 = 3,
    uint16 = 4,
    int16 = 5,
    int32 = 6,
    int64 = 7,
    string = 8,
    boolean = 9,
    float16 = 10,
    float64 = 11,
    uint32 = 12,
    uint64 = 13,
    complex64 = 14,
    complex128 = 15,
    bfloat16 = 16,
    float8e4m3fn = 17,
    float8e4m3fnuz = 18,
    float8e5m2 = 19,
    float8e5m2fnuz = 20,
    uint4 = 21,
    int4 = 22,
    float4e2m1 = 23,
    float8e8m0 = 24,
    uint2 = 25,
    int2 = 26,
};

// Returns ONNX's own word: "float" is float32 and "double" is float64. It is "undefined" for a number that is no type.
VKONNX_API std::string_view name(DType dtype) noexcept;

// Returns the bits of one element, 0 for string and undefined. Types below 8 bits are packed, lowest bits first, as ONNX packs
// them.
VKONNX_API uint32_t bits(DType dtype) noexcept;

// Returns "NCX" or "NXC", or "" for a number that is neither.
VKONNX_API std::string_view name(Layout layout) noexcept;

// A TensorDesc is a type and dimensions, outermost first as they lie in memory, with elements contiguous in row-major order. A
// scalar has no dimensions.
struct TensorDesc {
    DType dtype = DType::float32;
    std::vector<int64_t> dims = {};
    // The layout tells what the dimensions mean to ConvTranspose and AveragePool, whose output lies as their input X does.
    Layout layout = Layout::ncx;

    friend bool operator==(const TensorDesc&, const TensorDesc&) = default;
};

// Returns the number of elements, or an error for a negative dimension or a product beyond 2^63 - 1.
VKONNX_API Result<int64_t> element_count(const TensorDesc& desc);

// Returns the bytes of all elements, or an error as above, and for types without a fixed size.
VKONNX_API Result<uint64_t> byte_size(const TensorDesc& desc);

// Returns "float[1,3,64,64]" or "float[1,64,64,3] NXC", for example. With the host out of memory it returns the type alone,
// "float".
VKONNX_API std::string to_string(const TensorDesc& desc) noexcept;

// ------------------------------------------------------------------------------------------------------- operators
//
// Their attributes are in operators.hpp. An operator may be passed as what it is, ConvTranspose{...}: it becomes an Operator
// before the call begins, by a move or, where it is a variable, by a copy, which throws as copies do.

// Returns the output descriptions for these inputs. It is pure and needs no device. Optional inputs that are not given are left
// off at the end; one before the last that is given (Clip's min) is described by DType::undefined. `bind` takes no tensor for it,
// and Op::inputs() leaves it out.
VKONNX_API Result<std::vector<TensorDesc>> infer(const Operator& op, std::span<const TensorDesc> inputs);

// What the documents of an operator say of its inputs, outputs and attributes, in all the versions that are supported. The
// library checks by it which version a model means, which attributes this version has, and how many inputs of which types, in
// calls and in model files. All texts and lists are constants.
struct Schema {
    static constexpr int64_t newest = INT64_MAX;  // as `until`: up to the newest version, and those to come

    // The operator takes the type from this version on.
    struct Type {
        DType dtype = DType::undefined;
        int64_t since = 1;
    };

    // ONNX's FormalParameterOption: there must be one, there may be one, there may be any number of them from one on.
    enum class Option : uint8_t { single, optional, variadic };

    // An input of the versions `since` to `until`, both included. One whose name or types differ between versions stands here
    // several times.
    struct Input {
        std::string_view name = {};             // of several alike the first one's, "data_0"
        std::string_view type_constraint = {};  // "T": inputs of the same constraint have the same type
        std::span<const Type> types = {};
        Option option = Option::single;
        // A member of the operator's struct that holds the input's elements, "pads", because they must be known beforehand.
        // `infer`, `prepare` and `bind` don't count such an input.
        std::string_view member = {};
        int64_t since = 1;
        int64_t until = newest;

        bool is_at(int64_t version) const noexcept { return since <= version && version <= until; }
    };

    struct Output {
        std::string_view name = {};
        Option option = Option::single;
        int64_t since = 1;
    };

    // An attribute of the versions `since` to `until`, both included.
    struct Attribute {
        std::string_view name = {};  // as fields() visits it
        int64_t since = 1;
        int64_t until = newest;
    };

    std::string_view domain = {};  // "": ONNX's own
    std::string_view name = {};
    std::span<const int64_t> versions = {};  // ascending
    std::string_view older = {};             // why versions before the first one are refused; "": there are none
    std::span<const Input> inputs = {};      // in the documents' order
    std::span<const Output> outputs = {};
    std::span<const Attribute> attributes = {};
    bool non_negative = false;  // no element of an output is below 0, whatever the inputs are

    // Returns the newest version that is not newer than the model's opset, or an error for an opset before the first.
    VKONNX_API Result<int64_t> version_at(int64_t opset) const;
};

// Returns null for an Elementwise whose kind is none.
VKONNX_API const Schema* schema(const Operator& op) noexcept;

// A Signature is what an operator takes in all of its versions together, for those who offer operators by name. Names are
// literals.
struct Signature {
    std::vector<std::string_view> inputs =
        {};  // the document's names; behind the last of several alike ("data_0") more may follow
    size_t least_inputs = 1;
    size_t most_inputs = 1;
    std::vector<std::string_view> attributes = {};  // of those that fields() visits, those that it has
};
VKONNX_API Result<Signature> signature(const Operator& op);

// What the operator computes, on the host, without a device: what models compute shapes with, exact by nature. `data` are the
// inputs' elements, row-major and little-endian, empty for one that is not given; the results are the outputs', as `infer`
// describes them. Shape, operators that only move elements, those of logic.hpp, and elementwise ones of int32 and int64 but Clip,
// Pow and those with steps (Elementwise::steps). Code::unsupported for others.
VKONNX_API Result<std::vector<std::vector<std::byte>>> evaluate(const Operator& op, std::span<const TensorDesc> inputs,
                                                                std::span<const std::span<const std::byte>> data);

// ---------------------------------------------------------------------------------------------------- capabilities

// Capabilities are what a device offers, as far as choosing a kernel depends on it. They are read from a device, lowered through
// DeviceOptions::capabilities, or invented for `explain`. No plan exceeds any of it: what is too little for an operator (0
// invocations, 3 storage buffers for ConvTranspose) is refused by a sentence that names the field.
struct Capabilities {
    std::string name = "minimum";
    bool is_cpu = false;                           // a software driver
    uint64_t max_storage_buffer_range = 1u << 27;  // bytes
    uint32_t storage_buffer_alignment = 256;       // bytes, of a bound buffer's offset; a power of two
    uint32_t max_texel_buffer_elements = 65536;    // texels of a view
    uint32_t texel_buffer_alignment = 256;         // bytes, of a view's offset; a power of two
    uint32_t max_uniform_buffer_range = 16384;     // bytes
    uint32_t max_storage_buffers = 4;              // per shader stage
    uint32_t max_push_constant_bytes = 128;
    uint32_t max_invocations = 128;  // per workgroup
    std::array<uint32_t, 3> max_workgroup_size = {128, 128, 64};
    std::array<uint32_t, 3> max_group_count = {65535, 65535, 65535};
    uint32_t max_shared_bytes = 16384;
    uint32_t max_loop_iterations = UINT32_MAX;  // of one invocation, all its loops together; lavapipe stops at 65,535
    // Registers of 32 bits that a compiler gives an invocation before it moves values to memory. No driver tells it: it is known
    // by vendor and chip. Kernels keep as many sums at once as this allows.
    uint32_t invocation_registers = 64;
    uint32_t subgroup_size = 1;
    bool subgroup_shuffles = false;  // in compute shaders, a subgroup's invocations read each other's registers by number
    bool timestamps = false;
    bool float16 = false;                    // arithmetic in halves (shaderFloat16)
    bool float64 = false;                    // arithmetic in doubles (shaderFloat64), unless the self-test saw it round wrongly
    bool storage16 = false;                  // loads and stores of single halves in buffers (storageBuffer16BitAccess)
    bool rounds_to_nearest = false;          // f32 addition and multiplication, as the self-test at opening saw them
    bool keeps_signed_zero_inf_nan = false;  // SignedZeroInfNanPreserve for f32
    // Products of matrices in halves by a subgroup, with sums in floats (VK_KHR_cooperative_matrix), unless the self-test saw
    // them wrong; and the rows, columns and depth of one: M, N and K.
    bool cooperative_matrices = false;
    std::array<uint32_t, 3> cooperative_matrix = {};
    // Multiply-adds of plain kernels, with their loads, in a second: what the time of a dispatch is estimated by. Measured by the
    // self-test at opening, roughly. Greater than 0 and finite.
    double work_per_second = 1e8;

    friend bool operator==(const Capabilities&, const Capabilities&) = default;

    // "minimum" (what Vulkan 1.1 guarantees), "lavapipe", "swiftshader", "desktop", "mobile", and chips as their drivers describe
    // them: "amd-navi21", "nvidia-turing", "mali-g610" and others. A chip's work_per_second is assumed, not measured.
    VKONNX_API static Result<Capabilities> preset(std::string_view name);
    VKONNX_API static std::span<const std::string_view> preset_names() noexcept;
    // Returns the lesser of both in every field: what remains of `*this` under `limit`. It keeps this name; with the host out of
    // memory the name is "".
    VKONNX_API Capabilities lowered_to(const Capabilities& limit) const noexcept;
};

// ------------------------------------------------------------------------------------------------------- preparing

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

// Elements of constant inputs, made where a kernel asks for them, and known again by all Ops that are prepared with the same
// Weights, for inputs of other sizes above all: what one of them packs the others share, without the elements, which lie on the
// device only while they are packed or where an Op reads them as they are.
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

struct PrepareOptions {
    // Forces a kernel by its name without the type ("conv_transpose_nd"); an unfit or unknown one is an error that lists those
    // that fit.
    std::string kernel = {};
    // Equal bits on every device that rounds sums and products of floats to nearest, whatever the kernel and however the problem
    // is cut, as long as no input, product or partial sum is denormal and no result NaN. An error on other devices.
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
    // Bytes that scratch memory should not exceed: convolutions then pack their input in bands, one after the other. No error
    // where it does. Sessions set what keeps their peak near the values that live at once.
    uint64_t scratch_budget = UINT64_MAX;
    // Inputs that do not change, weights above all. `bind` takes the others only. A kernel may read such an input in a form of
    // its own, packed memory, which Device::prepare then makes by a submit for which it waits. A tensor must have its elements
    // before, and keep them while an Op lives that was prepared with it. An Op keeps it alive only where it reads it as it is;
    // those that want the same of the same tensor share their packed memory.
    std::vector<ConstantInput> constants = {};
    // An operator behind Conv, ConvTranspose of either dialect, Gemm or MatMul, computed before the output is stored: one
    // of epilogue_kinds. Elements are what that operator's own kernel would make of them, but halves are rounded once, at
    // the end. Clip's bounds are attributes here in every version; `steps` may be a Mul, an Add or both in this order, by
    // numbers. Sessions do this by themselves.
    std::optional<Elementwise> epilogue = {};
    // What is computed of each element of X where a Conv, a ConvTranspose of either dialect or a GlobalAveragePool reads it. Its
    // numbers are one more input: input 3, behind the place of B, or input 1 of the pool. It has X's type and a row for each
    // channel with the numbers that the prologue has, in this order: scale, offset, slope. A Relu alone has no numbers and no
    // such input. Each product and each sum is rounded by itself, those of halves as floats. Sessions do this by themselves.
    std::optional<Prologue> prologue = {};
    // Pipelines that are there already. A kernel that needs others is taken only where it is estimated to take less than half of
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
    // The document and rule that gave pads and sizes, then a line for each spatial axis with its numbers, then the prologue and
    // the epilogue.
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
    // Inputs, by their places among those given, whose memory the output may be: see Device::bind.
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

// --------------------------------------------------------------------------------------------------------- devices

enum class LogLevel : uint8_t { info, warning, error };

enum class DeviceKind : uint8_t { other, integrated_gpu, discrete_gpu, virtual_gpu, cpu };

struct DeviceInfo {
    uint32_t index = 0;  // place in Device::list
    std::string name = {};
    DeviceKind kind = DeviceKind::other;
    std::string driver = {};  // name and version, as the driver words them
    std::array<uint32_t, 3> api_version = {};
    std::string uuid = {};           // 32 hexadecimal digits
    std::string rejected = {};       // why this device can't be opened; empty when it can
    Capabilities capabilities = {};  // without the findings of the self-test
};

struct DeviceOptions {
    // "" (the best: discrete, integrated, virtual, other, cpu), an index of Device::list, "gpu", "cpu", "gpu:1" (the second
    // of that kind), "uuid:..." or a part of the name; a part that fits several devices is an error that lists them.
    std::string select = {};
    // Replaces the system's loader: a PFN_vkGetInstanceProcAddr, cast. It must outlive the device.
    void (*get_instance_proc_addr)() = nullptr;
    // Lowers what the device offers; see Capabilities::lowered_to.
    std::optional<Capabilities> capabilities = {};
    // Enables VK_LAYER_KHRONOS_validation (an error where it is missing); its messages go to `log`.
    bool validation = false;
    // Enables VK_EXT_debug_utils where present: pipelines and buffers bear names, operators a label in captures.
    bool debug_names = false;
    // Runs tiny shaders with known answers, some milliseconds, and refuses a device that fails them; one that only fails with
    // doubles computes those in integer words. Also measures Capabilities::work_per_second.
    bool self_test = true;
    // Enables VK_KHR_pipeline_executable_properties, for Device::compile; an error where it is missing.
    bool compiler_statistics = false;
    // The longest that a single wait may take before it ends with Code::timeout.
    double timeout_seconds = 60;
    // The most device memory that may be taken from Vulkan, in bytes, for tensors and the few buffers of the library; 0: no
    // limit. What would exceed it is refused before anything is allocated, with Code::out_of_memory and the sizes.
    uint64_t max_memory = 0;
    // Given to every Vulkan call that creates, allocates, destroys or frees. The struct is copied; what it points to must
    // outlive the device and all that was made by it. A null function where Vulkan wants one is refused.
    const ::VkAllocationCallbacks* allocation_callbacks = nullptr;
    // What Device::tunings gave before, of this or other devices: PrepareOptions::tune times nothing that is in it for this
    // device and driver, but where the kernel doesn't fit any more. A line that can't be read is an error.
    std::string tunings = {};
    // Pipelines kept when no Op holds them, least recently used dropped first.
    uint32_t max_cached_pipelines = 64;
    // A folder, made where it is missing, in which later processes find what took long: compiled pipelines, the findings of the
    // self-test, peaks and tunings, in one file for each device and driver, of at most 64 MiB. Empty: nothing is kept. It should
    // be writable by nobody else, since drivers trust what they compiled; `default_cache_folder` is the user's own. A file that
    // is missing, damaged or of another version, and one that can't be written, is never an error: see Device::cache_use.
    std::string cache_folder = {};
    // Applications that keep bytes elsewhere than in files give these two functions in place of a folder: both or none.
    // `load_cache` returns what `store_cache` was last given under this name, or nothing. The threads that open the device,
    // prepare and let the device go call them. They must not throw, nor use the device.
    std::function<std::vector<std::byte>(std::string_view name)> load_cache = {};
    std::function<void(std::string_view name, std::span<const std::byte> bytes)> store_cache = {};
    // May be called from any thread that uses the device; must not throw.
    std::function<void(LogLevel, std::string_view)> log = {};
};

// A MemoryUse is the device memory of one Device, in bytes: its tensors, and the buffers of the library.
struct MemoryUse {
    uint64_t used = 0;       // by buffers, but those of staging
    uint64_t allocated = 0;  // taken from Vulkan, in blocks that buffers share; what DeviceOptions::max_memory limits
    uint64_t peak_used = 0;  // the most at any time since the device was opened
    uint64_t peak_allocated = 0;
    uint64_t limit = 0;         // DeviceOptions::max_memory
    uint64_t staging = 0;       // by buffers that uploads and downloads go through, memory that the host sees
    uint64_t peak_staging = 0;  // the most of it
};

// A CacheUse tells what DeviceOptions::cache_folder, or load_cache and store_cache, have done for one Device.
struct CacheUse {
    std::string place = {};      // the file, or the name that the callbacks are given; empty: nothing is kept
    std::string missed = {};     // why nothing was read when the device was opened; empty when something was
    std::string unwritten = {};  // why the last write did not happen; empty when it did, or none was needed
    uint64_t read_bytes = 0;
    uint64_t written_bytes = 0;  // by the last write
    uint32_t read_pipelines = 0;
    uint32_t found = 0;      // pipelines that were built from what was read
    uint32_t confirmed = 0;  // of these, those that the driver said it did not compile (VK_EXT_pipeline_creation_feedback)
    uint32_t compiled = 0;   // all other pipelines
    uint32_t kept = 0;       // of these, those for which the driver gave anything to keep
    uint32_t writes = 0;
};

// Returns where the tools keep theirs: the environment variable VKONNX_CACHE_DIR, which may be empty, or else vkonnx within the
// platform's folder for caches (XDG_CACHE_HOME or ~/.cache, ~/Library/Caches, %LOCALAPPDATA%). It is empty where there is none.
VKONNX_API std::string default_cache_folder() noexcept;

// Peaks are what a device reaches at best, measured: the roofs of a roofline plot.
struct Peaks {
    double flops_f32 = 0;              // multiply-add chains; a multiply-add counts as two
    double flops_f16 = 0;              // the same in halves; 0 without Capabilities::float16
    double copy_bytes_per_second = 0;  // bytes read plus bytes written, beyond the size of caches
};

// A CompiledProgram is one of the programs that a driver compiled a pipeline to; mostly there is one.
struct CompiledProgram {
    uint32_t subgroup_size = 0;
    // What the driver tells, by its own names: registers, spills, instructions.
    std::vector<std::pair<std::string, double>> statistics = {};
    // The program as text, on its way ("NIR Shader(s)") and at its end ("Assembly"), where the driver shows any.
    std::vector<std::pair<std::string, std::string>> texts = {};
};

// An Op is an operator with its attributes, input and output descriptions: checked, planned, compiled. It is immutable; any
// thread.
class VKONNX_API Op {
public:
    explicit operator bool() const noexcept { return state_ != nullptr; }  // not an empty handle
    std::span<const TensorDesc> inputs() const noexcept;
    std::span<const TensorDesc> outputs() const noexcept;
    const Explanation& explanation() const noexcept;
    // Returns the result of a Shape, known without running it. It is empty for other operators (and for the shape of a scalar).
    std::span<const int64_t> host_result() const noexcept;

private:
    friend struct api::Access;
    std::shared_ptr<const api::OpState> state_;
};

// A Binding is an Op tied to tensors. It is in flight once at a time: while a Job of it is not done, `run` and `submit` of it are
// errors.
class VKONNX_API Binding {
public:
    explicit operator bool() const noexcept { return state_ != nullptr; }  // not an empty handle

private:
    friend struct api::Access;
    std::shared_ptr<api::BindingState> state_;
};

// Work that was submitted. A small handle: copying it and letting it go costs nothing and stops nothing, and it keeps what the
// work uses alive. When the last handle of a Binding or Recording (itself, its Jobs, Recordings that added it) goes while it is
// in flight, its destructor waits for the work, at most DeviceOptions::timeout_seconds; then, or when the driver can't tell, the
// device is given up, and what the work uses is never freed.
//
// Threads: a Job belongs to one thread at a time, with its Binding or Recording; Jobs of others are independent of it.
class VKONNX_API Job {
public:
    explicit operator bool() const noexcept { return state_ != nullptr; }  // not an empty handle
    // Waits until the work is done; 0 only asks, infinity never ends by itself. Code::timeout says that it is still at work and
    // changes nothing: the job goes on, and may be waited for again. Code::device_lost: its results are lost.
    Status wait(double timeout_seconds);
    // Tells whether the work has ended, in failure too; then `wait` returns at once. Never waits.
    bool done() noexcept;
    // Returns the GPU seconds from begin to end, once `wait` or `done` saw the end and until the next submit. They are empty
    // where the device has no timestamps.
    std::optional<double> gpu_seconds() const noexcept;

private:
    friend struct api::Access;
    std::shared_ptr<api::JobState> state_;
    uint64_t number_ = 0;
};

// A Recording is many bindings, run in the order of `add` by one submit; barriers are set where one reads or writes what another
// wrote. Copies between the host and tensors may stand among them. It belongs to one thread at a time. It is in flight once at a
// time, as a Binding is; the Bindings in it may be in flight by themselves, too.
class VKONNX_API Recording {
public:
    explicit operator bool() const noexcept { return state_ != nullptr; }  // not an empty handle
    // Adds a binding. What is in flight already does not change.
    Status add(const Binding& binding);

    // Adds a copy of a tensor's elements, from or to memory of the host that the Recording has, and gives the copy's number.
    // Copies and bindings run in the order in which they were added. Nothing is copied where the host sees the tensor's memory
    // and the order allows it: where nothing before an upload uses that memory, and nothing behind a download writes it. The
    // others go through one buffer of MemoryUse::staging, as large as they are together.
    Result<size_t> add_upload(const Tensor& to);
    Result<size_t> add_download(const Tensor& from);
    // Gives the memory that an upload reads, the same until something is added. It is written before each run or submit, whole,
    // since afterwards its bytes may be any; and, as in Tensor::upload, while no run or job uses the tensor. An error while the
    // Recording is in flight.
    Result<std::span<std::byte>> upload_bytes(size_t number);
    // Gives what a download read in the last run, or in the last job once its end was seen. It is asked for after each, and stays
    // until the next run or submit, until something is added, or until other work writes the tensor. An error while the Recording
    // is in flight, and where it has not run to its end since something was added.
    Result<std::span<const std::byte>> download_bytes(size_t number);

    // Submits and waits. The commands are recorded on the first run after something was added, and only submitted again later.
    Status run();
    // The same without the wait.
    Result<Job> submit();
    // Returns the GPU seconds of each added binding in the last run, or in the last job once its end was seen. They are empty
    // where the device has no timestamps.
    std::span<const double> seconds() const noexcept;

private:
    friend struct api::Access;
    std::shared_ptr<api::RecordingState> state_;
};

// All functions may be called from many threads at once.
class VKONNX_API Device {
public:
    explicit operator bool() const noexcept { return state_ != nullptr; }  // not an empty handle
    // Returns all devices, those that can't be opened too, with the reason. Only get_instance_proc_addr, validation and log
    // count.
    static Result<std::vector<DeviceInfo>> list(const DeviceOptions& options = {});
    static Result<Device> open(const DeviceOptions& options = {});

    const DeviceInfo& info() const noexcept;
    const Capabilities& capabilities() const noexcept;
    MemoryUse memory() const noexcept;

    // Makes a tensor with undefined elements, or with these.
    Result<Tensor> tensor(const TensorDesc& desc) const;
    template <class Range>
    Result<Tensor> tensor(const TensorDesc& desc, const Range& elements) const
    {
        Result<Tensor> made = tensor(desc);
        if (made)
            if (Status status = made->upload(elements); !status)
                return Result<Tensor>(std::move(status));  // a copy could throw
        return made;
    }

    Result<Op> prepare(const Operator& op, std::span<const TensorDesc> inputs, const PrepareOptions& options = {}) const;
    Result<Op> prepare(const Operator& op, std::initializer_list<TensorDesc> inputs, const PrepareOptions& options = {}) const
    {
        return prepare(op, std::span<const TensorDesc>(inputs.begin(), inputs.size()), options);
    }

    // The tensors must have the Op's descriptions. Dimensions may differ by a view of equal size; a tensor described as NXC is
    // refused where NCX is expected, while NCX, the default, is taken for either. No output may share memory with an input or
    // another output, but for one: the first output may be exactly the memory of an input that Explanation::in_place names, and
    // takes its place. Shape takes its input or none. The Binding may go to another thread.
    //
    // `scratch`, unless it is empty: memory of at least Explanation::scratch_bytes, as a tensor of any type, that no other work
    // uses while the Binding runs; bindings that run one after another may share it. Without it the Binding allocates its own
    // where it needs any.
    Result<Binding> bind(const Op& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                         const Tensor& scratch = {}) const;

    Result<Recording> recording() const;

    // Tells what the driver's compiler makes of a pipeline that was planned for no more than this device offers, on a device
    // opened with DeviceOptions::compiler_statistics. Nothing runs, and nothing is kept.
    Result<std::vector<CompiledProgram>> compile(const PlannedPipeline& pipeline) const;

    // Returns what PrepareOptions::tune found, and what DeviceOptions::tunings held, as text: a line for each problem and device,
    // with the kernel in front, in the order of problems.
    Result<std::string> tunings() const;

    // Writes what there is to keep (DeviceOptions::cache_folder) and was not written yet. Sessions do so when they are prepared,
    // and so does the last handle of the device when it goes. Never an error: cache_use tells. Any thread.
    void save_cache() const noexcept;
    CacheUse cache_use() const noexcept;

    // Runs two probes, some tenths of a second and up to 1 GiB of device memory in all, best while the device is idle; what was
    // measured before is given again where it was kept (DeviceOptions::cache_folder).
    Result<Peaks> measure_peaks() const;

    // Submits and waits: no allocation, no creation of Vulkan objects, no descriptor updates, one submit, or several where the
    // estimate is above PrepareOptions::max_dispatch_seconds. The first run of a Binding also records its commands. Not two
    // threads with one Binding. What a call that failed has left at work, the next one waits for first.
    Status run(const Binding& binding) const;
    // The same without the wait. The first submit of a Binding records its commands with timestamps, anew where `run` recorded
    // them without; later ones only submit. Not two threads with one Binding.
    Result<Job> submit(const Binding& binding) const;
    // Binds and runs in one.
    Status run(const Op& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs) const;
    Status run(const Op& op, std::initializer_list<Tensor> inputs, std::initializer_list<Tensor> outputs) const
    {
        return run(op, std::span<const Tensor>(inputs.begin(), inputs.size()),
                   std::span<const Tensor>(outputs.begin(), outputs.size()));
    }

private:
    friend struct api::Access;
    std::shared_ptr<api::DeviceState> state_;
};

}  // namespace vkonnx

#endif
