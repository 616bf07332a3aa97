// SPDX-License-Identifier: Apache-2.0
// This file has what one Device keeps for later processes: what it read when it was opened, what is new, and where both go.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gpu/cache_format.h"

namespace vkonnx::gpu {

// Any thread may call any function. No function fails; CacheUse tells what did not work.
class PersistentCache {
public:
    // Reads what earlier processes have kept.
    PersistentCache(const CacheIdentity& identity, const DeviceOptions& options);
    PersistentCache(const PersistentCache&) = delete;
    PersistentCache& operator=(const PersistentCache&) = delete;

    // Tells whether pipelines are kept. They are not where the driver is known to break with a VkPipelineCache.
    bool keeps_pipelines() const { return keeps_ && !is_broken_; }

    // Returns the data of a pipeline that was kept, for vkCreatePipelineCache, or nothing where there is none.
    std::vector<std::byte> pipeline(uint64_t key);
    // Counts a pipeline that was built, and keeps `data`, which the driver gave for it and which may be empty. `found` tells that
    // it was built of what `pipeline` gave, `confirmed` that the driver said that it did not compile it.
    void note_pipeline(uint64_t key, bool found, bool confirmed, std::vector<std::byte> data);

    std::optional<std::string> text(const std::string& name) const;
    void keep_text(const std::string& name, const std::string& text);
    // Returns the names and texts of all whose names begin like this.
    std::map<std::string, std::string> texts(const std::string& beginning) const;

    // Writes the cache if there is something new.
    void save() noexcept;
    CacheUse use() const;

private:
    void read();
    // Returns the bytes to write: what this device has used or made, and behind it what only `present` has.
    std::vector<std::byte> updated(std::span<const std::byte> present) const;

    const CacheIdentity identity_;
    const bool is_broken_;
    const std::string folder_;
    const std::function<std::vector<std::byte>(std::string_view)> load_;
    const std::function<void(std::string_view, std::span<const std::byte>)> store_;
    const bool keeps_;

    std::mutex saving_;                       // held while one thread writes; taken before the other one
    mutable std::mutex mutex_;                // for all members below
    CacheContent read_ = {};                  // what was kept when the device was opened
    CacheContent own_ = {};                   // used or made by this device, the most recent last
    std::map<uint64_t, size_t> places_ = {};  // a pipeline's place in own_.pipelines, by its key
    bool changed_ = false;                    // whether anything changed since it was last written
    CacheUse use_ = {};
};

}  // namespace vkonnx::gpu
