#include "kit/vulkan_shim.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "kit/vulkan_shim_names.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace vkonnx::kit {
namespace {

constexpr uint64_t guard_bytes = 256;  // also the largest alignment that Vulkan lets a storage buffer ask for
constexpr uint64_t fake_atom = 128;
constexpr uint32_t fake_device_local = 0;  // memory types of ShimOptions::split_memory
constexpr uint32_t fake_host_visible = 1;

struct Memory {
    uint64_t size = 0;
    std::byte* base = nullptr;      // null where the host can't see it
    std::vector<std::byte> shadow;  // split_memory: what the library maps
    bool mappable = true;
};

struct BoundBuffer {
    uint64_t size = 0;
    uint64_t reserved = 0;  // bytes with guards
    uint64_t alignment = 1;
    uint64_t memory = 0;  // key of Memory
    uint64_t offset = 0;  // of the buffer itself in the memory
    bool bound = false;
};

enum Id : size_t {
#define X(name) id_##name,
    VKONNX_SHIM_CHANGED(X) VKONNX_SHIM_COUNTED(X)
#undef X
        id_count
};

constexpr std::string_view names[] = {
#define X(name) #name,
    VKONNX_SHIM_CHANGED(X) VKONNX_SHIM_COUNTED(X)
#undef X
};

struct Shim {
    ShimOptions options;
    std::string error;
    PFN_vkGetInstanceProcAddr get = nullptr;
    VkInstance instance = VK_NULL_HANDLE;
    std::mutex mutex;  // of the maps and vectors
    std::vector<VkPhysicalDevice> physical_devices;
    std::map<VkDevice, VkPhysicalDevice> physical_of;
    std::map<uint64_t, Memory> memories;
    std::map<uint64_t, BoundBuffer> buffers;
    std::string report;
    std::vector<std::string> violations;
    std::atomic<uint64_t> calls[id_count] = {};
    std::atomic<uint64_t> without_callbacks = 0;
    std::atomic<int64_t> live = 0;
    bool robustness_wanted = false;
    std::atomic<uint32_t> timeouts = 0, losses = 0, failed_allocations = 0;

    bool fakes_memory() const { return options.split_memory || options.incoherent_memory; }
    uint64_t shift() const { return options.guards ? guard_bytes : 0; }
};

Shim* shim = nullptr;

template <class Handle>
uint64_t key(Handle handle)
{
    return (uint64_t)handle;  // a pointer or an integer, as the platform has it
}

bool take(std::atomic<uint32_t>& count)
{
    uint32_t left = count;
    while (left > 0)
        if (count.compare_exchange_weak(left, left - 1))
            return true;
    return false;
}

// A function as it is below the shim, and a wrapper that only counts.
template <Id id, class Function>
struct Hook;

template <Id id, class R, class... A>
struct Hook<id, R(VKAPI_PTR*)(A...)> {
    static inline R(VKAPI_PTR* next)(A...) = nullptr;

    static void note_callbacks(A... arguments)
    {
        const auto note = [](auto argument) {
            if constexpr (std::is_same_v<decltype(argument), const VkAllocationCallbacks*>)
                shim->without_callbacks += argument == nullptr;
        };
        (note(arguments), ...);
    }

    template <R(VKAPI_PTR* changed)(A...)>
    static R VKAPI_CALL change(A... arguments)
    {
        note_callbacks(arguments...);
        return changed(arguments...);
    }

    static R VKAPI_CALL count(A... arguments)
    {
        ++shim->calls[id];
        note_callbacks(arguments...);
        if constexpr (names[id].starts_with("vkDestroy")) {
            const auto handle = std::get<sizeof...(A) - 2>(std::tuple(arguments...));
            shim->live -= handle ? 1 : 0;
        }
        if constexpr (names[id].starts_with("vkCreate")) {
            const R result = next(arguments...);
            shim->live += result == VK_SUCCESS ? 1 : 0;
            return result;
        } else {
            return next(arguments...);
        }
    }
};

#define NEXT(name) (++shim->calls[id_##name], Hook<id_##name, PFN_##name>::next)
#define BELOW(name) Hook<id_##name, PFN_##name>::next

// ---- what the shim changes

VkResult VKAPI_CALL changed_vkCreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                             VkInstance* instance)
{
    const VkResult result = NEXT(vkCreateInstance)(info, allocator, instance);
    if (result == VK_SUCCESS) {
        shim->instance = *instance;
        ++shim->live;
    }
    return result;
}

VkResult VKAPI_CALL changed_vkEnumeratePhysicalDevices(VkInstance instance, uint32_t* count, VkPhysicalDevice* devices)
{
    const VkResult result = NEXT(vkEnumeratePhysicalDevices)(instance, count, devices);
    if (devices && result == VK_SUCCESS)
        shim->physical_devices.assign(devices, devices + *count);
    return result;
}

void change(VkPhysicalDeviceProperties& properties)
{
    properties.apiVersion = shim->options.api_version.value_or(properties.apiVersion);
    VkPhysicalDeviceLimits& limits = properties.limits;
    limits.maxStorageBufferRange = shim->options.max_storage_buffer_range.value_or(limits.maxStorageBufferRange);
    if (shim->fakes_memory())
        limits.nonCoherentAtomSize = fake_atom;
}

void VKAPI_CALL changed_vkGetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties)
{
    NEXT(vkGetPhysicalDeviceProperties)(device, properties);
    change(*properties);
}

void VKAPI_CALL changed_vkGetPhysicalDeviceProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties)
{
    NEXT(vkGetPhysicalDeviceProperties2)(device, properties);
    change(properties->properties);
}

void VKAPI_CALL changed_vkGetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice device, uint32_t* count,
                                                                 VkQueueFamilyProperties* families)
{
    NEXT(vkGetPhysicalDeviceQueueFamilyProperties)(device, count, families);
    const auto found = std::find(shim->physical_devices.begin(), shim->physical_devices.end(), device);
    const auto index = found - shim->physical_devices.begin();
    for (uint32_t i = 0; families && i < *count; ++i) {
        if (shim->options.no_compute_queue_mask >> index & 1)
            families[i].queueFlags &= ~VkQueueFlags(VK_QUEUE_COMPUTE_BIT);
        families[i].timestampValidBits = shim->options.timestamp_bits.value_or(families[i].timestampValidBits);
    }
}

void VKAPI_CALL changed_vkGetPhysicalDeviceMemoryProperties(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties* memory)
{
    NEXT(vkGetPhysicalDeviceMemoryProperties)(device, memory);
    if (!shim->fakes_memory())
        return;
    const uint64_t size = memory->memoryHeaps[0].size;
    const VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    if (shim->options.incoherent_memory) {
        memory->memoryHeapCount = memory->memoryTypeCount = 1;
        memory->memoryHeaps[0] = {size, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
        memory->memoryTypes[0] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | host, 0};
        return;
    }
    memory->memoryHeapCount = 2;
    memory->memoryHeaps[0] = {size, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    memory->memoryHeaps[1] = {size, 0};
    memory->memoryTypeCount = 2;
    memory->memoryTypes[fake_device_local] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
    memory->memoryTypes[fake_host_visible] = {host, 1};
}

VkResult VKAPI_CALL changed_vkCreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                           const VkAllocationCallbacks* allocator, VkDevice* device)
{
    VkDeviceCreateInfo changed = *info;
    VkPhysicalDeviceFeatures features = {};
    shim->robustness_wanted = info->pEnabledFeatures && info->pEnabledFeatures->robustBufferAccess;
    if (!shim->options.robust_buffer_access && info->pEnabledFeatures) {
        features = *info->pEnabledFeatures;
        features.robustBufferAccess = VK_FALSE;
        changed.pEnabledFeatures = &features;
    }
    const VkResult result = NEXT(vkCreateDevice)(physical, &changed, allocator, device);
    if (result == VK_SUCCESS) {
        std::lock_guard lock(shim->mutex);
        shim->physical_of[*device] = physical;
        ++shim->live;
    }
    return result;
}

VkResult VKAPI_CALL changed_vkCreateBuffer(VkDevice device, const VkBufferCreateInfo* info,
                                           const VkAllocationCallbacks* allocator, VkBuffer* buffer)
{
    const VkResult result = NEXT(vkCreateBuffer)(device, info, allocator, buffer);
    if (result == VK_SUCCESS) {
        std::lock_guard lock(shim->mutex);
        shim->buffers[key(*buffer)].size = info->size;
        ++shim->live;
    }
    return result;
}

// Guards hold a signalling NaN: arithmetic on one that was read gives another value, so that even a result computed from
// guards alone cannot be taken for an untouched one.
std::byte guard_at(const std::byte* place)
{
    constexpr uint8_t word[] = {0xa5, 0xa5, 0xa5, 0x7f};
    return std::byte(word[reinterpret_cast<uintptr_t>(place) % sizeof(word)]);
}

void set_guards(std::byte* from, std::byte* to)
{
    for (; from < to; ++from)
        *from = guard_at(from);
}

// Notes what was written around a buffer, and mends it, so that each overrun is told once.
void check_guards(const BoundBuffer& buffer)
{
    const auto memory = shim->memories.find(buffer.memory);
    if (!shim->options.guards || !buffer.bound || memory == shim->memories.end() || !memory->second.base)
        return;
    std::byte* const begin = memory->second.base + buffer.offset;
    std::byte* const first = begin - guard_bytes;
    std::byte* const last = std::min(first + buffer.reserved, memory->second.base + memory->second.size);
    for (std::byte* byte = first; byte < last; ++byte) {
        if (byte == begin)
            byte += buffer.size;
        if (byte >= last || *byte == guard_at(byte))
            continue;
        shim->report += "a buffer of " + std::to_string(buffer.size) + " bytes was overrun at byte " +
                        std::to_string(byte - begin) + " (now " + std::to_string(int(*byte)) + ")\n";
        set_guards(first, begin);
        set_guards(begin + buffer.size, last);
        return;
    }
}

void VKAPI_CALL changed_vkDestroyBuffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks* allocator)
{
    if (buffer) {
        std::lock_guard lock(shim->mutex);
        check_guards(shim->buffers[key(buffer)]);
        shim->buffers.erase(key(buffer));
        --shim->live;
    }
    NEXT(vkDestroyBuffer)(device, buffer, allocator);
}

void VKAPI_CALL changed_vkGetBufferMemoryRequirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements* needs)
{
    NEXT(vkGetBufferMemoryRequirements)(device, buffer, needs);
    std::lock_guard lock(shim->mutex);
    if (shim->options.guards) {
        if (needs->alignment > guard_bytes)
            shim->violations.push_back("the driver aligns buffers to more than the shim's guard bands");
        needs->size += 2 * guard_bytes;
    }
    if (shim->fakes_memory())
        needs->memoryTypeBits = shim->options.incoherent_memory ? 1u : 1u << fake_device_local | 1u << fake_host_visible;
    shim->buffers[key(buffer)].reserved = needs->size;
    shim->buffers[key(buffer)].alignment = needs->alignment;
}

// Notes a buffer, not yet bound, that is not aligned or reaches beyond its memory or into another buffer or its guards.
void check_place(const BoundBuffer& buffer, const Memory& memory, uint64_t offset)
{
    if (offset > memory.size || buffer.reserved > memory.size - offset)
        shim->violations.push_back("a buffer reaches beyond its memory");
    if (offset % buffer.alignment != 0)
        shim->violations.push_back("a buffer is not aligned");
    const uint64_t atom = memory.shadow.empty() ? 1 : fake_atom;
    const auto first = [&](uint64_t place) { return place / atom; };
    const auto last = [&](uint64_t place, uint64_t size) { return (place + std::max<uint64_t>(size, 1) - 1) / atom; };
    for (const auto& [handle, other] : shim->buffers) {
        const uint64_t there = other.offset - shim->shift();
        if (other.bound && other.memory == buffer.memory && first(there) <= last(offset, buffer.reserved) &&
            first(offset) <= last(there, other.reserved))
            shim->violations.push_back("two buffers overlap or share an atom of non-coherent memory");
    }
}

// Poison and guards of a buffer that was just bound, in the memory and in its shadow.
void prepare_contents(const BoundBuffer& buffer, Memory& memory, uint64_t offset)
{
    if (!memory.base)
        return;
    std::byte* const begin = memory.base + buffer.offset;
    std::byte* const first = memory.base + offset;
    std::byte* const last = std::min(first + buffer.reserved, memory.base + memory.size);
    if (shim->options.poison)
        std::fill(begin, begin + buffer.size, std::byte(0xff));
    if (shim->options.guards) {
        set_guards(first, begin);
        set_guards(begin + buffer.size, last);
    }
    // a flush may reach over the buffer's end, up to its atom: the shadow has the same guards
    if (!memory.shadow.empty())
        std::copy(first, last, memory.shadow.begin() + std::ptrdiff_t(offset));
}

VkResult VKAPI_CALL changed_vkBindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset)
{
    const VkResult result = NEXT(vkBindBufferMemory)(device, buffer, memory, offset + shim->shift());
    if (result == VK_SUCCESS) {
        std::lock_guard lock(shim->mutex);
        BoundBuffer& bound = shim->buffers[key(buffer)];
        Memory& entry = shim->memories[key(memory)];
        bound.memory = key(memory);
        bound.offset = offset + shim->shift();
        check_place(bound, entry, offset);
        bound.bound = true;
        prepare_contents(bound, entry, offset);
    }
    return result;
}

// The real memory type behind a faked one: visible to the host and coherent.
uint32_t real_type(VkDevice device, uint32_t type, bool& visible)
{
    VkPhysicalDeviceMemoryProperties memory = {};
    BELOW(vkGetPhysicalDeviceMemoryProperties)(shim->physical_of[device], &memory);
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    if (shim->fakes_memory())
        for (type = 0; (memory.memoryTypes[type].propertyFlags & wanted) != wanted;)
            ++type;
    visible = memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    return type;
}

VkResult VKAPI_CALL changed_vkAllocateMemory(VkDevice device, const VkMemoryAllocateInfo* info,
                                             const VkAllocationCallbacks* allocator, VkDeviceMemory* memory)
{
    if (take(shim->failed_allocations)) {
        ++shim->calls[id_vkAllocateMemory];
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    std::lock_guard lock(shim->mutex);
    bool visible = false;
    VkMemoryAllocateInfo changed = *info;
    changed.memoryTypeIndex = real_type(device, info->memoryTypeIndex, visible);
    const VkResult result = NEXT(vkAllocateMemory)(device, &changed, allocator, memory);
    if (result != VK_SUCCESS)
        return result;
    ++shim->live;
    Memory& entry = shim->memories[key(*memory)];
    entry.size = info->allocationSize;
    void* base = nullptr;
    if (visible && BELOW(vkMapMemory)(device, *memory, 0, VK_WHOLE_SIZE, 0, &base) == VK_SUCCESS)
        entry.base = static_cast<std::byte*>(base);
    if (entry.base && (shim->options.poison || shim->options.guards))
        std::memset(base, 0xff, entry.size);
    if (shim->fakes_memory()) {
        entry.mappable = shim->options.incoherent_memory || info->memoryTypeIndex == fake_host_visible;
        if (entry.mappable)
            entry.shadow.assign(entry.size, std::byte(0xff));
    }
    return result;
}

void VKAPI_CALL changed_vkFreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* allocator)
{
    if (memory) {
        std::lock_guard lock(shim->mutex);
        shim->memories.erase(key(memory));
        --shim->live;
    }
    NEXT(vkFreeMemory)(device, memory, allocator);
}

VkResult VKAPI_CALL changed_vkMapMemory(VkDevice, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize, VkMemoryMapFlags,
                                        void** pointer)
{
    ++shim->calls[id_vkMapMemory];
    std::lock_guard lock(shim->mutex);
    Memory& entry = shim->memories[key(memory)];
    if (!entry.mappable || !entry.base) {
        shim->violations.push_back("vkMapMemory of memory that is not host-visible");
        return VK_ERROR_MEMORY_MAP_FAILED;
    }
    *pointer = (entry.shadow.empty() ? entry.base : entry.shadow.data()) + shim->shift() + offset;
    return VK_SUCCESS;
}

// Already mapped by the shim, for as long as the memory lives.
void VKAPI_CALL changed_vkUnmapMemory(VkDevice, VkDeviceMemory)
{
    ++shim->calls[id_vkUnmapMemory];
}

// Copies the ranges between shadow and memory; without shadows there is nothing to do but to move the ranges behind the guard.
template <class Below>
VkResult synchronize(VkDevice device, uint32_t count, const VkMappedMemoryRange* ranges, bool flush, Below below)
{
    std::lock_guard lock(shim->mutex);
    for (uint32_t i = 0; i < count; ++i) {
        Memory& entry = shim->memories[key(ranges[i].memory)];
        const uint64_t begin = std::min(ranges[i].offset + shim->shift(), entry.size);
        const uint64_t size = std::min(ranges[i].size, entry.size - begin);
        if (entry.shadow.empty()) {
            VkMappedMemoryRange moved = ranges[i];
            moved.offset = begin;
            moved.size = size == entry.size - begin ? VK_WHOLE_SIZE : size;
            if (const VkResult result = below(device, 1, &moved); result != VK_SUCCESS)
                return result;
            continue;
        }
        const bool to_end = ranges[i].size == VK_WHOLE_SIZE || ranges[i].offset + ranges[i].size == entry.size;
        if (ranges[i].offset % fake_atom != 0 || (!to_end && ranges[i].size % fake_atom != 0))
            shim->violations.push_back("a flushed or invalidated range is not a multiple of nonCoherentAtomSize");
        std::byte* const host = entry.shadow.data() + begin;
        std::byte* const device_side = entry.base + begin;
        std::memcpy(flush ? device_side : host, flush ? host : device_side, size);
    }
    return VK_SUCCESS;
}

VkResult VKAPI_CALL changed_vkFlushMappedMemoryRanges(VkDevice device, uint32_t count, const VkMappedMemoryRange* ranges)
{
    return synchronize(device, count, ranges, true, NEXT(vkFlushMappedMemoryRanges));
}

VkResult VKAPI_CALL changed_vkInvalidateMappedMemoryRanges(VkDevice device, uint32_t count, const VkMappedMemoryRange* ranges)
{
    return synchronize(device, count, ranges, false, NEXT(vkInvalidateMappedMemoryRanges));
}

void VKAPI_CALL changed_vkCmdDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z)
{
    const auto next = NEXT(vkCmdDispatch);
    if (!shim->options.swallow_dispatches)
        next(commands, x + shim->options.extra_groups, y, z);
}

VkResult VKAPI_CALL changed_vkQueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* submits, VkFence fence)
{
    const auto next = NEXT(vkQueueSubmit);
    return take(shim->losses) ? VK_ERROR_DEVICE_LOST : next(queue, count, submits, fence);
}

VkResult VKAPI_CALL changed_vkWaitForFences(VkDevice device, uint32_t count, const VkFence* fences, VkBool32 all,
                                            uint64_t timeout)
{
    const auto next = NEXT(vkWaitForFences);
    if (take(shim->timeouts))
        return VK_TIMEOUT;
    const VkResult result = next(device, count, fences, all, timeout);
    if (result == VK_SUCCESS && shim->options.after_wait) {
        std::lock_guard lock(shim->mutex);
        for (const auto& [handle, buffer] : shim->buffers)
            if (buffer.bound && shim->memories[buffer.memory].base)
                shim->options.after_wait({shim->memories[buffer.memory].base + buffer.offset, buffer.size});
    }
    return result;
}

VkResult VKAPI_CALL changed_vkGetFenceStatus(VkDevice device, VkFence fence)
{
    const auto next = NEXT(vkGetFenceStatus);
    return take(shim->timeouts) ? VK_NOT_READY : next(device, fence);
}

PFN_vkVoidFunction VKAPI_CALL get(VkInstance instance, const char* name);

PFN_vkVoidFunction VKAPI_CALL changed_vkGetDeviceProcAddr(VkDevice device, const char* name)
{
    // By way of the instance, since what it gives works for all of its devices; the device says what there is.
    const PFN_vkVoidFunction there = NEXT(vkGetDeviceProcAddr)(device, name);
    const PFN_vkVoidFunction wrapped = there ? get(shim->instance, name) : nullptr;
    return wrapped ? wrapped : there;
}

PFN_vkVoidFunction VKAPI_CALL get(VkInstance instance, const char* name)
{
    if (std::strcmp(name, "vkGetInstanceProcAddr") == 0)
        return reinterpret_cast<PFN_vkVoidFunction>(&get);
    const PFN_vkVoidFunction below = shim->get(instance, name);
    if (!below)
        return nullptr;
#define X(function)                                                                                                              \
    if (std::strcmp(name, #function) == 0) {                                                                                     \
        Hook<id_##function, PFN_##function>::next = reinterpret_cast<PFN_##function>(below);                                     \
        return reinterpret_cast<PFN_vkVoidFunction>(&Hook<id_##function, PFN_##function>::change<&changed_##function>);          \
    }
    VKONNX_SHIM_CHANGED(X)
#undef X
#define X(function)                                                                                                              \
    if (std::strcmp(name, #function) == 0) {                                                                                     \
        Hook<id_##function, PFN_##function>::next = reinterpret_cast<PFN_##function>(below);                                     \
        return reinterpret_cast<PFN_vkVoidFunction>(&Hook<id_##function, PFN_##function>::count);                                \
    }
    VKONNX_SHIM_COUNTED(X)
#undef X
    return below;
}

PFN_vkGetInstanceProcAddr open_library(const std::string& library)
{
    const char* const symbol = "vkGetInstanceProcAddr";
#ifdef _WIN32
    const HMODULE module = LoadLibraryA(library.empty() ? "vulkan-1.dll" : library.c_str());
    return module ? reinterpret_cast<PFN_vkGetInstanceProcAddr>(GetProcAddress(module, symbol)) : nullptr;
#else
    const std::vector<std::string> candidates =
        library.empty() ? std::vector<std::string>{"libvulkan.so.1", "libvulkan.so", "libvulkan.1.dylib", "libMoltenVK.dylib"}
                        : std::vector<std::string>{library};
    for (const std::string& candidate : candidates)
        if (void* const module = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL))
            return reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(module, symbol));
    return nullptr;
#endif
}

}  // namespace

VulkanShim::VulkanShim(ShimOptions options)
{
    if (shim)
        std::abort();  // one at a time: the wrappers are plain functions
    shim = new Shim;
    shim->options = std::move(options);
    shim->get = open_library(shim->options.library);
    if (!shim->get)
        shim->error = "no vkGetInstanceProcAddr in '" + shim->options.library + "' (empty: the system's loader)";
}

VulkanShim::~VulkanShim()
{
    delete shim;
    shim = nullptr;
}

const std::string& VulkanShim::error() const
{
    return shim->error;
}

void (*VulkanShim::get_instance_proc_addr() const)()
{
    return reinterpret_cast<void (*)()>(&get);
}

uint64_t VulkanShim::calls(std::string_view name) const
{
    const bool prefix = name.ends_with('*');
    if (prefix)
        name.remove_suffix(1);
    uint64_t sum = 0;
    bool known = false;
    for (size_t i = 0; i < id_count; ++i)
        if (prefix ? names[i].starts_with(name) : names[i] == name) {
            sum += shim->calls[i];
            known = true;
        }
    return known ? sum : UINT64_MAX;  // no test passes by a misspelt name
}

void VulkanShim::reset_calls()
{
    for (auto& count : shim->calls)
        count = 0;
    shim->without_callbacks = 0;
}

uint64_t VulkanShim::calls_without_callbacks() const
{
    return shim->without_callbacks;
}

int64_t VulkanShim::live_objects() const
{
    return shim->live;
}

std::string VulkanShim::guard_report()
{
    std::lock_guard lock(shim->mutex);
    for (const auto& [handle, buffer] : shim->buffers)
        check_guards(buffer);
    return std::exchange(shim->report, {});
}

std::vector<std::string> VulkanShim::violations() const
{
    std::lock_guard lock(shim->mutex);
    return shim->violations;
}

bool VulkanShim::robust_buffer_access_wanted() const
{
    return shim->robustness_wanted;
}

void VulkanShim::time_out_waits(uint32_t count)
{
    shim->timeouts = count;
}

void VulkanShim::lose_device_at_submit(uint32_t count)
{
    shim->losses = count;
}

void VulkanShim::fail_allocations(uint32_t count)
{
    shim->failed_allocations = count;
}

}  // namespace vkonnx::kit
