#!/usr/bin/env bash
# The tests that a release needs and that take too long for every change. tools/test.sh --full calls it.
#
#   bash tools/full.sh [LEG...]
#
# LEG is one of `known` below; without any, all of them run, for some hours. What a leg prints is in build/full/LEG.log. docs/full_run.md
# has a row for each leg: its last run, with the commit it ran on. The legs of systems run what the leg `release` has made.
#
# The exit code is 0 only if each of the legs that ran has passed.
set -euo pipefail
cd "$(dirname "$0")/.."

known=(tests mutations gpu_assisted sanitizers gpus newer_mesa release
    linux-x86_64 linux-musl-x86_64 linux-aarch64 windows-x86_64 debian-11 debian-12 debian-13 ubuntu-24.04)
legs=("$@")
[ $# != 0 ] || legs=("${known[@]}")
for leg in "${legs[@]}"; do
    if [[ " ${known[*]} " != *" $leg "* ]]; then
        echo "full.sh: '$leg' is none of the legs ${known[*]}" >&2
        exit 2
    fi
done

# Once the layer has added its checks, Debian 12's lavapipe compiles no module with shared memory, and SwiftShader ends the process. On
# a newer lavapipe a pipeline takes seconds, so that only these cases run: the plain ones, and those whose indices are data.
assisted='cases/*.plain*:cases/gather*:cases/scatter*'

describe() { # leg
    case $1 in
    tests) echo "every test, ten times as many random problems, both kinds of library, threads, soak" ;;
    mutations) echo "each entry of \`tests/mutation/mutations.diff\`" ;;
    gpu_assisted) echo "\`tools/newer_mesa.sh '$assisted'\`: every access of shaders checked by the validation layer" ;;
    sanitizers) echo "\`tools/sanitize.sh '-Soak.*'\`: AddressSanitizer, UndefinedBehaviorSanitizer, leaks" ;;
    gpus) echo "\`tools/gpus/drive.py\`: the built-in cases submitted to Mesa's drivers of GPUs, with validation" ;;
    newer_mesa) echo "\`tools/newer_mesa.sh\`: a newer release of lavapipe" ;;
    release) echo "\`tools/release.sh\`: wheels, the library of C and the tools, for every system" ;;
    linux-x86_64) echo "\`tools/try_release.sh linux-x86_64\`: what was released, on both software drivers" ;;
    linux-musl-x86_64) echo "\`tools/try_release.sh linux-musl-x86_64\`: plans alone, since no driver is linked with musl" ;;
    linux-aarch64) echo "\`tools/try_release.sh linux-aarch64\`: qemu, lavapipe of arm64, a sample of the cases" ;;
    debian-* | ubuntu-*) echo "\`tools/try_release.sh $1\`: the wheel in a fresh root of that system" ;;
    windows-x86_64) echo "\`tools/try_release.sh windows-x86_64\`: Wine, both software drivers" ;;
    esac
}

run() { # leg
    case $1 in
    tests) VKONNX_TEST_FULL=1 bash tools/test.sh ;;
    mutations) with_build ctest --test-dir build --no-tests=error --output-on-failure --verbose -R '^mutation$' ;;
    gpu_assisted) VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT bash tools/newer_mesa.sh --gtest_filter="$assisted" ;;
    sanitizers) bash tools/sanitize.sh '-Soak.*' ;;
    gpus) with_build bash tools/gpus/gpus.sh make && python3 tools/gpus/drive.py ;;
    newer_mesa) with_build bash tools/newer_mesa.sh ;;
    release) bash tools/release.sh ;;
    linux-* | windows-* | debian-* | ubuntu-*) bash tools/try_release.sh "$1" ;;
    esac
}

# COMMAND... once everything is built, with both software drivers and no other.
with_build() {
    bash tools/setup.sh
    . tools/configure.sh
    configure
    cmake --build build
    use_software_drivers
    "$@"
}

# The page's rows, one a line: leg, what it is, date, commit, minutes, result.
page=docs/full_run.md
write_page() { # leg minutes result
    local rows row leg
    rows=$(grep '^| `' "$page" 2>/dev/null || true)
    {
        echo "# The last full run"
        echo
        echo "\`tools/full.sh\` writes this page: of each leg of \`bash tools/test.sh --full\`, the last run."
        echo
        echo "| leg | what it runs | when | commit | minutes | result |"
        echo "|---|---|---|---|---|---|"
        for leg in "${known[@]}"; do
            if [ "$leg" = "$1" ]; then
                echo "| \`$leg\` | $(describe "$leg") | $(date -u +%F), $(. /etc/os-release && echo "$PRETTY_NAME"), $(nproc) cores |" \
                    "$(git describe --always --dirty --exclude '*' 2>/dev/null || echo unknown) | $2 | $3 |"
            else
                row=$(grep "^| \`$leg\`" <<<"$rows" || true)
                [ -z "$row" ] || echo "$row"
            fi
        done
    } >"$page.new"
    mv "$page.new" "$page"
}

failed=0
mkdir -p build/full
for leg in "${legs[@]}"; do
    begin=$SECONDS
    set +e # not "|| code=$?", behind which nothing of run would stop at an error
    (set -e && run "$leg") >"build/full/$leg.log" 2>&1
    code=$?
    set -e
    # The last line that counts something; ctest's own lines come behind those of what it ran.
    result=$(grep -aE '[0-9]+ (passed|failed|noticed)|\[ +(PASSED|FAILED) +\]' "build/full/$leg.log" | tail -n 1 | sed -E 's/^[0-9]+: //; s/^\[ +PASSED +\] ([0-9]+) tests?\./\1 tests passed/; s/^\[ +FAILED +\] */failed: /' || true)
    [ $code = 0 ] || { result="**failed**, exit code $code: $result"; failed=$((failed + 1)); }
    write_page "$leg" $(((SECONDS - begin + 30) / 60)) "${result:-passed}"
    echo "$leg: $(((SECONDS - begin + 30) / 60)) min: ${result:-passed}"
done
[ $failed = 0 ]
