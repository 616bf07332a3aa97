// This header runs many threads on one device: they prepare, infer, bind, upload, run, submit, record and download, each with its
// own tensors and with Ops that all share. It knows nothing but the public header, so that it can be built with a sanitizer, too.
#pragma once

#include <vkonnx/vkonnx.hpp>

namespace vkonnx::kit {

struct StressOptions {
    unsigned threads = 8;
    uint64_t rounds = 100;  // of each thread
    uint32_t seed = 1;
    bool verify = true;                      // checks values; a driver that computes nothing can't be asked
    std::optional<DeviceOptions> open = {};  // the threads also open and close devices with these options
};

struct StressCounts {
    uint64_t rounds = 0;
    uint64_t prepared = 0;
    uint64_t bound = 0;
    uint64_t runs = 0;
    uint64_t jobs = 0;
    uint64_t most_jobs_in_flight = 0;  // of one thread
    uint64_t opened = 0;
    uint64_t verified = 0;     // tensors downloaded and found right
    std::string failure = {};  // the first failure; empty when all is well
};

StressCounts stress(const Device& device, const StressOptions& options);

std::string to_string(const StressCounts& counts);

}  // namespace vkonnx::kit
