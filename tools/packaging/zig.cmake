# Toolchain: any of the systems that zig compiles for. VKONNX_ZIG is the program zig, VKONNX_ZIG_TARGET one of its targets, as
# x86_64-linux-gnu.2.17, aarch64-linux-musl, x86_64-windows-gnu or aarch64-macos.11.0, and VKONNX_PREFIX a folder with the headers of other
# projects, since those of the build machine must not be seen. tools/release.sh makes all three.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES VKONNX_ZIG VKONNX_ZIG_TARGET VKONNX_PREFIX)
if(NOT VKONNX_ZIG_TARGET MATCHES "^([a-z0-9_]+)-(linux|windows|macos)")
    message(FATAL_ERROR "VKONNX_ZIG_TARGET is \"${VKONNX_ZIG_TARGET}\" and must be a target of zig on Linux, Windows or macOS, "
        "as x86_64-linux-gnu.2.17")
endif()
set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_MATCH_1})
set(system_linux Linux)
set(system_windows Windows)
set(system_macos Darwin)
set(CMAKE_SYSTEM_NAME ${system_${CMAKE_MATCH_2}})
set(CMAKE_C_COMPILER ${VKONNX_ZIG} cc -target ${VKONNX_ZIG_TARGET})
set(CMAKE_CXX_COMPILER ${VKONNX_ZIG} c++ -target ${VKONNX_ZIG_TARGET})
set(CMAKE_RC_COMPILER ${VKONNX_ZIG})

# zig is several programs in one, of which the first argument chooses one; CMake wants a file each.
foreach(tool ar ranlib)
    set(wrapper ${CMAKE_BINARY_DIR}/zig-${tool})
    file(WRITE ${wrapper} "#!/bin/sh\nexec '${VKONNX_ZIG}' ${tool} \"$@\"\n")
    file(CHMOD ${wrapper} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    string(TOUPPER ${tool} variable)
    set(CMAKE_${variable} ${wrapper} CACHE FILEPATH "")
endforeach()

set(CMAKE_FIND_ROOT_PATH ${VKONNX_PREFIX})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
