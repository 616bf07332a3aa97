# Sourced by scripts that build: sets `launcher`, what cmake is told for ccache; empty where it is not installed.
# The scripts of one machine share what is compiled, whichever checkout they run in.
launcher=()
if command -v ccache >/dev/null; then
    launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=true
    export CCACHE_SLOPPINESS=pch_defines,time_macros # without these it keeps nothing that precompiled headers are used for
fi
