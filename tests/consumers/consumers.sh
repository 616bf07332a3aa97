#!/usr/bin/env bash
# Builds and runs the project beside this file with every compiler in each way that vkonnx can be used, and prints the matrix. Each
# cell stands for six programs: the core and model files, each as it is, without exceptions and RTTI, and in C; with CMake also
# an application with a volk of its own. Ways that compile the library once more are for full runs.
set -euo pipefail

here=$VKONNX_SOURCE/tests/consumers/project
work=$VKONNX_WORK/consumers
rm -rf "$work" && mkdir -p "$work"
"$VKONNX_MODELS" "$work"

# The programs in folder $1 say what they should.
programs_work() {
    local kind output
    for kind in app lean c; do
        output=$("$1/${kind}_core") || return 1
        [[ $output =~ ^vkonnx\ [0-9.]+:\ float\[1,1,4,4\]\ by\ conv_transpose_[a-z0-9_]+,\ [1-9][0-9]*\ devices$ ]] ||
            { echo "${kind}_core says: $output" && return 1; }
        output=$("$1/${kind}_model" "$work/antialias_half.onnx") || return 1
        [[ $output =~ ^AveragePool:\ float\[1,3,4,4\]\ by\ average_pool_[a-z0-9_]+ ]] || { echo "${kind}_model says: $output" && return 1; }
        ! readelf -d "$1/${kind}_core" | grep -i 'NEEDED.*vulkan' || return 1
    done
}

volk_works() {
    local output
    output=$("$1/app_volk") || return 1
    [ "$output" = "volk, libvulkan and vkonnx in one process" ] || { echo "app_volk says: $output" && return 1; }
}

# build FOLDER CMAKE_ARGUMENTS...: a fresh cache, but what is the same as the last time stays: kernels for every compiler, the library's
# objects for one.
build() {
    local folder=$1
    shift
    rm -f "$folder/CMakeCache.txt"
    cmake -S "$here" -B "$folder" -DVOLK="$VKONNX_VOLK" -DCMAKE_CXX_COMPILER_LAUNCHER="$VKONNX_LAUNCHER" "$@" &&
        cmake --build "$folder" -j 2 && programs_work "$folder" &&
        volk_works "$folder"
}
find_static() { build "$work/find-static-$1" -DCMAKE_PREFIX_PATH="$VKONNX_WORK/static"; }
find_shared() { build "$work/find-shared-$1" -DCMAKE_PREFIX_PATH="$VKONNX_WORK/shared"; }
add_subdirectory() { build "$work/source" -DWAY=add_subdirectory -DVKONNX_SOURCE="$VKONNX_SOURCE"; }
fetch_content() { build "$work/source" -DWAY=fetch_content -DFETCHCONTENT_SOURCE_DIR_VKONNX="$VKONNX_SOURCE"; }

# with_pkg_config KIND COMPILER
with_pkg_config() {
    local folder=$work/pkg-config-$1-$2 prefix=$VKONNX_WORK/$1 kind lean core model
    local PKG_CONFIG_PATH
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name vkonnx.pc)")
    export PKG_CONFIG_PATH
    local c_core c_model
    mkdir -p "$folder"
    core="$(pkg-config --cflags --libs vkonnx)" && model="$(pkg-config --cflags --libs vkonnx-onnx)" || return 1
    [ "$1" != shared ] || lean="-Wl,-rpath,$(dirname "$PKG_CONFIG_PATH")"
    local compile=("$CXX" -std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Werror ${lean:-})
    echo "vkonnx: $core; vkonnx-onnx: $model"
    # shellcheck disable=SC2086  # flags are words
    for kind in app lean; do
        [ $kind = app ] || compile+=(-fno-exceptions -fno-rtti)
        "${compile[@]}" "$here/core.cpp" $core -o "$folder/${kind}_core" &&
            "${compile[@]}" "$here/model.cpp" $model -o "$folder/${kind}_model" || return 1
    done
    c_core="$(pkg-config --cflags --libs vkonnx-c)" && c_model="$(pkg-config --cflags --libs vkonnx-onnx-c)" || return 1
    compile=("$CC" -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror ${lean:-})
    "${compile[@]}" "$here/core.c" $c_core -o "$folder/c_core" && "${compile[@]}" "$here/model.c" $c_model -o "$folder/c_model" || return 1
    programs_work "$folder"
    # C needs no library of C++ that is not already needed
    [ "$1" = static ] || ! readelf -d "$folder/c_core" | grep -E 'NEEDED.*(libvkonnx\.so|stdc)' || return 1
}
pkg_config_static() { with_pkg_config static "$1"; }
pkg_config_shared() { with_pkg_config shared "$1"; }

# A version that is too new, and a component that is not there, are refused.
refusals() {
    local folder=$work/refused
    mkdir -p "$folder"
    for request in "0.2" "1.0" "0.1 COMPONENTS java"; do
        printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(refused CXX)' "find_package(vkonnx $request CONFIG REQUIRED)" \
            >"$folder/CMakeLists.txt"
        ! cmake -S "$folder" -B "$folder/build" -DCMAKE_PREFIX_PATH="$VKONNX_WORK/shared" >"$folder/log" 2>&1 ||
            { echo "find_package(vkonnx $request) succeeded" && return 1; }
        grep -qE 'vkonnx_FOUND to FALSE|vkonnx-config.cmake, version: ' "$folder/log" || { cat "$folder/log" && return 1; }
    done
}

compilers=()
for compiler in g++ clang++; do
    if command -v $compiler >/dev/null; then
        compilers+=($compiler)
    else
        echo "skipped: $compiler is not installed"
    fi
done
command -v pkg-config >/dev/null || echo "skipped: pkg-config is not installed"
ways=()
for kind in static shared; do
    [ -d "$VKONNX_WORK/$kind" ] || continue
    ways+=(find_$kind)
    ! command -v pkg-config >/dev/null || ways+=(pkg_config_$kind)
done
[ "${VKONNX_TEST_FULL:-}" != 1 ] || ways+=(add_subdirectory fetch_content)
[ ${#compilers[@]} != 0 ] || { echo "neither g++ nor clang++ is installed" && exit 1; }

failed=0
declare -A cells
for compiler in "${compilers[@]}"; do
    export CXX=$compiler CC=cc
    [ $compiler != g++ ] || CC=gcc
    [ $compiler != clang++ ] || CC=clang
    for way in "${ways[@]}"; do
        log=$work/$way-$compiler.log
        cells[$way $compiler]=ok
        if ! ($way $compiler) >"$log" 2>&1; then
            cells[$way $compiler]=FAILED
            failed=$((failed + 1))
            echo "--- $way with $compiler" && tail -n 40 "$log"
        fi
    done
done
refusals || failed=$((failed + 1))
printf '%-20s' way && printf '%-10s' "${compilers[@]}" && echo
for way in "${ways[@]}"; do
    printf '%-20s' "$way"
    for compiler in "${compilers[@]}"; do
        printf '%-10s' "${cells[$way $compiler]}"
    done
    echo
done
[ $failed = 0 ]
