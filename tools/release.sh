#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the files of a release on one machine, for every system, and prints their sizes.
#
#   bash tools/release.sh [SYSTEM...]      # without any: all that `systems` below names; else the files of others stay
#
# It writes these files into build/release, for each system:
#   vkonnx-VERSION-py3-none-PLATFORM.whl                   the Python package, with the library inside
#   onnxruntime_ep_vkonnx-VERSION-py3-none-PLATFORM.whl    the plug-in of ONNX Runtime
#   vkonnx-c-VERSION-SYSTEM.tar.gz or .zip                 the library of C: one file, headers, a CMake package, pkg-config files
#   vkonnx-tools-VERSION-SYSTEM.tar.gz or .zip             vkonnx, vkonnx-test and vkonnx-bench, each a program in one file
# There are also vkonnx-VERSION.tgz, the package for Node, with the libraries of all systems, vkonnx-VERSION.spdx.json, which tells what is
# inside of what, and SHA256SUMS. Each file has the licences of what is inside.
#
# It takes Debian or Ubuntu with what tools/setup.sh installs, and the network: zig, the compiler for all systems, and the shaders' tools
# come from PyPI, and the sources of Google Benchmark from this system's own packages. VKONNX_WORK names the folder of what is built on the
# way, which later runs use again; it is build/release-work otherwise.
#
# Two runs of one commit should give equal files: nothing is put into them that knows the time, the folder or the machine. The date of what
# is inside is the commit's.
set -euo pipefail
cd "$(dirname "$0")/.."
source=$PWD
out=$source/build/release
work=${VKONNX_WORK:-$source/build/release-work}
packaging=$source/tools/packaging

# The name of a system, its target in zig, the platform of its wheels, and its folder in the package for Node. Linux has glibc 2.17 of 2012,
# or musl; macOS is 11 and later.
systems="
linux-x86_64        x86_64-linux-gnu.2.17   manylinux_2_17_x86_64   linux-x64
linux-aarch64       aarch64-linux-gnu.2.17  manylinux_2_17_aarch64  linux-arm64
linux-musl-x86_64   x86_64-linux-musl       musllinux_1_2_x86_64    linux-x64-musl
linux-musl-aarch64  aarch64-linux-musl      musllinux_1_2_aarch64   linux-arm64-musl
windows-x86_64      x86_64-windows-gnu      win_amd64               win32-x64
windows-aarch64     aarch64-windows-gnu     win_arm64               win32-arm64
macos-x86_64        x86_64-macos.11.0       macosx_11_0_x86_64      darwin-x64
macos-aarch64       aarch64-macos.11.0      macosx_11_0_arm64       darwin-arm64
"
row_of() { awk -v name="$1" '$1 == name' <<<"$systems"; }
if [ $# = 0 ]; then
    mapfile -t all < <(awk 'NF {print $1}' <<<"$systems")
    set -- "${all[@]}"
    rm -rf "$out" "$work/package"
fi
for system in "$@"; do
    if [ -z "$(row_of "$system")" ]; then
        echo "release: there is no system \"$system\"; there are: $(awk 'NF {print $1}' <<<"$systems" | paste -sd' ')" >&2
        exit 1
    fi
done

bash tools/setup.sh
. tools/configure.sh
version=$(sed -nE 's/^project\(vkonnx VERSION ([0-9.]+) .*/\1/p' CMakeLists.txt)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
mkdir -p "$work" "$out"

python=$work/venv/bin/python
[ -x "$python" ] || python3 -m venv "$work/venv"
"$python" -m pip install --quiet --disable-pip-version-check ziglang==0.17.1 build==1.6.1 scikit-build-core==1.1.2 wheel==0.47.0 \
    auditwheel==6.8.2 spdx-tools==0.8.5
zig=$("$python" -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')
export ZIG_GLOBAL_CACHE_DIR=$work/zig-cache ZIG_LOCAL_CACHE_DIR=$work/zig-cache

# COMMAND...: what it prints is shown only where it fails.
quietly() {
    "$@" >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2 && return 1; }
}

# The shaders are compiled and validated once, by tools of one version, for all systems.
bring_shader_tools
[ -n "$shader_tools" ] || { echo "release: the shaders' tools can't be had: $why" >&2 && exit 1; }
quietly cmake -S . -B "$work/modules" -G Ninja -DCMAKE_BUILD_TYPE=Release -DVKONNX_TESTS=OFF -DVKONNX_TOOLS=OFF \
    -DVKONNX_GLSLANG="$shader_tools/glslangValidator" -DVKONNX_SPIRV_OPT="$shader_tools/spirv-opt" \
    -DVKONNX_SPIRV_VAL="$shader_tools/spirv-val" -DVKONNX_STRIP_SHADERS=ON
cmake --build "$work/modules" --target vkonnx_modules

bring_onnxruntime_headers
[ -n "$onnxruntime_headers" ] || { echo "release: the headers of ONNX Runtime can't be had" >&2 && exit 1; }

# The sources of what the tools link: Google Test is a package of sources, Google Benchmark has only its libraries in one.
googletest=/usr/src/googletest
benchmark=$work/benchmark
if [ ! -d "$benchmark" ]; then
    rm -rf "$benchmark.part"
    components=main
    [ "$(. /etc/os-release && echo "$ID")" = debian ] || components="main universe"
    apt_beside "$benchmark.part" "deb-src $(debian_mirror) $(. /etc/os-release && echo "$VERSION_CODENAME") $components"
    (cd "$benchmark.part" && apt-get "${apt_options[@]}" source --download-only benchmark && mkdir source &&
        tar -xf benchmark_*.orig.tar.* --strip-components=1 -C source)
    mv "$benchmark.part/source" "$benchmark"
    rm -rf "$benchmark.part"
fi

prefix=$work/prefix
link_headers "$prefix"

# The licences of what is compiled into a file of the release, as their packages and zig give them.
licences() { # name...
    local name file
    for name in "$@"; do
        case $name in
        zig) file=$(dirname "$zig")/LICENSE ;;
        libc++ | libc++abi | libunwind) file=$(dirname "$zig")/lib/${name/c++/cxx}/LICENSE.TXT ;;
        musl) file=$(dirname "$zig")/lib/libc/musl/COPYRIGHT ;;
        mingw-w64) file=$(dirname "$zig")/lib/libc/mingw/COPYING ;;
        google-benchmark) file=$benchmark/LICENSE ;;
        *) file=/usr/share/doc/$name/copyright ;;
        esac
        printf '%s\n%s\n\n' "$name" "${name//?/=}"
        cat "$file"
        printf '\n\n'
    done
}
inside_library=(libvulkan-volk-dev libvulkan-dev libprotozero-dev libc++ libc++abi libunwind zig)
inside_tools=("${inside_library[@]}" libcli11-dev nlohmann-json3-dev libstb-dev googletest google-benchmark)

# Where the compiler would write a path of this machine, it writes a short one. Google Benchmark asks for an extension that newer compilers
# warn of, as an error.
flags="-Wno-c2y-extensions -ffile-prefix-map=$work=work -ffile-prefix-map=$source=vkonnx -ffile-prefix-map=/usr=usr"
build_for() { # system target platform node
    local system=$1 target=$2 platform=$3 node=$4
    local folder=$work/$system built=$work/$system/vkonnx name library plugin stage with=() flags=$flags
    # zig's headers for macOS define no FLT_MAX in C++20 where <algorithm> comes before <cfloat>. So float.h is included first.
    [[ $system != macos-* ]] || flags="$flags -include float.h"
    local zig_arguments=(-G Ninja -DCMAKE_TOOLCHAIN_FILE="$packaging/zig.cmake" -DVKONNX_ZIG="$zig" -DVKONNX_ZIG_TARGET="$target"
        "-DVKONNX_PREFIX=$prefix;$folder/prefix" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS=$flags")
    local link_program=-s
    case $system in
    windows-*) with=(mingw-w64) ;;
    *musl*) with=(musl) link_program="-s -dynamic" ;; # a static program, which zig makes for musl, can't load the Vulkan loader
    esac

    for name in googletest benchmark; do
        [ ! -e "$folder/$name/install_manifest.txt" ] || continue
        quietly cmake -S "${!name}" -B "$folder/$name" "${zig_arguments[@]}" -DCMAKE_INSTALL_PREFIX="$folder/prefix" -DBUILD_GMOCK=OFF \
            -DBENCHMARK_ENABLE_TESTING=OFF -DBENCHMARK_ENABLE_WERROR=OFF -DBENCHMARK_INSTALL_DOCS=OFF
        quietly cmake --build "$folder/$name" --target install
    done
    quietly cmake -S . -B "$built" "${zig_arguments[@]}" -DBUILD_SHARED_LIBS=OFF -DVKONNX_C_BUNDLE=ON -DVKONNX_TOOLS=ON -DVKONNX_TESTS=OFF \
        -DVKONNX_PRECOMPILED=ON -DVKONNX_MODULES="$work/modules/shaders/generated" -DVKONNX_ONNXRUNTIME=ON -DVKONNX_ONNXRUNTIME_HEADERS="$onnxruntime_headers" \
        -DCMAKE_SHARED_LINKER_FLAGS=-s "-DCMAKE_EXE_LINKER_FLAGS=$link_program" -DCMAKE_SKIP_RPATH=ON
    cmake --build "$built" --target vkonnx_c_bundle vkonnx_onnxruntime vkonnx-cli vkonnx-test vkonnx-bench

    local suffix=.tar.gz
    [[ $system != windows-* ]] || suffix=.zip
    for name in c tools; do
        stage=$folder/vkonnx-$name-$version-$system
        rm -rf "$stage"
        cmake --install "$built" --component "$([ $name = c ] && echo bundle || echo tools)" --prefix "$stage" >/dev/null
        cp LICENSE "$stage"
    done
    licences "${inside_library[@]}" "${with[@]}" >"$folder/THIRD_PARTY"
    cp "$folder/THIRD_PARTY" "$folder/vkonnx-c-$version-$system"
    cp "$packaging/tools_readme.txt" "$folder/vkonnx-tools-$version-$system/README.txt"
    licences "${inside_tools[@]}" "${with[@]}" >"$folder/vkonnx-tools-$version-$system/THIRD_PARTY"
    for name in c tools; do
        stage=vkonnx-$name-$version-$system
        (cd "$folder" && python3 "$packaging/archive.py" "$stage" "$out/$stage$suffix")
    done

    # What a wheel has under its soname: the library on Linux and macOS, whose other names are links to it.
    library=$(compgen -G "$built/src/bundle/*vkonnx_c*.[ds][lyo]*" | grep -E '(\.so\.[0-9]+|[^0-9.]\.[0-9]+\.dylib|\.dll)$')
    plugin=$(find "$built/src/onnxruntime" "$built/bin" -maxdepth 1 -regex '.*vkonnx_onnxruntime\.\(so\|dylib\|dll\)')
    mkdir -p "$work/package/lib/$node"
    cp "$library" "$work/package/lib/$node"
    wheel "$platform" tools/python -Ccmake.define.VKONNX_C_LIBRARY="$library" -Ccmake.define.VKONNX_THIRD_PARTY="$folder/THIRD_PARTY"
    wheel "$platform" tools/onnxruntime_ep -Ccmake.define.VKONNX_PLUGIN="$plugin" -Ccmake.define.VKONNX_THIRD_PARTY="$folder/THIRD_PARTY"
}

# Wheels of this machine's platform come out of the builder, and get the name of the other one; for glibc 2.17 the older name, too. For
# glibc it is checked that the library needs no more than that platform has; for musl, that it needs nothing else.
wheel() { # platform folder arguments...
    local platform=$1 package=$2 made names=$1
    shift 2
    rm -rf "$work/wheel"
    quietly "$python" -m build --wheel --no-isolation --outdir "$work/wheel" -Cbuild-dir="$work/wheel/cmake" "$@" "$package"
    [[ $platform != manylinux_2_17_* ]] || names=$platform.${platform/_2_17_/2014_}
    made=$("$python" -m wheel tags --remove --platform-tag "$names" "$work"/wheel/*.whl)
    if [[ $platform = musllinux* ]]; then
        rm -rf "$work/wheel/unpacked"
        python3 -m zipfile -e "$work/wheel/$made" "$work/wheel/unpacked"
        if find "$work/wheel/unpacked" -name '*.so*' -exec readelf -d {} + | grep NEEDED | grep -vF '[libc.so]' >&2; then
            echo "release: $made asks for more than musl has" >&2
            return 1
        fi
    fi
    if [[ $platform = manylinux* ]] && ! "$python" -m auditwheel show "$work/wheel/$made" | tr -s ' \n' ' ' | grep -q "\"$platform\""; then
        "$python" -m auditwheel show "$work/wheel/$made" >&2
        echo "release: $made asks for more than $platform has" >&2
        return 1
    fi
    if [ "$(stat -c %s "$work/wheel/$made")" -gt 6000000 ]; then
        echo "release: $made has $(stat -c %s "$work/wheel/$made") bytes, and must have 6000000 at most" >&2
        return 1
    fi
    cp "$work/wheel/$made" "$out"
}

for system in "$@"; do
    read -r _ target platform node < <(row_of "$system")
    echo "release: $system"
    build_for "$system" "$target" "$platform" "$node"
done

# The package for Node has the libraries of all systems. npm's own format is an archive of a folder "package".
cp tools/npm/{index.js,index.d.ts,package.json,README.md} LICENSE "$work/package"
licences "${inside_library[@]}" musl mingw-w64 >"$work/package/THIRD_PARTY"
(cd "$work" && "$python" "$packaging/archive.py" package "$out/vkonnx-$version.tgz")

rm -f "$out"/SHA256SUMS "$out"/*.spdx.json
"$python" "$packaging/sbom.py" "$version" "$(git rev-parse HEAD)" "$("$zig" version)" "$work/vkonnx.spdx.json" "$out"/*
mv "$work/vkonnx.spdx.json" "$out/vkonnx-$version.spdx.json"
(cd "$out" && sha256sum -- * >SHA256SUMS)
(cd "$out" && wc -c -- * | sort -k 2)
