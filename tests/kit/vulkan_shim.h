// Stands between the library and Vulkan: counts calls, poisons memory, sets guard bands, and makes a driver lie on request.
//
//   VulkanShim shim({.robust_buffer_access = false});
//   Device device = *Device::open({.get_instance_proc_addr = shim.get_instance_proc_addr()});
//   ...
//   EXPECT_EQ(shim.guard_report(), "");
//
// One shim at a time; every device opened through it must be gone before it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vkonnx::kit {

// What a driver does with a VkPipelineCache. All but the first keep which module each pipeline was built of, and say so where it
// is built again with what they gave.
enum class Caching : uint8_t {
    own,              // as the driver below does
    keeps,            // as it should be
    says_incomplete,  // VK_INCOMPLETE for data that is whole
    gives_nothing,    // no byte of data
    refuses_data,     // vkCreatePipelineCache fails with data
    fails_with_data,  // vkCreateComputePipelines fails with a cache that was made with data
};

struct ShimOptions {
    // A library that exports vkGetInstanceProcAddr (SwiftShader's own does); empty: the system's loader.
    std::string library = {};
    // Every byte of a fresh buffer is 0xFF, in recycled memory, too: an uninitialised float is a NaN.
    bool poison = true;
    // At least 256 bytes before and after every buffer that nobody may write; see guard_report.
    bool guards = true;
    // False: vkCreateDevice is told not to enable it, so that nothing hides an access out of bounds.
    bool robust_buffer_access = true;
    // Memory as on a discrete GPU: one type is device-local and not host-visible, one is host-visible and not coherent. What the
    // library maps is a shadow, which only flush and invalidate copy; ranges that break nonCoherentAtomSize are violations.
    bool split_memory = false;
    // Memory as on a mobile GPU: all of one type, device-local, host-visible and not coherent, with shadows as above.
    bool incoherent_memory = false;
    // What vkGetPhysicalDeviceProperties shall say.
    std::optional<uint32_t> api_version = {};
    std::optional<uint32_t> driver_version = {};
    // The vendor and the number of the discrete GPU that the device shall say it is.
    std::optional<uint32_t> gpu_vendor = {};
    uint32_t gpu_number = 0;
    std::optional<uint32_t> max_storage_buffer_range = {};
    // False: it has no shaderFloat64.
    bool float64 = true;
    // False: it has no shaderFloat16.
    bool float16 = true;
    // A VkDriverId: what VkPhysicalDeviceDriverProperties shall say.
    std::optional<int> driver_id = {};
    // False: it offers none of VkPhysicalDeviceFloatControlsProperties.
    bool float_controls = true;
    // Which devices of the enumeration pretend to have no compute queue: bit i for device i.
    uint32_t no_compute_queue_mask = 0;
    // timestampValidBits that the queues shall have.
    std::optional<uint32_t> timestamp_bits = {};
    // Called with the timestamps that were read, in the order of their numbers: lets a test play the device's clock.
    std::function<void(std::span<uint64_t>)> after_timestamps = {};
    // A driver that says yes and computes nothing.
    bool swallow_dispatches = false;
    // Watches what is in flight, as far as the caller can know: to destroy, reset, write or submit again what belongs to it is a
    // violation.
    bool watch_flight = false;
    // Called after every successful wait, once for every live buffer, with its contents: lets a test play a wrong driver.
    std::function<void(std::span<std::byte>)> after_wait = {};
    Caching caching = Caching::own;
    // Called by every thread that is about to have a pipeline made.
    std::function<void()> before_pipeline = {};
};

// How far a failure goes: one time, all later ones of its kind (a function; or all functions that tell of the end of work), or
// all later ones.
enum class Reach : uint8_t { once, kind, all };

// A call that shall fail, by its number since `inject` among the calls that can.
struct Fault {
    size_t call = SIZE_MAX;
    int error = 0;  // a VkResult; where a later call can't return it, another one of that call's
    Reach reach = Reach::once;
};

struct FallibleCall {
    std::string_view name = {};
    std::vector<int> errors = {};  // VkResults that Vulkan lets it return
};

// What a vkQueueSubmit was given.
struct SubmitCall {
    uint32_t waits = 0;  // semaphores of its first batch
    uint32_t signals = 0;
    bool fence = false;

    friend bool operator==(const SubmitCall&, const SubmitCall&) = default;
};

class VulkanShim {
public:
    // The constructor calls this once, so that whoever keeps a shim for later can end it before there are two.
    inline static std::function<void()> make_room = {};

    explicit VulkanShim(ShimOptions options = {});
    ~VulkanShim();
    VulkanShim(const VulkanShim&) = delete;
    VulkanShim& operator=(const VulkanShim&) = delete;

    // Why this shim can't work (no such library); empty when it can.
    const std::string& error() const;

    // For DeviceOptions::get_instance_proc_addr.
    void (*get_instance_proc_addr() const)();

    // Calls since the last reset. A name that ends in '*' counts all that begin so: calls("vkCreate*").
    uint64_t calls(std::string_view name) const;
    void reset_calls();

    // Calls that create, allocate, destroy or free and were given no VkAllocationCallbacks, since the last reset.
    uint64_t calls_without_callbacks() const;

    // Pipelines that were built with a cache that had them (ShimOptions::caching).
    uint32_t cache_hits() const;

    // Live objects made through the shim (buffers, pipelines, pools, ...); 0 once all is destroyed.
    int64_t live_objects() const;

    // "" when every guard of every buffer, alive or destroyed, is untouched, or which buffer was overrun where. Reports once.
    std::string guard_report();

    // Rules broken: buffers that overlap, are not aligned or reach beyond their memory; storage buffers that are bound by more
    // than maxStorageBufferRange, beyond their end or not aligned; in faked memory also ranges of flush and invalidate, buffers
    // that share an atom, and mapping device-local memory. Empty when none.
    std::vector<std::string> violations() const;

    // Whether the last vkCreateDevice wanted the feature, whatever the shim made of it.
    bool robust_buffer_access_wanted() const;
    bool float64_wanted() const;
    bool float16_wanted() const;

    // Of the vkQueueSubmit since the last reset of calls, the first 64.
    std::vector<SubmitCall> submits() const;

    // The vkCmd... functions that were called since the last reset of calls, in their order, the first 64.
    std::vector<std::string_view> commands() const;

    // SPIR-V of the modules that were created since the last reset of calls, in their order.
    std::vector<std::vector<uint32_t>> shader_modules() const;

    // The next `count` calls fail so.
    void time_out_waits(uint32_t count);         // vkWaitForFences returns VK_TIMEOUT, vkGetFenceStatus VK_NOT_READY
    void lose_device_at_submit(uint32_t count);  // vkQueueSubmit returns VK_ERROR_DEVICE_LOST
    void fail_allocations(uint32_t count);       // vkAllocateMemory returns VK_ERROR_OUT_OF_DEVICE_MEMORY

    // After so many more vkQueueSubmit one returns VK_ERROR_OUT_OF_HOST_MEMORY.
    void fail_submit(uint32_t after);

    // From now on storage buffers are bound by so many bytes less: a positive control for GPU-assisted validation.
    void bind_short(uint32_t bytes);
    // Adds so many workgroups along x to every dispatch from now on: a positive control for bounds checks and validation.
    void add_groups(uint32_t groups);

    // From now on calls that can fail are numbered, and one of them fails, until the end. A call that returns
    // VK_ERROR_DEVICE_LOST tells the truth: nothing is at work any more. Needs watch_flight.
    void inject(const Fault& fault);
    void end_injection();
    // Since `inject`: the calls that could fail, in their order, and how many did.
    std::vector<FallibleCall> fallible_calls() const;
    size_t injected() const;
    // Whether anything was submitted whose end the caller has not seen. Needs watch_flight.
    bool in_flight() const;

    // Whether this thread is in a Vulkan call.
    static bool below();
};

// Whether a module's only entry point has this execution mode for floats of so many bits.
bool declares(std::span<const uint32_t> module, uint32_t mode, uint32_t bits);

}  // namespace vkonnx::kit
