#!/usr/bin/env bash
# Installs what is needed, builds, and runs every test on both software drivers. Arguments go to cmake.
# The exit code is 0 only if all of it ran and passed; a driver that is missing is named, and on Debian it is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

bash tools/setup.sh

launcher=()
if command -v ccache >/dev/null; then
    launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=true # so that another checkout finds what this one has compiled
fi
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DVKONNX_TESTS=ON -DVKONNX_TOOLS=ON "${launcher[@]}" "$@"
cmake --build build

# Both drivers at once, and nothing else, so that the result does not depend on the machine's GPU.
drivers=()
notes=()
problems=0
note_missing() { # what, sentence
    notes+=("$1: missing: $2")
    if (. /etc/os-release && [ "${ID:-}" = debian ]); then
        problems=$((problems + 1))
    fi
}
lavapipe=$(compgen -G '/usr/share/vulkan/icd.d/lvp_icd*.json' | head -n 1 || true)
if [ -n "$lavapipe" ]; then
    drivers+=("$lavapipe")
    notes+=("lavapipe: tested")
else
    note_missing lavapipe "the package mesa-vulkan-drivers brings it"
fi
swiftshader="${VKONNX_SWIFTSHADER_ICD:-/usr/lib/chromium/vk_swiftshader_icd.json}"
if [ -f "$swiftshader" ]; then
    drivers+=("$swiftshader")
    notes+=("SwiftShader: tested")
else
    note_missing SwiftShader "Debian's chromium-common brings it, or set VKONNX_SWIFTSHADER_ICD to a vk_swiftshader_icd.json"
fi
if [ ! -f /usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json ]; then
    note_missing "validation layer" "the package vulkan-validationlayers brings it; without it GPU tests run unvalidated"
fi
if [ ${#drivers[@]} = 0 ]; then
    printf '%s\n' "${notes[@]}" "0 passed, 1 failed"
    exit 1
fi
VK_ICD_FILENAMES=$(IFS=:; echo "${drivers[*]}")
export VK_ICD_FILENAMES
unset VK_DRIVER_FILES VKONNX_DEVICE

ctest --test-dir build --no-tests=error --output-on-failure -j 2 | tee build/ctest.log || true
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

# The official cases once more, and the built-in ones for every version and type, to be seen in one table.
data=/usr/share/libonnx-testdata/data
folders=()
what="built-in cases"
if [ -d "$data/node" ]; then
    while read -r glob; do
        for folder in "$data"/$glob; do
            [ ! -d "$folder" ] || folders+=("$folder")
        done
    done < <(grep -v '^#' tests/tools/official_cases.txt)
    what="official and built-in cases"
else
    note_missing "official cases" "the package libonnx-testdata brings them"
fi
code=0
build/bin/vkonnx-test --all-devices --cases "${folders[@]}" | tee build/conformance.log || code=$?
closing=$(tail -n 1 build/conformance.log)
notes+=("$what: $closing")
if [[ "$closing" =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
fi
[ "$code" = 0 ] || [ "$failed" != 0 ] || failed=1

failed=$((failed + problems))
printf '\n'
# What failed once more, where a log's last lines show it: the tests, then the first of what they said.
grep -E '^[[:space:]]+[0-9]+ - .* \(.+\)' build/ctest.log || true
grep -aE -A 8 ': Failure$|^\[  FAILED  \]|^FAIL' build/ctest.log build/conformance.log -h | head -n 60 || true
printf '%s\n' "${notes[@]}" "$passed passed, $failed failed"
[ "$failed" = 0 ]
