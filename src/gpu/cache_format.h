// SPDX-License-Identifier: Apache-2.0
// This file lays down the bytes in which one device's cache is kept (DeviceOptions::cache_folder). Integers are little-endian.
//
//     at   bytes
//      0     8   "vkonnxPC"
//      8     4   version of this format
//     12     4   sizeof(void*) of the process
//     16     4   VkPhysicalDeviceProperties::vendorID
//     20     4   deviceID
//     24     4   VkDriverId, 0 where the driver does not tell
//     28     4   driverVersion
//     32    16   pipelineCacheUUID
//     48    16   version of the library, filled up with zeros
//     64     8   bytes of the payload
//     72     8   checksum of the 72 bytes before and of the payload
//     80         payload: count of texts (4), then for each: bytes of its name (4), name, bytes of the text (4), text;
//                count of pipelines (4), then for each: its key (8), bytes of its data (4), data; the most recently used first
//
// What does not fit in every field is read as nothing. The data of a pipeline is what vkGetPipelineCacheData gave for a
// VkPipelineCache with this pipeline alone, so that each can be kept, dropped and merged by itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vkonnx::gpu {

// A CacheIdentity tells which device and driver a cache is for. A cache of any other one counts as empty.
struct CacheIdentity {
    uint32_t vendor = 0;
    uint32_t device = 0;
    uint32_t driver = 0;  // a VkDriverId
    uint32_t driver_version = 0;
    std::array<uint8_t, 16> uuid = {};  // pipelineCacheUUID
};

struct CachedPipeline {
    uint64_t key = 0;
    std::vector<std::byte> data = {};
};

struct CacheContent {
    std::map<std::string, std::string> texts = {};
    std::vector<CachedPipeline> pipelines = {};  // the most recently used first
};

constexpr size_t max_cache_bytes = size_t(64) << 20;

// This is FNV-1a of 64 bits (Fowler, Noll, Vo). Each step is a bijection of the state: no change of one byte goes unnoticed.
class Hash {
public:
    void add(std::span<const std::byte> bytes)
    {
        for (const std::byte byte : bytes)
            state_ = (state_ ^ uint64_t(byte)) * 0x100000001b3u;
    }
    uint64_t value() const { return state_; }

private:
    uint64_t state_ = 0xcbf29ce484222325u;
};

// Returns the bytes of a cache: all texts first, then as many of the pipelines as fit into `max_bytes`.
std::vector<std::byte> encode(const CacheIdentity& identity, const CacheContent& content, size_t max_bytes = max_cache_bytes);
// Returns nothing where the bytes are not whole or are of another identity, with a few words about the reason.
std::optional<CacheContent> decode(const CacheIdentity& identity, std::span<const std::byte> bytes, std::string& why);

// Tells whether the data begins with the header that Vulkan lays down for a VkPipelineCache, and goes on behind it. A driver must
// ignore data without one, but not every driver does.
bool is_pipeline_data(const CacheIdentity& identity, std::span<const std::byte> data);

// Returns "vkonnx-" and 16 hexadecimal digits that stand for the device, its driver and the version of the library, so that none
// of these overwrites another's cache. The driver's version is not among them: a newer driver's cache takes the place of the
// older one's.
std::string cache_name(const CacheIdentity& identity);

// Returns what `newer` has, and behind it what only `older` has.
CacheContent merged(CacheContent newer, CacheContent older);

}  // namespace vkonnx::gpu
