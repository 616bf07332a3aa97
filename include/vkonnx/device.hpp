// SPDX-License-Identifier: Apache-2.0
//
// vkonnx 0.1.0: devices, and what runs on them.
#ifndef VKONNX_DEVICE_HPP
#define VKONNX_DEVICE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
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
#include <vkonnx/prepare.hpp>
#include <vkonnx/status.hpp>
#include <vkonnx/tensor_desc.hpp>

struct VkAllocationCallbacks;  // of Vulkan's own headers, which are not needed here

namespace vkonnx {

enum class LogLevel : uint8_t { info, warning, error };

enum class DeviceKind : uint8_t { other, integrated_gpu, discrete_gpu, virtual_gpu, cpu };

struct DeviceInfo {
    uint32_t index = 0;  // place in Device::list
    std::string name = {};
    DeviceKind kind = DeviceKind::other;
    std::string driver = {};  // name and version, as the driver words them
    std::array<uint32_t, 3> api_version = {};
    uint32_t vendor_id = 0;          // PCI's, or Vulkan's own for vendors without one: see VkPhysicalDeviceProperties
    uint32_t device_id = 0;          // of the kind of device, in the vendor's own numbers
    std::string uuid = {};           // 32 hexadecimal digits
    std::string rejected = {};       // why this device can't be opened; empty when it can
    Capabilities capabilities = {};  // without the findings of the self-test
};

// DeviceOptions say which device is opened, and how.
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
    // This becomes Capabilities::work_per_second, in multiply-adds a second, in place of what the self-test measures. Plans are
    // then equal at every opening, however busy the machine is. At 0 it is measured. `capabilities` may lower it.
    double work_per_second = 0;
    // Enables VK_KHR_pipeline_executable_properties, for Device::compile; an error where it is missing.
    bool compiler_statistics = false;
    // A single wait that takes longer ends with Code::timeout.
    double timeout_seconds = 60;
    // At most so many bytes of device memory are taken from Vulkan, for tensors and the few buffers of the library. 0 is no
    // limit. What would exceed it is refused before anything is allocated, with Code::out_of_memory and the sizes.
    uint64_t max_memory = 0;
    // Every Vulkan call that creates, allocates, destroys or frees is given these. The struct is copied; what it points to must
    // outlive the device and all that was made by it. A null function where Vulkan wants one is refused.
    const ::VkAllocationCallbacks* allocation_callbacks = nullptr;
    // Device::tunings gave this text before, of this or other devices. PrepareOptions::tune times nothing that is in it for this
    // device and driver, unless the kernel doesn't fit any more. A line that can't be read is an error.
    std::string tunings = {};
    // The device keeps at most so many pipelines that no Op holds, and drops the least recently used one first.
    uint32_t max_cached_pipelines = 64;
    // The device keeps in this folder, which it makes where it is missing, what took long, for later processes: compiled
    // pipelines, the findings of the self-test, peaks and tunings, in one file for each device and driver, of at most 64 MiB. ""
    // keeps nothing. The folder should be writable by nobody else, since drivers trust what they compiled; `default_cache_folder`
    // is the user's own. A file that is missing, damaged or of another version, and one that can't be written, is never an error:
    // see Device::cache_use.
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
    // The driver tells these figures, by its own names: registers, spills, instructions.
    std::vector<std::pair<std::string, double>> statistics = {};
    // The program as text, on its way ("NIR Shader(s)") and at its end ("Assembly"), where the driver shows any.
    std::vector<std::pair<std::string, std::string>> texts = {};
};

// An Op is an operator with its attributes, input and output descriptions: checked, planned, compiled. It is immutable, and may
// be used in any thread.
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

// A Job is work that was submitted. It is a small handle: copying it and letting it go costs nothing and stops nothing, and it
// keeps what the work uses alive. When the last handle of a Binding or Recording (itself, its Jobs, Recordings that added it)
// goes while it is in flight, its destructor waits for the work, at most DeviceOptions::timeout_seconds; then, or when the driver
// can't tell, the device is given up, and what the work uses is never freed.
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
    // Does the same without the wait.
    Result<Job> submit();
    // Returns the GPU seconds of each added binding in the last run, or in the last job once its end was seen. They are empty
    // where the device has no timestamps.
    std::span<const double> seconds() const noexcept;

private:
    friend struct api::Access;
    std::shared_ptr<api::RecordingState> state_;
};

// A Device is an open Vulkan device. All of its functions may be called from many threads at once.
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
    // and so does the last handle of the device when it goes. Never an error: cache_use tells. It may be called in any thread.
    void save_cache() const noexcept;
    CacheUse cache_use() const noexcept;

    // Runs two probes, some tenths of a second and up to 1 GiB of device memory in all, best while the device is idle; what was
    // measured before is given again where it was kept (DeviceOptions::cache_folder).
    Result<Peaks> measure_peaks() const;

    // Submits and waits: no allocation, no creation of Vulkan objects, no descriptor updates, one submit, or several where the
    // estimate is above PrepareOptions::max_dispatch_seconds. The first run of a Binding also records its commands. Not two
    // threads with one Binding. What a call that failed has left at work, the next one waits for first.
    Status run(const Binding& binding) const;
    // Does the same without the wait. The first submit of a Binding records its commands with timestamps, anew where `run`
    // recorded them without; later ones only submit. Not two threads with one Binding.
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
