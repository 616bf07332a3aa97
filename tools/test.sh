#!/usr/bin/env bash
# Installs what is needed, builds, and runs the tests on both software drivers.
#
#   bash tools/test.sh [CMAKE_ARGUMENTS...]
#   bash tools/test.sh --full [LEG...]
#
# --full takes everything, is run before a release, and writes docs/full_run.md: see tools/full.sh.
#
# The last lines are a table of where the minutes went, what was run, and "N passed, N failed". The exit code is 0 only if all of
# it ran and passed; a driver that is missing is named, and on Debian it is a failure. So is a file that a test leaves behind.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = --full ]; then
    shift
    exec bash tools/full.sh "$@"
fi

legs=()
begin=$SECONDS
end_leg() { # name: what the last seconds went into
    legs+=("$(printf '%-24s %3d min %02d s' "$1" $(((SECONDS - begin) / 60)) $(((SECONDS - begin) % 60)))")
    begin=$SECONDS
}

bash tools/setup.sh
end_leg installing

. tools/configure.sh
[ -z "${VKONNX_TEST_FULL:-}" ] || set -- "${optimized[@]}" "$@"
configure "$@"
cmake --build build
end_leg building

# Both drivers at once, and nothing else, so that the result does not depend on the machine's GPU.
use_software_drivers
notes=()
problems=0
note_missing() { # what, sentence
    notes+=("$1: missing: $2")
    if (. /etc/os-release && [ "${ID:-}" = debian ]); then
        problems=$((problems + 1))
    fi
}
if [ -n "$lavapipe" ]; then
    notes+=("lavapipe: tested")
else
    note_missing lavapipe "the package mesa-vulkan-drivers brings it"
fi
if [ -n "$swiftshader" ]; then
    notes+=("SwiftShader: tested")
else
    note_missing SwiftShader "Debian's chromium-common brings it, or set VKONNX_SWIFTSHADER_ICD to a vk_swiftshader_icd.json"
fi
if [ ! -f /usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json ]; then
    note_missing "validation layer" "the package vulkan-validationlayers brings it; without it GPU tests run unvalidated"
fi
if [ -z "$VK_ICD_FILENAMES" ]; then
    printf '%s\n' "${notes[@]}" "0 passed, 1 failed"
    exit 1
fi
unset VKONNX_TEST_SEED VKONNX_TEST_PROBLEMS
export VKONNX_CACHE_DIR= # no test keeps anything for the next
# What drivers, the validation layer and pip keep stays in the clone, so that a user's folder decides nothing. Where there is none,
# the layer would leave its cache among the temporary files.
export XDG_CACHE_HOME=$PWD/build/cache
mkdir -p "$XDG_CACHE_HOME"

# Temporary files go into a folder of their own, so that it is seen when a test leaves one.
scratch=$PWD/build/scratch
rm -rf "$scratch"
mkdir -p "$scratch"

# The official cases follow below, and the mutations are another leg of tools/full.sh.
selection=(--exclude-regex '^conformance$' --label-exclude '^full$')
[ -z "${VKONNX_TEST_FULL:-}" ] || selection=(--exclude-regex '^(conformance|mutation)$')
TMPDIR=$scratch TEST_TMPDIR=$scratch/ ctest --test-dir build --no-tests=error --output-on-failure -j 2 "${selection[@]}" |
    tee build/ctest.log || true
closing=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests? failed out of [0-9]+' build/ctest.log || true)
if [[ "$closing" =~ ([0-9]+)\ tests?\ failed\ out\ of\ ([0-9]+) ]]; then
    failed=${BASH_REMATCH[1]}
    passed=$((BASH_REMATCH[2] - failed))
    notes+=("ctest: $closing")
else
    failed=1
    passed=0
    notes+=("ctest: did not finish")
fi
left=$(find "$scratch" -mindepth 1 ! -name .ses | sort) # .ses is ONNX Runtime's own
if [ -n "$left" ]; then
    notes+=("files left by tests: $(wc -l <<<"$left"), of which the first are:" "$(head -n 20 <<<"$left")")
    problems=$((problems + 1))
fi
end_leg ctest

# The official cases, and the built-in ones for every version and type, in a table for each driver. Both run side by side. ctest has run
# every line of the case lists, so that one of them is enough here for each version and type.
data=/usr/share/libonnx-testdata/data
folders=()
what="official and built-in cases"
if [ -d "$data/node" ]; then
    mapfile -t folders < <(bash tests/tools/official_cases.sh "$data")
else
    what="built-in cases"
    note_missing "official cases" "the package libonnx-testdata brings them"
fi
rm -f build/conformance_*.log
quick=--one-per-cell
[ -z "${VKONNX_TEST_FULL:-}" ] || quick=
runs=()
for driver in lavapipe swiftshader; do
    [ -n "${!driver}" ] || continue
    VK_ICD_FILENAMES=${!driver} build/bin/vkonnx-test --all-devices --cases $quick "${folders[@]}" >"build/conformance_$driver.log" &
    runs+=("$! $driver")
done
for run in "${runs[@]}"; do
    read -r process driver <<<"$run"
    log=build/conformance_$driver.log
    code=0
    wait "$process" || code=$?
    cat "$log"
    closing=$(tail -n 1 "$log")
    notes+=("$what on $driver: $closing")
    if [[ "$closing" =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
        [ "$code" = 0 ] || [ "${BASH_REMATCH[2]}" != 0 ] || failed=$((failed + 1))
    else
        failed=$((failed + 1))
    fi
done
end_leg cases

failed=$((failed + problems))
printf '\n'
# What failed once more, where a log's last lines show it: the tests, then the first of what they said.
grep -E '^[[:space:]]+[0-9]+ - .* \(.+\)' build/ctest.log || true
grep -aE -A 8 ': Failure$|^\[  FAILED  \]|^FAIL' build/ctest.log build/conformance_*.log -h | head -n 60 || true

# Where ctest's time went: two tests run at a time, so that these seconds are about twice those of the leg.
printf '\nThe longest of ctest, in seconds:\n'
sed -nE 's|^ *[0-9]+/[0-9]+ Test +#[0-9]+: ([^ ]+) .* ([0-9.]+) sec.*|\2 \1|p' build/ctest.log | sort -rn | head -n 16 |
    awk '{printf "  %-24s %7.0f\n", $2, $1}'
printf '\n'
printf '%s\n' "${legs[@]}" "${notes[@]}" "$passed passed, $failed failed"
[ "$failed" = 0 ]
