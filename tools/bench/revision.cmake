# Run at every build: cmake -DSOURCE=... -DSHADERS=... -DOUT=revision.cpp -P revision.cmake
execute_process(COMMAND git describe --always --abbrev=12 --exclude=* --dirty
    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT revision)
    set(revision unknown)
endif()
file(GLOB modules ${SHADERS}/*.spv)
list(SORT modules)
set(hashes "")
foreach(module IN LISTS modules)
    file(SHA256 ${module} hash)
    string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 16 hash)
file(CONFIGURE OUTPUT ${OUT} CONTENT [[
#include "revision.h"

namespace vkonnx::bench {

const char* const git_revision = "@revision@";
const char* const spirv_hash = "@hash@";

}  // namespace vkonnx::bench
]] @ONLY)
