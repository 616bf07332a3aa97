// These functions play one scene while one thing fails in it, and judge what must hold then.
#pragma once

#include "scenes.h"

namespace vkonnx::faults {

// An injection is a Vulkan call that returns an error, or an allocation that fails.
struct Injection {
    bool in_heap = false;
    size_t number = 0;
    int error = 0;  // a VkResult
    kit::Reach reach = kit::Reach::once;

    bool lasts() const { return reach == kit::Reach::all; }
};

// Returns everything that can be injected into an attempt of the scene, by what it does when nothing fails.
std::vector<Injection> injections(const Scene& scene, const gpu_test::PresentDevice& present);

enum class Verdict : uint8_t {
    survived,
    abandoned,  // survived: the end of its work could not be seen, so that its objects were left alone
    not_met,    // the attempt did not get as far as the call or allocation
    broken,
};

struct Outcome {
    Verdict verdict = Verdict::survived;
    std::string what = {};  // what is wrong
};

Outcome survive(const Scene& scene, const gpu_test::PresentDevice& present, const Injection& injection);

std::string to_string(const Injection& injection);

}  // namespace vkonnx::faults
