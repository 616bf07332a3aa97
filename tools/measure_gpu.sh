#!/usr/bin/env bash
# Tries everything on one GPU and writes what came of it into a folder: conformance, the tests, times in float32 and float16, what
# the driver's compiler made of the kernels, PyTorch (cuDNN) on the same shapes, and whole models beside ONNX Runtime.
#
#   bash tools/measure_gpu.sh [--build DIR] [--device D] [--legs A,B,...] [--scale F] [--tests FILTER] [--packages FOLDER] OUT
#   bash tools/measure_gpu.sh [--build DIR] --bundle FILE.tar.gz
#
# DIR (default: build) is a build folder with tests and tools. Another machine's will do, as far as its C library is no newer:
# programs are looked for in DIR/bin, libraries in DIR/src and DIR/lib. --bundle packs what of DIR is needed for that, with the
# validation layer. tools/test.sh builds with -O1: where the host's share of a time counts, CMake builds DIR as Release.
#
# Each leg has a limit in seconds, which F multiplies, so that a leg that hangs costs no other. FILTER is for gpu_test. The models run
# that tools/packages.py has fetched into FOLDER (default: build/packages). PyTorch, onnx and onnxruntime are used where python3 has
# them.
# OUT gets LEG.log for each leg, JSON where the program writes it, and summary.txt; tools/gpu_page.py makes a page of it.
#
# Exit codes: 0 every leg ended with 0; 1 one did not; 2 usage.
set -uo pipefail
cd "$(dirname "$0")/.."

build=build
device=gpu
scale=1
all=devices,conformance,official,bench_f32,bench_f16,cudnn_f32,cudnn_f16,kernels_f32,kernels_f16,tests,models,packages,compiled
legs=$all
tests=-Soak.*
packages=build/packages
bundle=
while [ $# -gt 1 ]; do # all of them have a value
    case $1 in
    --build) build=$2 ;;
    --device) device=$2 ;;
    --legs) legs=$2 ;;
    --scale) scale=$2 ;;
    --tests) tests=$2 ;;
    --packages) packages=$2 ;;
    --bundle) bundle=$2 ;;
    *) sed -n 5,6p "$0"; exit 2 ;;
    esac
    shift 2
done

if [ -n "$bundle" ]; then
    set -e
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    mkdir -p "$folder/bin" "$folder/src" "$folder/lib" "$folder/layers"
    for program in gpu_test vkonnx vkonnx-bench vkonnx-test; do
        strip -o "$folder/bin/$program" "$build/bin/$program"
    done
    for library in "$build"/src/libvkonnx*.so.*; do
        [ -L "$library" ] || continue # by the name that programs ask for
        strip -o "$folder/src/$(basename "$library")" "$library"
    done
    # What this system calls otherwise than others.
    ldd "$build/bin/vkonnx-bench" | awk '/libbenchmark/ {print $3}' | xargs -r cp -Lt "$folder/lib"
    manifest=/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json
    if [ -f $manifest ]; then
        cp "$(ldconfig -p | awk '/libVkLayer_khronos_validation/ {print $NF; exit}')" "$folder/layers" 2>/dev/null ||
            cp /usr/lib/*/libVkLayer_khronos_validation.so "$folder/layers"
        sed -E 's#"library_path": *"[^"]*"#"library_path": "./libVkLayer_khronos_validation.so"#' $manifest \
            >"$folder/layers/VkLayer_khronos_validation.json"
    fi
    tar -C "$folder" -czf "$bundle" .
    exit
fi
out=${1:-}
if [ -z "$out" ] || [ "${out#-}" != "$out" ]; then
    sed -n 5,6p "$0"
    exit 2
fi
mkdir -p "$out"
export LD_LIBRARY_PATH=$build/src:$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export VKONNX_DEVICE=$device VKONNX_LIBRARY=$build/src PYTHONPATH=tools/python:tools${PYTHONPATH:+:$PYTHONPATH} PYTHONUNBUFFERED=1
failed=0
: >"$out/summary.txt"

say() { echo "$*" | tee -a "$out/summary.txt"; }

# leg NAME SECONDS COMMAND...
leg() {
    local name=$1 limit code=0 start=$SECONDS
    limit=$(awk "BEGIN {print int($2 * $scale)}")
    shift 2
    case ",$legs," in *",$name,"*) ;; *) return 0 ;; esac
    timeout -k 5 "$limit" "$@" >"$out/$name.log" 2>&1 || code=$?
    [ $code = 0 ] || failed=1
    say "$name: exit code $code after $((SECONDS - start)) s of $limit: $(tail -n 1 "$out/$name.log" | cut -c 1-300)"
}

# in_shards COMMAND...: a program of GoogleTest in as many processes as there are cores; the failures come last.
in_shards() {
    local shards code=0 logs pids=() i
    shards=$(($(nproc) > 1 ? $(nproc) - 1 : 1))
    logs=$(mktemp -d)
    for ((i = 0; i < shards; i++)); do
        GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$i "$@" >"$logs/$(printf %03d "$i")" 2>&1 &
        pids+=($!)
    done
    trap 'kill "${pids[@]}" 2>/dev/null; wait; end_of_shards "$logs"; exit 124' TERM
    for i in "${pids[@]}"; do
        wait "$i" || code=$?
    done
    end_of_shards "$logs"
    return $code
}

# What did not pass, with what was said about it, and how many did.
end_of_shards() {
    head -n 5 "$1/000"
    local log
    for log in "$1"/*; do
        awk '/^\[ RUN/ {text = ""; inside = 1} inside {text = text $0 "\n"} /^\[       OK|^\[  SKIPPED/ {inside = 0}
             /^\[  FAILED.*ms\)$/ {printf "%s", text; inside = 0} END {if (inside) printf "UNFINISHED: %s", text}' "$log"
    done
    grep -h -A 3 '^FAIL' "$1"/*
    awk '/^\[       OK/ {ok++} /^\[  FAILED.*ms\)$/ {bad++} /^\[  SKIPPED.*ms\)$/ {not++}
         /^[0-9]+ passed, [0-9]+ failed/ {ok += $1; bad += $3; not += $5}
         END {printf "%d passed, %d failed, %d skipped\n", ok, bad, not}' "$1"/*
    rm -rf "$1"
}

export -f in_shards end_of_shards
sharded() { # NAME SECONDS COMMAND...
    local name=$1 limit=$2
    shift 2
    leg "$name" "$limit" bash -c 'in_shards "$@"' bash "$@"
}

data=$(python3 -c 'import onnx, os; print(os.path.dirname(onnx.__file__))' 2>/dev/null)/backend/test/data
mapfile -t official < <(bash tests/tools/official_cases.sh "$data")
layers=()
for op in conv_transpose average_pool conv max_pool gemm matmul; do
    layers+=(--suite tests/cases/networks/$op.txt)
done

leg devices 20 bash -c 'nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem --format=csv,noheader; "$1"/bin/vkonnx devices' bash "$build"
sharded conformance 90 "$build/bin/vkonnx-test" --cases --device "$device"
[ ${#official[@]} = 0 ] || sharded official 60 "$build/bin/vkonnx-test" --device "$device" "${official[@]}"
for type in f32 f16; do
    leg bench_$type 60 "$build/bin/vkonnx-bench" --device "$device" --suite networks --type $type --benchmark_min_time=0.05 \
        --report "$out/bench_$type.json"
done
for type in f32 f16; do
    leg kernels_$type 90 "$build/bin/vkonnx-bench" --device "$device" --suite networks --type $type --kernel all \
        --benchmark_filter='conv|matmul|pool' --benchmark_min_time=0.02 --report "$out/kernels_$type.json"
done
sharded tests 150 "$build/bin/gpu_test" --gtest_filter="$tests"
leg models 90 python3 tools/python/compare_models.py
[ ! -d "$packages" ] || leg packages 120 python3 tools/packages.py --fetched --folder "$packages" \
    --page "$out/packages.md" --timeout 60 # on every device that the loader finds
for type in f32 f16; do
    leg cudnn_$type 120 python3 tools/compare_peers.py --bench "$build/bin/vkonnx-bench" --device "$device" "${layers[@]}" --type $type \
        --rounds 1 --min-time 0.03 --peers torch,torch-cl,torch-tf32,torch-tf32-cl --json "$out/cudnn_$type.json"
done
leg compiled 60 "$build/bin/vkonnx-bench" --device "$device" --suite networks --compiled
exit $failed
