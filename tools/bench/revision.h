// This header tells which source the tool was built from. The build writes the definitions anew whenever they change.
#pragma once

namespace vkonnx::bench {

extern const char* const git_revision;  // "0123456789ab", with "-dirty" for uncommitted changes; "unknown" outside a checkout
extern const char* const spirv_hash;    // SHA-256 over all compiled shaders, 16 digits

}  // namespace vkonnx::bench
