// This header has what the files of the shim share: its state, and the functions below it.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <tuple>
#include <type_traits>

#include "kit/vulkan_shim.h"
#include "kit/vulkan_shim_flight.h"

namespace vkonnx::kit::hooks {

constexpr uint64_t guard_bytes = 256;  // also the largest alignment that Vulkan lets a storage buffer ask for
constexpr uint64_t fake_atom = 128;
constexpr uint32_t fake_device_local = 0;  // memory types of ShimOptions::split_memory
constexpr uint32_t fake_host_visible = 1;

struct Memory {
    uint64_t size = 0;
    std::byte* base = nullptr;      // null where the host can't see it
    std::vector<std::byte> shadow;  // faked memory: what the library maps
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
    std::mutex mutex;  // guards the maps and vectors
    std::vector<VkPhysicalDevice> physical_devices;
    std::map<VkDevice, VkPhysicalDevice> physical_of;
    std::map<uint64_t, Memory> memories;
    std::map<uint64_t, BoundBuffer> buffers;
    std::string report;
    std::vector<std::string> violations;
    std::atomic<uint64_t> calls[id_count] = {};
    std::atomic<uint64_t> without_callbacks = 0;
    std::atomic<int64_t> live = 0;
    std::map<uint64_t, uint64_t> hashes;                // of modules, by their handles
    std::map<uint64_t, std::vector<std::byte>> caches;  // what they hold, by their handles
    std::atomic<uint32_t> cache_hits = 0;
    bool robustness_wanted = false;
    bool float64_wanted = false;
    bool float16_wanted = false;
    std::vector<std::vector<uint32_t>> modules;
    std::array<SubmitCall, 64> submits = {};  // an array, because tests count allocations
    size_t submit_count = 0;
    std::array<std::string_view, 64> commands = {};  // an array for the same reason
    std::atomic<size_t> command_count = 0;
    std::atomic<uint32_t> timeouts = 0, losses = 0, failed_allocations = 0, submits_before_failure = UINT32_MAX,
                          missing_bytes = 0, extra_groups = 0, spirv_version = 0;

    Flight flight;
    Fault fault;
    Id fault_kind = id_count;  // of the call that failed first
    std::atomic<bool> injecting = false;
    std::atomic<size_t> injected = 0;
    std::vector<std::pair<std::string_view, std::span<const VkResult>>> fallible;

    bool fakes_memory() const { return options.split_memory || options.incoherent_memory; }
    uint64_t shift() const { return options.guards ? guard_bytes : 0; }
};

extern Shim* shim;

template <class Handle>
uint64_t key(Handle handle)
{
    return (uint64_t)handle;  // a pointer or an integer, depending on the platform
}

// Takes one of the calls that shall fail. Returns false when none is left.
inline bool take(std::atomic<uint32_t>& count)
{
    uint32_t left = count;
    while (left > 0)
        if (count.compare_exchange_weak(left, left - 1))
            return true;
    return false;
}

extern thread_local int below;  // calls that this thread is in

class Below {
public:
    Below() { ++below; }
    ~Below() { --below; }
    Below(const Below&) = delete;
    Below& operator=(const Below&) = delete;
};

// Returns what the call shall return instead of being done, which is VK_SUCCESS for most calls.
VkResult fault_of(Id call);

// A hook is a function as it is below the shim, and wrappers, of which one only counts.
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

    // Does the call, unless it shall fail, and watches what is in flight before and after it.
    template <R(VKAPI_PTR* done)(A...)>
    static R VKAPI_CALL watched(A... arguments)
    {
        const Below here;
        if constexpr (names[id].starts_with("vkCmd"))
            if (const size_t number = shim->command_count++; number < shim->commands.size())
                shim->commands[number] = names[id];
        if (!shim->options.watch_flight)
            return done(arguments...);
        before(Call<id>(), arguments...);
        if constexpr (std::is_same_v<R, VkResult>) {
            VkResult result = fault_of(id);
            if (result == VK_SUCCESS)
                result = done(arguments...);
            else if (++shim->calls[id]; result == VK_ERROR_DEVICE_LOST)
                lose_devices();
            after(Call<id>(), result, arguments...);
            return result;
        } else {
            return done(arguments...);
        }
    }

    template <R(VKAPI_PTR* changed)(A...)>
    static R VKAPI_CALL change(A... arguments)
    {
        note_callbacks(arguments...);
        return watched<changed>(arguments...);
    }

    static R VKAPI_CALL count(A... arguments)
    {
        note_callbacks(arguments...);
        return watched<&counted>(arguments...);
    }

    static R VKAPI_CALL counted(A... arguments)
    {
        ++shim->calls[id];
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

// These functions take the place of those that the shim changes.
#define X(name) std::remove_pointer_t<PFN_##name> changed_##name;
VKONNX_SHIM_CHANGED(X)
#undef X

// Changes properties to those that the shim reports.
void change(VkPhysicalDeviceProperties& properties);

// Notes what was written around a buffer, and mends it, so that each overrun is told once. The caller holds the mutex.
void check_guards(const BoundBuffer& buffer);

}  // namespace vkonnx::kit::hooks
