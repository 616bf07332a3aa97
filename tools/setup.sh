#!/usr/bin/env bash
# Installs what building and testing vkonnx needs on Debian 12, Ubuntu 24.04 and later; with --wheel, only what running a wheel needs.
# Safe to run again: when everything is there it does nothing. Uses sudo only when it must install and isn't root.
set -euo pipefail

required=(g++ cmake ninja-build libvulkan-dev libvulkan-volk-dev glslang-tools spirv-tools libprotozero-dev libcli11-dev
    nlohmann-json3-dev libgtest-dev libbenchmark-dev libstb-dev)
# Worth having: a build cache, what tests of the package, of layout, of Metal and of Python need, the drivers that tests run on, the official
# test data, and the font that the demo writes with.
optional=(ccache clang clang-format-14 pkg-config python3-venv spirv-cross libvulkan1 mesa-vulkan-drivers vulkan-validationlayers
    libonnx-testdata fonts-dejavu-core)

say() { printf 'setup: %s\n' "$*"; }

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "this system has no apt; please install the counterparts of: ${required[*]} ${optional[*]}" >&2
    exit 1
fi

distribution=$(. /etc/os-release && echo "${ID:-unknown}")
# vk_enum_string_helper.h, by which messages name Vulkan's results
if (. /etc/os-release && [ "${ID:-} ${VERSION_ID:-}" = "debian 12" ]); then
    required+=(vulkan-validationlayers-dev)
else
    required+=(vulkan-utility-libraries-dev)
fi
swiftshader="${VKONNX_SWIFTSHADER_ICD:-}"
if [ -n "$swiftshader" ]; then
    [ -f "$swiftshader" ] || say "VKONNX_SWIFTSHADER_ICD=$swiftshader is no file; SwiftShader will not be tested"
elif [ "$distribution" = debian ]; then
    optional+=(chromium-common) # brings SwiftShader, the second software driver
else
    say "SwiftShader is no package of $distribution; to test on it too, set VKONNX_SWIFTSHADER_ICD to a vk_swiftshader_icd.json"
fi

if [ "${1:-}" = --wheel ]; then
    required=(python3-venv libvulkan1)
    optional=(mesa-vulkan-drivers)
fi

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
# grep reads to the end (no -q): a closed pipe would count as a failure of apt-cache
is_available() { apt-cache policy "$1" | grep '^ *Candidate: [^(]' >/dev/null; }

missing() {
    local package
    for package in "$@"; do
        is_installed "$package" || echo "$package"
    done
}
mapfile -t missing_required < <(missing "${required[@]}")
mapfile -t missing_optional < <(missing "${optional[@]}")
if [ $((${#missing_required[@]} + ${#missing_optional[@]})) = 0 ]; then
    say "all packages are installed"
    exit 0
fi

# A package that a complete list does not have is no reason to fetch the list every time.
lists_are_there() { compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; }
wanted=("${missing_required[@]}")
for package in "${missing_optional[@]}"; do
    if ! lists_are_there || is_available "$package"; then
        wanted+=("$package")
    fi
done

as_root=()
if [ ${#wanted[@]} != 0 ] && [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        say "not root, and there is no sudo; please install as root: ${wanted[*]}" >&2
        [ ${#missing_required[@]} = 0 ] || exit 1
        exit 0
    fi
    as_root=(sudo)
fi
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" </dev/null; }

if [ ${#wanted[@]} != 0 ]; then
    say "missing: ${wanted[*]}"
    apt update || say "the package lists could not be refreshed; trying with those that are there"
fi
if [ ${#missing_required[@]} != 0 ]; then
    say "installing ${missing_required[*]}"
    if ! apt install --no-install-recommends "${missing_required[@]}"; then
        say "these are needed and could not be installed: $(missing "${required[@]}" | tr '\n' ' ')" >&2
        exit 1
    fi
fi

installable=()
for package in "${missing_optional[@]}"; do
    if is_available "$package"; then
        installable+=("$package")
    else
        say "$package is not available here; continuing without it"
    fi
done
if [ ${#installable[@]} != 0 ]; then
    say "installing ${installable[*]}"
    if ! apt install --no-install-recommends "${installable[@]}"; then
        for package in "${installable[@]}"; do # one that fails should not keep the others away
            apt install --no-install-recommends "$package" || say "$package could not be installed; continuing without it"
        done
    fi
fi
say "done"
