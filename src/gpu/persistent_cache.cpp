// SPDX-License-Identifier: Apache-2.0
#include "gpu/persistent_cache.h"

#include <algorithm>
#include <filesystem>

#include <vulkan/vulkan_core.h>

#include "gpu/cache_folder.h"

namespace vkonnx::gpu {
namespace {

// A BrokenDriver breaks with a VkPipelineCache, from version `from` on until `before`, as the driver encodes versions.
struct BrokenDriver {
    VkDriverId driver;
    uint32_t from;
    uint32_t before;
};

constexpr uint32_t nvidia_version(uint32_t major, uint32_t minor, uint32_t patch)
{
    return major << 22 | minor << 14 | patch << 6;
}

constexpr BrokenDriver broken_drivers[] = {
    // Each VkPipelineCache takes a great deal of memory (vkd3d-proton, pull requests 793 and 795).
    {VK_DRIVER_ID_NVIDIA_PROPRIETARY, nvidia_version(470, 0, 0), nvidia_version(470, 62, 2)},
    // The data that these drivers give back of some applications' caches is corrupt.
    {VK_DRIVER_ID_QUALCOMM_PROPRIETARY, 0, VK_MAKE_API_VERSION(0, 512, 0, 0)},
};

bool is_broken(const CacheIdentity& identity)
{
    return std::any_of(std::begin(broken_drivers), std::end(broken_drivers), [&](const BrokenDriver& one) {
        return uint32_t(one.driver) == identity.driver && identity.driver_version >= one.from &&
               identity.driver_version < one.before;
    });
}

std::filesystem::path file_of(const std::string& folder, const CacheIdentity& identity)
{
    return std::filesystem::path(folder) / (cache_name(identity) + ".cache");
}

}  // namespace

PersistentCache::PersistentCache(const CacheIdentity& identity, const DeviceOptions& options)
    : identity_(identity), is_broken_(is_broken(identity)), folder_(options.cache_folder), load_(options.load_cache),
      store_(options.store_cache), keeps_(!folder_.empty() || (load_ && store_))
{
    if (!keeps_)
        return;
    use_.place = folder_.empty() ? cache_name(identity_) : file_of(folder_, identity_).string();
    read();
}

void PersistentCache::read()
{
    std::string& why = use_.missed;
    std::vector<std::byte> bytes;
    if (folder_.empty()) {
        bytes = load_(cache_name(identity_));
        if (bytes.empty())
            why = "nothing was kept";
    } else if (std::optional<std::vector<std::byte>> file = read_cache_file(file_of(folder_, identity_), max_cache_bytes, why)) {
        bytes = std::move(*file);
    }
    if (!why.empty())
        return;
    std::optional<CacheContent> content = decode(identity_, bytes, why);
    if (!content)
        return;
    read_ = std::move(*content);
    use_.read_bytes = bytes.size();
    use_.read_pipelines = uint32_t(read_.pipelines.size());
}

std::vector<std::byte> PersistentCache::pipeline(uint64_t key)
{
    std::lock_guard lock(mutex_);
    if (const auto own = places_.find(key); own != places_.end())
        return own_.pipelines[own->second].data;
    const auto found =
        std::find_if(read_.pipelines.begin(), read_.pipelines.end(), [&](const CachedPipeline& one) { return one.key == key; });
    return found == read_.pipelines.end() ? std::vector<std::byte>() : found->data;
}

void PersistentCache::note_pipeline(uint64_t key, bool found, bool confirmed, std::vector<std::byte> data)
{
    std::lock_guard lock(mutex_);
    use_.found += found;
    use_.confirmed += found && confirmed;
    use_.compiled += !found;
    if (!is_pipeline_data(identity_, data))
        return;
    use_.kept += !found;
    const auto [place, is_new] = places_.try_emplace(key, own_.pipelines.size());
    if (is_new)
        own_.pipelines.push_back({key, std::move(data)});
    else
        own_.pipelines[place->second].data = std::move(data);
    changed_ = changed_ || !found;
}

std::optional<std::string> PersistentCache::text(const std::string& name) const
{
    std::lock_guard lock(mutex_);
    for (const CacheContent* content : {&own_, &read_})
        if (const auto found = content->texts.find(name); found != content->texts.end())
            return found->second;
    return std::nullopt;
}

void PersistentCache::keep_text(const std::string& name, const std::string& text)
{
    std::lock_guard lock(mutex_);
    if (!keeps_)
        return;
    own_.texts[name] = text;
    changed_ = true;
}

std::map<std::string, std::string> PersistentCache::texts(const std::string& beginning) const
{
    std::lock_guard lock(mutex_);
    std::map<std::string, std::string> found;
    for (const CacheContent* content : {&own_, &read_})
        for (const auto& [name, text] : content->texts)
            if (name.starts_with(beginning))
                found.try_emplace(name, text);
    return found;
}

std::vector<std::byte> PersistentCache::updated(std::span<const std::byte> present) const
{
    std::string ignored;
    std::optional<CacheContent> there = decode(identity_, present, ignored);
    CacheContent own = own_;
    std::reverse(own.pipelines.begin(), own.pipelines.end());
    return encode(identity_, merged(std::move(own), there ? std::move(*there) : CacheContent()));
}

void PersistentCache::save() noexcept
{
    if (!keeps_)
        return;
    try {
        std::lock_guard saving(saving_);
        {
            std::lock_guard lock(mutex_);
            if (!changed_)
                return;
            changed_ = false;
        }
        std::string why;
        std::optional<size_t> written;
        const auto make = [&](std::span<const std::byte> present) {
            std::lock_guard lock(mutex_);
            return updated(present);
        };
        if (folder_.empty()) {
            const std::vector<std::byte> bytes = make(load_(cache_name(identity_)));
            store_(cache_name(identity_), bytes);
            written = bytes.size();
        } else {
            written = replace_cache_file(file_of(folder_, identity_), max_cache_bytes, make, why);
        }
        std::lock_guard lock(mutex_);
        use_.unwritten = why;
        use_.written_bytes = written.value_or(use_.written_bytes);
        use_.writes += written.has_value();
        changed_ = changed_ || !written;
    } catch (...) {  // out of memory: what was not written still counts as new
        std::lock_guard lock(mutex_);
        changed_ = true;
    }
}

CacheUse PersistentCache::use() const
{
    std::lock_guard lock(mutex_);
    return use_;
}

}  // namespace vkonnx::gpu
