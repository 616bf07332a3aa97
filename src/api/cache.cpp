// SPDX-License-Identifier: Apache-2.0
// This file has what is public of the cache: where it is, that it is written, and what it did.
#include <cstdlib>
#include <filesystem>

#include "api/state.h"
#include "gpu/persistent_cache.h"

namespace vkonnx {

void Device::save_cache() const noexcept
{
    if (state_ && !state_->gpu->is_forked())
        state_->gpu->cache().save();
}

CacheUse Device::cache_use() const noexcept
{
    return guarded_or(CacheUse(), [&] { return state_ ? state_->gpu->cache().use() : CacheUse(); });
}

std::string default_cache_folder() noexcept
{
    return guarded_or(std::string(), []() -> std::string {
        if (const char* given = std::getenv("VKONNX_CACHE_DIR"))
            return given;
        const auto within = [](const char* variable, const char* folder) -> std::string {
            const char* base = std::getenv(variable);
            const std::filesystem::path path = base ? base : "";
            return path.is_absolute() ? (path / folder).string() : std::string();
        };
#if defined(_WIN32)
        return within("LOCALAPPDATA", "vkonnx");
#elif defined(__APPLE__)
        return within("HOME", "Library/Caches/vkonnx");
#else
        const std::string chosen = within("XDG_CACHE_HOME", "vkonnx");
        return chosen.empty() ? within("HOME", ".cache/vkonnx") : chosen;
#endif
    });
}

}  // namespace vkonnx
