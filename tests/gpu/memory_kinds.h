// This header has the kinds of memory that tests run on.
#pragma once

namespace vkonnx::gpu_test {

// This struct is a kind of memory that kit::VulkanShim can make of a driver's own.
struct MemoryKind {
    const char* name = "";
    bool split = false;       // the host does not see the memory of tensors
    bool incoherent = false;  // flush and invalidate pass what either side writes to the other
};

// The first is memory as the driver has it, the second as on a discrete GPU, the third as on a mobile one.
inline constexpr MemoryKind memory_kinds[] = {{}, {.name = " split", .split = true}, {.name = " incoherent", .incoherent = true}};

}  // namespace vkonnx::gpu_test
