// This header has a layer between the library and Vulkan. It counts calls, poisons memory, sets guard bands, and makes a driver
// lie on request.
//
//   VulkanShim shim({.robust_buffer_access = false});
//   Device device = *Device::open({.get_instance_proc_addr = shim.get_instance_proc_addr()});
//   ...
//   EXPECT_EQ(shim.guard_report(), "");
//
// There is one shim at a time, and every device opened through it must be gone before it is.
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

// This tells what a driver does with a VkPipelineCache. All but `own` keep which module each pipeline was built of, and report it
// when a pipeline is built again with the data that they gave.
enum class Caching : uint8_t {
    own,              // as the driver below does
    keeps,            // as it should be
    says_incomplete,  // returns VK_INCOMPLETE for data that is whole
    gives_nothing,    // gives no byte of data
    refuses_data,     // vkCreatePipelineCache fails with data
    fails_with_data,  // vkCreateComputePipelines fails with a cache that was made with data
};

struct ShimOptions {
    // This is a library that exports vkGetInstanceProcAddr (SwiftShader's own does). Empty means the system's loader.
    std::string library = {};
    // True: every byte of a fresh buffer is 0xFF, in recycled memory, too, so that an uninitialised float is a NaN.
    bool poison = true;
    // True: at least 256 bytes lie before and after every buffer that nobody may write; see guard_report.
    bool guards = true;
    // False: vkCreateDevice is called without this feature, so that nothing hides an access out of bounds.
    bool robust_buffer_access = true;
    // True: memory is as on a discrete GPU. One type is device-local and not host-visible, one is host-visible and not coherent.
    // What the library maps is a shadow, which only flush and invalidate copy; ranges that break nonCoherentAtomSize are
    // violations.
    bool split_memory = false;
    // True: memory is as on a mobile GPU. All of it is of one type, device-local, host-visible and not coherent, with shadows as
    // above.
    bool incoherent_memory = false;
    // vkGetPhysicalDeviceProperties reports these.
    std::optional<uint32_t> api_version = {};
    std::optional<uint32_t> driver_version = {};
    // These are the vendor and the number of the discrete GPU that the device shall say it is.
    std::optional<uint32_t> gpu_vendor = {};
    uint32_t gpu_number = 0;
    std::optional<uint32_t> max_storage_buffer_range = {};
    // False: the device has no shaderFloat64.
    bool float64 = true;
    // False: the device has no shaderFloat16.
    bool float16 = true;
    // False: the validation layer does not validate the SPIR-V of modules and pipelines. It still compares the capabilities of
    // modules with what the device was asked for.
    bool checks_shaders = true;
    // VkPhysicalDeviceDriverProperties reports this VkDriverId.
    std::optional<int> driver_id = {};
    // False: the device offers none of VkPhysicalDeviceFloatControlsProperties.
    bool float_controls = true;
    // Bit i makes device i of the enumeration pretend to have no compute queue.
    uint32_t no_compute_queue_mask = 0;
    // The queues report these timestampValidBits.
    std::optional<uint32_t> timestamp_bits = {};
    // This is called with the timestamps that were read, in the order of their numbers, so that a test can play the device's
    // clock.
    std::function<void(std::span<uint64_t>)> after_timestamps = {};
    // True: the driver says yes to dispatches and computes nothing.
    bool swallow_dispatches = false;
    // True: the shim watches what is in flight, as far as the caller can know. It is a violation to destroy, reset, write or
    // submit again what belongs to it.
    bool watch_flight = false;
    // This is called after every successful wait, once for every live buffer, with its contents, so that a test can play a wrong
    // driver.
    std::function<void(std::span<std::byte>)> after_wait = {};
    Caching caching = Caching::own;
    // Every thread that is about to have a pipeline made calls this.
    std::function<void()> before_pipeline = {};
};

// This tells how far a failure goes: one time, all later ones of its kind (a function; or all functions that tell of the end of
// work), or all later ones.
enum class Reach : uint8_t { once, kind, all };

// A fault is a call that shall fail. Its number counts the calls since `inject` that can fail.
struct Fault {
    size_t call = SIZE_MAX;
    int error = 0;  // a VkResult; a later call that can't return it returns an error of its own
    Reach reach = Reach::once;
};

struct FallibleCall {
    std::string_view name = {};
    std::vector<int> errors = {};  // VkResults that Vulkan lets it return
};

// This struct tells what a vkQueueSubmit was given.
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

    // Tells why this shim can't work (no such library). It is empty when it can.
    const std::string& error() const;

    // Returns the function for DeviceOptions::get_instance_proc_addr.
    void (*get_instance_proc_addr() const)();

    // Returns the number of calls since the last reset. A name that ends in '*' counts all that begin so: calls("vkCreate*").
    uint64_t calls(std::string_view name) const;
    void reset_calls();

    // Returns how many calls since the last reset create, allocate, destroy or free, and were given no VkAllocationCallbacks.
    uint64_t calls_without_callbacks() const;

    // Returns how many pipelines were built with a cache that had them (ShimOptions::caching).
    uint32_t cache_hits() const;

    // Returns the number of live objects made through the shim (buffers, pipelines, pools, ...). It is 0 once all is destroyed.
    int64_t live_objects() const;

    // Returns "" when every guard of every buffer, alive or destroyed, is untouched, else which buffer was overrun where. An
    // overrun is reported once.
    std::string guard_report();

    // Returns the rules that were broken: buffers that overlap, are not aligned or reach beyond their memory; storage buffers
    // that are bound by more than maxStorageBufferRange, beyond their end or not aligned; in faked memory also ranges of flush
    // and invalidate, buffers that share an atom, and mapping device-local memory. It is empty when there are none.
    std::vector<std::string> violations() const;

    // These tell whether the last vkCreateDevice wanted the feature, whatever the shim made of it.
    bool robust_buffer_access_wanted() const;
    bool float64_wanted() const;
    bool float16_wanted() const;

    // Returns the first 64 vkQueueSubmit since the last reset of calls.
    std::vector<SubmitCall> submits() const;

    // Returns the first 64 vkCmd... functions that were called since the last reset of calls, in their order.
    std::vector<std::string_view> commands() const;

    // Returns the SPIR-V of the modules that were created since the last reset of calls, in their order.
    std::vector<std::vector<uint32_t>> shader_modules() const;

    // These make the next `count` calls fail.
    void time_out_waits(uint32_t count);         // vkWaitForFences returns VK_TIMEOUT, vkGetFenceStatus VK_NOT_READY
    void lose_device_at_submit(uint32_t count);  // vkQueueSubmit returns VK_ERROR_DEVICE_LOST
    void fail_allocations(uint32_t count);       // vkAllocateMemory returns VK_ERROR_OUT_OF_DEVICE_MEMORY

    // Makes a vkQueueSubmit return VK_ERROR_OUT_OF_HOST_MEMORY, after `after` more of them.
    void fail_submit(uint32_t after);

    // Binds storage buffers by so many bytes less from now on: a positive control for GPU-assisted validation.
    void bind_short(uint32_t bytes);
    // Adds so many workgroups along x to every dispatch from now on: a positive control for bounds checks and validation.
    void add_groups(uint32_t groups);
    // Lets modules say from now on that they are of this version of SPIR-V: a positive control for the validation of shaders.
    void set_spirv_version(uint32_t version);

    // From now on calls that can fail are numbered, and one of them fails, until the end. A call that returns
    // VK_ERROR_DEVICE_LOST tells the truth: nothing is at work any more. Needs watch_flight.
    void inject(const Fault& fault);
    void end_injection();
    // These return the calls since `inject` that could fail, in their order, and how many did.
    std::vector<FallibleCall> fallible_calls() const;
    size_t injected() const;
    // Tells whether anything was submitted whose end the caller has not seen. It needs watch_flight.
    bool in_flight() const;

    // Tells whether this thread is in a Vulkan call.
    static bool below();
};

// These are execution modes of SPIR-V: SignedZeroInfNanPreserve and RoundingModeRTE.
inline constexpr uint32_t keeps_signed_zero_inf_nan = 4461, rounds_to_nearest = 4462;
// Tells whether a module's only entry point has this execution mode for floats of so many bits.
bool declares(std::span<const uint32_t> module, uint32_t mode, uint32_t bits);

}  // namespace vkonnx::kit
