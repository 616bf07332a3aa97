// SPDX-License-Identifier: Apache-2.0
//
// vkonnx 0.1.0: inside a Vulkan program: on its device, with its buffers, in its command buffers.
// Licensed as LICENSE says. Report what goes wrong, with what `vkonnx devices` prints, to where you got vkonnx from.
//
//   vulkan::requirements(get_instance_proc_addr, instance, physical_device)   // what to enable, before there is a device
//   Result<Device> gpu = vulkan::adopt({.get_instance_proc_addr = ..., .instance = ..., ...});
//   Result<Tensor> x = vulkan::wrap(*gpu, {.buffer = scene, .offset = 4096, .size = 1024}, x_desc);
//   Result<Binding> binding = gpu->bind(*op, inputs, outputs);                // as ever; op from gpu->prepare
//   Status recorded = vulkan::record(command_buffer, *binding);               // between the application's own commands
//
// This header needs Vulkan's headers (vulkan/vulkan_core.h), but no loader to link with. With volk, include volk.h first, or
// define VK_NO_PROTOTYPES.
//
// Nothing of the application is destroyed, submitted, waited for or moved to another queue family behind its back: `wrap` and
// `record` touch no queue at all. All functions may be called from many threads at once.
#ifndef VKONNX_VULKAN_HPP
#define VKONNX_VULKAN_HPP

#include <vkonnx/vkonnx.hpp>

#include <vulkan/vulkan_core.h>

namespace vkonnx::vulkan {

// ---------------------------------------------------------------------------------------------------- requirements

// Requirements are what the library asks of a device that it did not make itself.
struct Requirements {
    uint32_t api_version = VK_API_VERSION_1_1;  // of VkApplicationInfo and of the physical device, at least
    VkQueueFlags queue_flags = VK_QUEUE_COMPUTE_BIT;
    std::vector<uint32_t> queue_families = {};  // of this physical device, that have them
    // Device extensions and features that must be enabled. Features: none so far.
    std::vector<const char*> extensions = {};
    VkPhysicalDeviceFeatures features = {};
    // Features and extensions that the library uses where they are enabled, or that make its work safer. For a physical device,
    // only those are named that it has.
    // robustBufferAccess: kernels keep within their buffers by themselves, and a broken driver or model is contained besides.
    // shaderFloat64: doubles are computed natively; without it, in integer words, with the same results.
    // VK_KHR_shader_float_controls: kernels declare that sums are rounded to nearest and special values kept.
    // VK_KHR_shader_float16_int8: for shaderFloat16.
    // VK_KHR_cooperative_matrix and, for it, VK_KHR_vulkan_memory_model and VK_EXT_subgroup_size_control: products of halves by
    // subgroups. With Vulkan 1.2 only the first and the last need be named, with 1.3 only the first.
    VkPhysicalDeviceFeatures optional_features = {};
    std::vector<const char*> optional_extensions = {};
    // The same beyond VkPhysicalDeviceFeatures, by Vulkan's names. A name that is taken out is left alone by add_to.
    // "storageBuffer16BitAccess", in VkPhysicalDevice16BitStorageFeatures or VkPhysicalDeviceVulkan11Features: kernels by
    // cooperative matrices read halves as they lie and store them one by one, and so need no steps that pack and round.
    // "shaderFloat16": arithmetic in halves. In VkPhysicalDeviceShaderFloat16Int8Features, with the extension above, or in
    // VkPhysicalDeviceVulkan12Features, with Vulkan 1.2; Vulkan does not allow both in one chain.
    // "cooperativeMatrix", in VkPhysicalDeviceCooperativeMatrixFeaturesKHR, "vulkanMemoryModel" and
    // "vulkanMemoryModelDeviceScope", in VkPhysicalDeviceVulkanMemoryModelFeatures or VkPhysicalDeviceVulkan12Features, and
    // "computeFullSubgroups", in VkPhysicalDeviceSubgroupSizeControlFeatures or VkPhysicalDeviceVulkan13Features: of use only
    // together and with "shaderFloat16". Where the application enables "vulkanMemoryModel" it must enable
    // "vulkanMemoryModelDeviceScope", too, because kernels have atomic operations of that scope.
    std::vector<const char*> optional_extended_features = {};
    // VK_EXT_debug_utils: names and labels in captures, with DeviceOptions::debug_names.
    std::vector<const char*> optional_instance_extensions = {};
    // Every buffer that is wrapped needs this usage.
    VkBufferUsageFlags buffer_usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    // A buffer also needs the first of these if it is the output of a Shape or uploads (of a Tensor or a Recording) write to it,
    // and the second if downloads read from it.
    VkBufferUsageFlags written_buffer_usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    VkBufferUsageFlags downloaded_buffer_usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    // A buffer also needs this usage if a kernel reads it as texels. Where it is missing, `bind`, or `prepare` of a constant
    // input, says so.
    VkBufferUsageFlags texel_buffer_usage = VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
    // BufferSlice::offset must be a multiple of the first number, and of the second one if the slice is read as texels. 256 is
    // the most that Vulkan lets a device ask for.
    VkDeviceSize offset_alignment = 256;
    VkDeviceSize texel_offset_alignment = 256;

    // Switches on the features, mandatory and optional, in what is to become VkDeviceCreateInfo::pNext; never switches off.
    // Extended ones are switched on in every structure behind `enabled` that has them; none is added, others are passed over.
    VKONNX_API void add_to(VkPhysicalDeviceFeatures2& enabled) const noexcept;
};

// Returns what the library asks of any device. Pure: needs no Vulkan at all. Without the optional extensions where the host is
// out of memory.
VKONNX_API Requirements requirements() noexcept;

// Returns what the library asks of this physical device, or Code::unsupported and why it can't be used. The device is only asked.
// The version is that of VkApplicationInfo::apiVersion; optional extensions that are part of it and of the device's version are
// not named.
VKONNX_API Result<Requirements> requirements(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance,
                                             VkPhysicalDevice physical_device, uint32_t api_version = VK_API_VERSION_1_1);

// ----------------------------------------------------------------------------------------------------------- adopt

// An AdoptedDevice is the application's own device. All handles must outlive the Device and everything made by it (tensors, ops,
// bindings).
struct AdoptedDevice {
    PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical_device = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
    uint32_t queue_family = 0;
    // VkApplicationInfo::apiVersion, and what was enabled when the instance and the device were made. The library uses only what
    // is declared here and offered by the device. The names are copied.
    uint32_t api_version = VK_API_VERSION_1_1;
    std::span<const char* const> instance_extensions = {};
    std::span<const char* const> device_extensions = {};
    // What either of the two has on is enabled. The second is VkDeviceCreateInfo::pNext as the device was made with, or any such
    // chain, or null, and only read during `adopt`: VkPhysicalDeviceFeatures2, and the structures that
    // Requirements::optional_extended_features tells of; others are passed over. Such a feature also needs its extension
    // declared, or both api_version and the device's at the version of Vulkan that has it.
    VkPhysicalDeviceFeatures features = {};
    const void* features_chain = nullptr;
    // Called around each vkQueueSubmit of the library, on the thread that submits, where other threads use the queue, too. Both
    // or neither; must not throw or call the library. Without them, the application keeps its own submits to this queue apart
    // from uploads, downloads, `run` and `submit` (of the Device, and of a Recording), from `prepare` with constant inputs, which
    // may pack them by a submit that it waits for, and from `adopt`.
    std::function<void()> lock_queue = {};
    std::function<void()> unlock_queue = {};
};

// Makes a Device on the application's queue. The self-test runs, as in Device::open, unless it is declined. Of the options
// `select`, `get_instance_proc_addr`, `validation` and `compiler_statistics` do not count: these were the application's to
// choose.
VKONNX_API Result<Device> adopt(const AdoptedDevice& adopted, const DeviceOptions& options = {});

// ------------------------------------------------------------------------------------------------------------ wrap

// A BufferSlice is a part of a buffer of the application, made on the device that was adopted, with memory bound.
struct BufferSlice {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceSize offset = 0;
    VkDeviceSize size = 0;
    // The usage that the buffer was made with, for which Vulkan can't be asked. Requirements tells what each is needed for.
    VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
};

// Makes a tensor in that memory, which stays the application's and must outlive the tensor and all bindings with it. The size is
// at least that of the tensor, rounded up to 4 bytes. An offset that the device can't bind is refused: see
// Requirements::offset_alignment.
//
// Tensors of overlapping slices of one buffer are known to share memory. Two buffers in one memory are not: an output of a
// binding must share with no other operand, and bindings that are recorded together must not depend on each other by it.
//
// Tensor::upload and Tensor::download of it copy through a staging buffer, by a submit of their own that waits.
VKONNX_API Result<Tensor> wrap(const Device& device, const BufferSlice& slice, const TensorDesc& desc);

// ---------------------------------------------------------------------------------------------------------- record

// These are what recorded work does with tensors' memory first and last. By default the application orders it against its own
// commands: before it a barrier whose second half are the entry masks, after it one whose first half are the exit masks.
inline constexpr VkPipelineStageFlags entry_stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
inline constexpr VkAccessFlags entry_accesses =
    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
inline constexpr VkPipelineStageFlags exit_stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
inline constexpr VkAccessFlags exit_accesses = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;

enum class RecordFlags : uint8_t {
    none = 0,
    barrier_before = 1,  // everything before, of any stage, is ordered before this work and visible to it
    barrier_after = 2,   // this work is ordered before everything after and visible to it, to the host, too
    outer_barriers = 3,
};

constexpr RecordFlags operator|(RecordFlags a, RecordFlags b) noexcept
{
    return RecordFlags(uint8_t(a) | uint8_t(b));
}

constexpr bool operator&(RecordFlags a, RecordFlags b) noexcept
{
    return (uint8_t(a) & uint8_t(b)) != 0;
}

// Records the bindings, in this order, with the barriers that they need among themselves. No submit, no wait, no allocation, no
// creation of Vulkan objects, no descriptor updates. Any thread, one Binding from many at once, too; the command buffer is the
// caller's to guard. A Code says that nothing was recorded.
//
// The command buffer is in the recording state, outside of a render pass, of either level, and made for the adopted queue
// family. It may be submitted as often as wanted, to the adopted queue, which is where what the Device wrote before (uploads,
// runs, the tables of an Op) is visible; to another one after a semaphore. Bindings must live until it has run for the last time.
//
// However long the work is estimated to take, it is not split as `run` and `submit` are: what a system's watchdog allows is the
// caller's to consider, by the number of bindings in a submit and by PrepareOptions::max_dispatch_seconds.
//
// `record` binds a compute pipeline, descriptor set 0 and push constants of the compute bind point. Commands after it find them
// changed.
VKONNX_API Status record(VkCommandBuffer commands, std::span<const Binding> bindings, RecordFlags flags = RecordFlags::none);
VKONNX_API Status record(VkCommandBuffer commands, const Binding& binding, RecordFlags flags = RecordFlags::none);
// Records the bindings that were added to the recording, a session's among them. What is added later is not recorded. One with
// copies between the host and tensors is refused, since the library can't see when they run.
VKONNX_API Status record(VkCommandBuffer commands, const Recording& recording, RecordFlags flags = RecordFlags::none);

// ---------------------------------------------------------------------------------------------------------- submit

struct SemaphorePoint {
    VkSemaphore semaphore = VK_NULL_HANDLE;
    uint64_t value = 0;  // of a timeline semaphore; does not count for a binary one
};

// SubmitOptions are what a job waits for before it begins and signals at its end, all of it the application's, from the adopted
// device. After an error the semaphores to wait for may have been waited for already: work that is cut is submitted piece by
// piece.
struct SubmitOptions {
    std::span<const SemaphorePoint> wait = {};
    std::span<const SemaphorePoint> signal = {};
    // The fence is signalled by a second, empty submit. As vkQueueSubmit wants it, it is unsignalled.
    VkFence fence = VK_NULL_HANDLE;
};

// These are Device::submit and Recording::submit, tied to the application's own order. What runs on the queue after a job waits
// for it, and so for its semaphores. They must live until the Job is done.
VKONNX_API Result<Job> submit(const Device& device, const Binding& binding, const SubmitOptions& options);
VKONNX_API Result<Job> submit(const Recording& recording, const SubmitOptions& options);

}  // namespace vkonnx::vulkan

#endif
