#!/usr/bin/env bash
# check_mingw.sh [BUILD_FOLDER]: compiles and links the libraries, static and as DLLs, and the tool vkonnx for Windows. Nothing is
# run. Needs what building vkonnx needs, and Debian's g++-mingw-w64-x86-64-posix.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build-mingw}

if ! command -v x86_64-w64-mingw32-g++-posix >/dev/null; then
    echo "skipped: there is no MinGW-w64 here (Debian and Ubuntu: g++-mingw-w64-x86-64-posix)"
    exit 0
fi
mkdir -p "$build"
build=$(cd "$build" && pwd)

. tools/configure.sh
prefix=$build/prefix
link_headers "$prefix"

launcher=()
if command -v ccache >/dev/null; then
    launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
for kind in static shared; do
    cmake -S . -B "$build/$kind" -DCMAKE_TOOLCHAIN_FILE=tools/packaging/mingw-w64.cmake -DVKONNX_MINGW_PREFIX="$prefix" \
        -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=$([ $kind = shared ] && echo ON || echo OFF) -DVKONNX_ONNX=ON -DVKONNX_CLI=ON \
        -DVKONNX_TOOLS=OFF -DVKONNX_TESTS=OFF -DVKONNX_WERROR=ON "${launcher[@]}" >/dev/null
    cmake --build "$build/$kind"
    cmake --install "$build/$kind" --prefix "$build/installed-$kind" >/dev/null
done

# Like everywhere else, the loader (vulkan-1.dll) is found at run time.
find "$build"/installed-* \( -name '*.exe' -o -name '*.dll' -o -name '*.a' \) -exec ls -l {} +
for file in $(find "$build"/installed-* -name '*.exe' -o -name '*.dll'); do
    if x86_64-w64-mingw32-objdump -p "$file" | grep -i 'DLL Name: vulkan'; then
        echo "$file is linked with the Vulkan loader" >&2
        exit 1
    fi
done
