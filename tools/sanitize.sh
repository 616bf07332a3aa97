#!/usr/bin/env bash
# Builds the tests with AddressSanitizer and UndefinedBehaviorSanitizer, and runs them on both software drivers with leaks counted.
#
#   bash tools/sanitize.sh [FILTER]
#
# FILTER is a GoogleTest filter of gpu_test; without it every test runs that compares with the reference once, the sessions, jobs,
# recordings and failures, and all of the unit tests. The last line is "N passed, N failed", of programs.
set -euo pipefail
cd "$(dirname "$0")/.."

bash tools/setup.sh
. tools/configure.sh
folder=build/sanitized
flags="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1"
use_ccache
bring_matrix_tools
cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DVKONNX_PRECOMPILED=ON -DVKONNX_TESTS=ON \
    -DVKONNX_TOOLS=ON -DVKONNX_BENCHMARKS=OFF -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_C_FLAGS="$flags" \
    -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DCMAKE_C_FLAGS_RELEASE=-O1 "${matrix_tools[@]}" "${launcher[@]}" >/dev/null
units=(unit_kit unit_ops unit_plan unit_gpu unit_api unit_onnx unit_graph)
cmake --build "$folder" --target gpu_test c_test "${units[@]}"

use_software_drivers

# Memory that a driver, the loader or a layer keeps for ever is theirs: their frames are all that such a leak shows. The loader
# closes drivers before leaks are looked for, and frames of what is closed have no names, so that here nothing is ever closed.
${CC:-cc} -shared -fPIC -x c -o "$folder/keep_open.so" - <<'END'
int dlclose(void* library)
{
    (void)library;
    return 0;
}
END
preload=$PWD/$folder/keep_open.so
# The sanitizer's own library has to come first, where the compiler has it as a library.
runtime=$(${CXX:-c++} -print-file-name=libasan.so)
[ ! -e "$runtime" ] || preload=$runtime:$preload
cat >"$folder/leaks.txt" <<'END'
leak:libvulkan_lvp
leak:libvk_swiftshader
leak:libvulkan.so
leak:libVkLayer
leak:libLLVM
leak:libdrm
END
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:exitcode=99 UBSAN_OPTIONS=print_stacktrace=1
export LSAN_OPTIONS=suppressions=$PWD/$folder/leaks.txt:print_suppressions=0
scratch=$PWD/$folder/scratch
rm -rf "$scratch" && mkdir -p "$scratch"
export TMPDIR=$scratch TEST_TMPDIR=$scratch/

passed=0
failed=0
run() { # name command...
    local name=$1 code=0
    shift
    env LD_PRELOAD="$preload" "$@" >"$folder/$name.log" 2>&1 || code=$?
    echo "$name: exit code $code: $(grep -E '^\[  PASSED  \]|checks' "$folder/$name.log" | tail -n 1)"
    [ $code = 0 ] || grep -E -A 12 'ERROR: (Address|Leak)Sanitizer|runtime error|: Failure$' "$folder/$name.log" | head -n 40 || true
    return $code
}
count() { # command...
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
}
for unit in "${units[@]}"; do
    count run "$unit" "$folder/bin/$unit"
done
count run c_test "$folder/bin/c_test"
# These two leave a device alone on purpose, because its work never ends. Their leaks are what they test.
left_alone=Failure.WorkThatNeverEndsIsLeftAlone:Job.ThatNeverEndsIsLeftAlone
filter=${1:-cases/*:*Session*:*Job*:*Record*:*Failure*:*Memory*:*Tensor*:*Fusion*:*Random*:*Stress*}
case $filter in
*-*) filter=$filter:$left_alone ;;
*) filter=$filter-$left_alone ;;
esac
# Two parts at a time: a driver's compiler, which takes most of the time, keeps one core busy.
for first in 0 2 4; do
    parts=()
    for part in $first $((first + 1)); do
        VKONNX_TEST_SHARD=$part/6 run gpu_test_$part "$folder/bin/gpu_test" --gtest_filter="$filter" &
        parts+=($!)
    done
    for part in "${parts[@]}"; do
        count wait "$part"
    done
done
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 count run left_alone "$folder/bin/gpu_test" --gtest_filter="$left_alone"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
