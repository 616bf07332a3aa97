# Sourced by scripts that build. All of them share the folder build, so that what one has compiled serves the next.

# Sets `launcher`, which cmake is given for ccache; empty where that is not installed.
use_ccache() {
    launcher=()
    if command -v ccache >/dev/null; then
        launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
        export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=true # so that another checkout finds what this one has compiled
        export CCACHE_SLOPPINESS=pch_defines,time_macros   # or nothing is kept that is compiled with precompiled headers
    fi
}

# configure CMAKE_ARGUMENTS...: shared libraries, which Python takes, too, with the tests and the tools.
configure() {
    use_ccache
    cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DVKONNX_PRECOMPILED=ON -DVKONNX_TESTS=ON \
        -DVKONNX_TOOLS=ON "${launcher[@]}" "$@"
}
