// SPDX-License-Identifier: Apache-2.0
// This file makes compute pipelines from the embedded SPIR-V, and shares them by key in a bounded cache.
#pragma once

#include <list>
#include <map>
#include <mutex>

#include "gpu/device.h"
#include "plan/core/plan.h"

namespace vkonnx::gpu {

using plan::PipelineKey;

VkDescriptorType descriptor_type(plan::View view);

class Pipeline {
public:
    static Result<std::shared_ptr<const Pipeline>> create(Device& device, const PipelineKey& key,
                                                          VkPipelineCreateFlags flags = 0);
    ~Pipeline();
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    VkPipeline handle() const { return pipeline_; }
    VkPipelineLayout layout() const { return layout_; }
    VkDescriptorSetLayout set_layout() const { return set_layout_; }

private:
    explicit Pipeline(Device& device) : device_(device) {}
    Status create_layouts(const PipelineKey& key);
    Status create_pipeline(const PipelineKey& key, VkPipelineCreateFlags flags);
    VkResult compile(VkComputePipelineCreateInfo& info, uint64_t key) noexcept;

    Device& device_;
    VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    VkPipeline pipeline_ = VK_NULL_HANDLE;
};

// The cache keeps every pipeline that is held outside, and up to `capacity` that are not; the least recently used is dropped
// first. Different pipelines can be built at the same time, but none is built twice: whoever wants one that is being built waits
// for it.
//
// No VkPipelineCache stands behind them all: it would keep for ever what is bounded here (SwiftShader's grows with each build),
// and saves nothing within a process, where no pipeline is built twice. PersistentCache keeps pipelines one by one.
class PipelineCache {
public:
    PipelineCache(Device& device, size_t capacity) : device_(device), capacity_(capacity) {}

    // Any thread may call this. After a failed build, those who wait for it build in turn.
    Result<std::shared_ptr<const Pipeline>> get(const PipelineKey& key);
    // Drops idle pipelines beyond the capacity. Whoever has just let pipelines go calls it.
    void trim();

private:
    struct Entry {
        std::mutex mutex;                          // held while the driver compiles
        std::shared_ptr<const Pipeline> pipeline;  // users access it under `mutex`, trim under the cache's
        size_t users = 0;                          // calls of `get` that are using the entry
        std::list<const PipelineKey*>::iterator place;
    };
    // A Use holds the entry of a key while one call of `get` needs it. At its end an entry without a pipeline is removed.
    class Use {
    public:
        Use(PipelineCache& cache, const PipelineKey& key) : cache_(cache), entry_(cache.enter(key)) {}
        ~Use() { cache_.leave(entry_); }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;
        Entry& entry() const { return entry_; }

    private:
        PipelineCache& cache_;
        Entry& entry_;
    };

    Entry& enter(const PipelineKey& key);
    void leave(Entry& entry) noexcept;

    Device& device_;
    const size_t capacity_;
    std::mutex mutex_;  // for all but what an entry's own mutex is for; never held for long
    std::map<PipelineKey, Entry> entries_;
    std::list<const PipelineKey*> order_;  // most recently used first; points into entries_
};

}  // namespace vkonnx::gpu
