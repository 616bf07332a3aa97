#!/usr/bin/env bash
# Lays out the sources in C and C++ as .clang-format says, by clang-format 14: other versions break lines elsewhere.
#
#   bash tools/format.sh [--check]
#
# --check changes nothing: it names what is laid out otherwise, and its exit code is 1 if there is such a file.
# Exit code 3: there is no clang-format 14.
set -euo pipefail
cd "$(dirname "$0")/.."

formatter=${CLANG_FORMAT:-clang-format-14}
if ! version=$("$formatter" --version 2>/dev/null) || [[ ! "$version" =~ version\ 14\. ]]; then
    echo "format: there is no clang-format 14 (the package clang-format-14 brings it; CLANG_FORMAT names another one)" >&2
    exit 3
fi

# Headers of shaders are GLSL, too, and are laid out by hand.
mapfile -t sources < <(git ls-files --cached --others --exclude-standard -- '*.c' '*.cpp' '*.h' '*.hpp' ':!:shaders')
if [ ${#sources[@]} = 0 ]; then
    echo "format: git lists no source here" >&2
    exit 1
fi
case ${1:-} in
--check) "$formatter" --dry-run -Werror "${sources[@]}" ;;
"") "$formatter" -i "${sources[@]}" ;;
*) echo "format: there is no option $1, only --check" >&2 && exit 2 ;;
esac
