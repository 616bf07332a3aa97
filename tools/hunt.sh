#!/usr/bin/env bash
# Draws new problems on software drivers for as long as one likes, where tests draw the same ones each time.
#
#   bash tools/hunt.sh [--minutes 10] [--driver lavapipe|swiftshader|FILE.json] [--seed N] [WHAT]
#
# WHAT is one of
#   operators  single operators against the reference, by every kernel that fits
#   graphs     whole graphs, fused and not, against each other
#   models     model files with some bytes changed, which must be refused or read, by a sentence and no crash
#   explain    extreme shapes, limits and options, which must be planned or refused in bounded memory
#   cache      caches with some bytes changed under a right checksum, which must be refused or read whole
# or a GoogleTest filter of gpu_test, as 'RandomProblems.conv/*'; without it all five are hunted in turn.
#
# A finding is printed with the seed that repeats it and, of operators, the shrunk problem as a line for tests/cases; the hunt goes
# on behind it. What the program said is kept in build/hunt. The exit code is 1 if something was found.
set -euo pipefail
cd "$(dirname "$0")/.."

refuse() { echo "hunt: $1" >&2 && exit 2; }
minutes=10
driver=
seed=$(($(date +%s) % 1000000000))
what=
while [ $# != 0 ]; do
    case $1 in
    --minutes | --driver | --seed)
        [ $# -gt 1 ] || refuse "$1 needs a value"
        declare "${1#--}=$2"
        shift
        ;;
    -*) refuse "there is no option $1, only --minutes, --driver and --seed" ;;
    *) [ -z "$what" ] && what=$1 || refuse "one WHAT was expected, there are '$what' and '$1'" ;;
    esac
    shift
done
[[ $minutes =~ ^[1-9][0-9]*$ ]] || refuse "--minutes is '$minutes'; a whole number from 1 was expected"
[[ $seed =~ ^[0-9]{1,9}$ ]] || refuse "--seed is '$seed'; a number of at most nine digits was expected"

bash tools/setup.sh
. tools/configure.sh
use_software_drivers
case $driver in
"") ;;
lavapipe) VK_ICD_FILENAMES=$lavapipe ;;
swiftshader) VK_ICD_FILENAMES=$swiftshader ;;
*) [ -f "$driver" ] && VK_ICD_FILENAMES=$driver || refuse "--driver is '$driver'; lavapipe, swiftshader or a file was expected" ;;
esac
unset VKONNX_TEST_FULL

# A program, a filter of its tests, and how many problems each of them draws.
operators='gpu_test RandomProblems.*:RandomGuarded.* 100'
graphs='gpu_test RandomGraphs.*:RandomFusion.*:LayerNormalizationFusion.* 100'
models='unit_onnx Truncation.RandomDamage:ExternalData.EveryPrefixAndRandomDamage 50000'
explain='unit_plan Extreme.* 20000'
cache='unit_gpu CacheFormat.Random* 2000000'
case $what in
"") hunts=("$operators" "$graphs" "$models" "$explain" "$cache") ;;
operators | graphs | models | explain | cache) hunts=("${!what}") ;;
*) hunts=("gpu_test $what 100") ;;
esac

configure
cmake --build build --target gpu_test unit_gpu unit_onnx unit_plan

logs=build/hunt
rm -rf "$logs"
mkdir -p "$logs/scratch"
export TMPDIR=$PWD/$logs/scratch TEST_TMPDIR=$PWD/$logs/scratch/
end=$((SECONDS + 60 * minutes))
runs=0
passed=0
findings=0
while [ $SECONDS -lt $end ]; do
    for hunt in "${hunts[@]}"; do
        [ $SECONDS -lt $end ] || break
        read -r program filter problems <<<"$hunt"
        log=$logs/run.log
        code=0
        VKONNX_TEST_SEED=$seed VKONNX_TEST_PROBLEMS=$problems build/bin/"$program" --gtest_filter="$filter" >"$log" 2>&1 || code=$?
        runs=$((runs + 1))
        passed=$((passed + $(grep -c '^\[       OK \]' "$log" || true)))
        [ $runs != 1 ] || grep -q '^\[ RUN ' "$log" || refuse "$program has no test $filter"
        [ $code != 0 ] || continue
        findings=$((findings + 1))
        cp "$log" "$logs/finding_$findings.log"
        echo "finding $findings, exit code $code, $logs/finding_$findings.log:"
        echo "  VKONNX_TEST_SEED=$seed VKONNX_TEST_PROBLEMS=$problems build/bin/$program --gtest_filter='$filter'"
        grep -aE '^(drawn|shrunk): |repeat with|VKONNX_TEST_SEED=|^\[  FAILED  \] [^0-9].*ms\)' "$log" | head -n 20 | sed 's/^/  /'
        [ $code -lt 128 ] || tail -n 3 "$log" | sed 's/^/  /'
    done
    seed=$(((seed + 1000003) % 1000000000))
done
rm -rf "$logs/scratch"
echo "$runs runs, $passed tests passed, $findings findings"
[ $findings = 0 ]
