#!/usr/bin/env bash
# Mesa's drivers of GPUs that this machine lacks: they list a device and compile for it, over libraries that stand in for the kernel's
# side. What is submitted to them does nothing, so that no result is right.
#
#   bash tools/gpus/gpus.sh make                          makes a folder with the drivers for x86-64, and one for arm64 under qemu
#   bash tools/gpus/gpus.sh list                          prints the names of the chips, with the architecture of their driver
#   bash tools/gpus/gpus.sh run CHIP FOLDER COMMAND...    copies FOLDER there as /work and runs COMMAND in it, as on that chip;
#                                                         where there is a folder FOLDER/out, its files come back
#
# Needs root, Debian or Ubuntu, and 1 GB below VKONNX_GPUS (default ~/.cache/vkonnx/gpus); nothing of the host is mounted there, so that
# removing the folder can't reach the host. COMMAND is a program of the chip's architecture. `compiled` (compiled.c) is in both.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../configure.sh"
base=${VKONNX_GPUS:-$HOME/.cache/vkonnx/gpus}
# The name of a chip; the architecture of its driver; the library that stands in for the kernel's side; the driver's manifest; and what
# tells that library the chip, or - where it knows one.
chips='
nvidia-kepler   amd64 nouveau_noop_drm_shim   nouveau      NOUVEAU_CHIPSET=0xe4
nvidia-maxwell  amd64 nouveau_noop_drm_shim   nouveau      NOUVEAU_CHIPSET=0x120
nvidia-pascal   amd64 nouveau_noop_drm_shim   nouveau      NOUVEAU_CHIPSET=0x132
nvidia-volta    amd64 nouveau_noop_drm_shim   nouveau      NOUVEAU_CHIPSET=0x140
nvidia-turing   amd64 nouveau_noop_drm_shim   nouveau      NOUVEAU_CHIPSET=0x162
nvidia-ampere   amd64 nouveau_noop_drm_shim   nouveau      NOUVEAU_CHIPSET=0x172
amd-polaris10   amd64 amdgpu_noop_drm_shim    radeon       AMDGPU_GPU_ID=polaris10
amd-vega10      amd64 amdgpu_noop_drm_shim    radeon       AMDGPU_GPU_ID=vega10
amd-vega20      amd64 amdgpu_noop_drm_shim    radeon       AMDGPU_GPU_ID=vega20
amd-navi10      amd64 amdgpu_noop_drm_shim    radeon       AMDGPU_GPU_ID=navi10
amd-navi21      amd64 amdgpu_noop_drm_shim    radeon       AMDGPU_GPU_ID=navi21
amd-navi31      amd64 amdgpu_noop_drm_shim    radeon       AMDGPU_GPU_ID=navi31
amd-strix1      amd64 amdgpu_noop_drm_shim    radeon       AMDGPU_GPU_ID=strix1
amd-gfx1201     amd64 amdgpu_noop_drm_shim    radeon       AMDGPU_GPU_ID=gfx1201
intel-skl       amd64 intel_stub              intel        INTEL_GPU_ID=1912
intel-cfl       amd64 intel_stub              intel        INTEL_GPU_ID=3e92
intel-icl       amd64 intel_stub              intel        INTEL_GPU_ID=8a52
intel-tgl       amd64 intel_stub              intel        INTEL_GPU_ID=9a49
intel-dg2       amd64 intel_stub              intel        INTEL_GPU_ID=56a0
intel-mtl       amd64 intel_stub              intel        INTEL_GPU_ID=7d55
intel-lnl       amd64 intel_stub              intel        INTEL_GPU_ID=64a0
intel-bmg       amd64 intel_stub              intel        INTEL_GPU_ID=e20b
intel-ptl       amd64 intel_stub              intel        INTEL_GPU_ID=b080
apple-m1        amd64 asahi_noop_drm_shim     asahi        -
adreno-618      amd64 freedreno_noop_drm_shim freedreno    FD_GPU_ID=618
adreno-630      amd64 freedreno_noop_drm_shim freedreno    FD_GPU_ID=630
adreno-660      amd64 freedreno_noop_drm_shim freedreno    FD_GPU_ID=660
adreno-730      amd64 freedreno_noop_drm_shim freedreno    FD_GPU_ID=730
adreno-740      amd64 freedreno_noop_drm_shim freedreno    FD_GPU_ID=740
adreno-750      amd64 freedreno_noop_drm_shim freedreno    FD_GPU_ID=750
adreno-810      amd64 freedreno_noop_drm_shim freedreno    FD_GPU_ID=810
adreno-830      amd64 freedreno_noop_drm_shim freedreno    FD_GPU_ID=830
mali-g52        arm64 panfrost_noop_drm_shim  panfrost     PAN_GPU_ID=7212
mali-g610       arm64 panfrost_noop_drm_shim  panfrost     PAN_GPU_ID=a867
mali-g720       arm64 panfrost_noop_drm_shim  panfrost     PAN_GPU_ID=c870:4
mali-g725       arm64 panfrost_noop_drm_shim  panfrost     PAN_GPU_ID=d830:4
powervr-bxs     arm64 powervr_noop_drm_shim   powervr_mesa -
broadcom-pi4    arm64 v3d_noop_drm_shim       broadcom     -
'
# Some drivers want to be asked for by name as long as they are not finished.
settings=(MESA_SHADER_CACHE_DISABLE=true NVK_I_WANT_A_BROKEN_VULKAN_DRIVER=1 PAN_I_WANT_A_BROKEN_VULKAN_DRIVER=1
    PVR_I_WANT_A_BROKEN_VULKAN_DRIVER=1 INTEL_XE_IGNORE_EXPERIMENTAL_WARNING=true)

# ARCHITECTURE: packages of Debian testing, unpacked only, since nothing of them runs before the programs do. A mirror that lags behind is
# as good as any. What an interrupted call has left would be taken for the folder.
unpack() {
    local folder=$base/$1
    rm -rf "$folder.part"
    mmdebstrap --arch="$1" --variant=extract --aptopt='Acquire::Check-Valid-Until "false"' \
        --include=coreutils,mesa-vulkan-drivers,mesa-drm-shim,vulkan-validationlayers,libvulkan1,libvulkan-dev,linux-libc-dev testing "$folder.part" "$(debian_mirror)"
    for link in bin sbin lib lib64; do
        [ -e "$folder.part/$link" ] || ln -s "usr/$link" "$folder.part/$link"
    done
    mkdir -p "$folder.part/proc" "$folder.part/sys"
    mv "$folder.part" "$folder"
}

case ${1:-} in
make)
    mkdir -p "$base"
    for program in mmdebstrap:mmdebstrap qemu-aarch64-static:qemu-user-static aarch64-linux-gnu-g++:g++-aarch64-linux-gnu; do
        command -v "${program%:*}" >/dev/null || apt-get install -q -y --no-install-recommends "${program#*:}"
    done
    [ -e /usr/aarch64-linux-gnu/include/stdio.h ] || apt-get install -q -y --no-install-recommends libc6-dev-arm64-cross
    for architecture in amd64 arm64; do
        [ -d "$base/$architecture" ] || unpack "$architecture"
    done
    amd=$base/amd64/usr/lib/x86_64-linux-gnu arm=$base/arm64/usr/lib/aarch64-linux-gnu
    headers=(-idirafter "$base/amd64/usr/include")
    cc -O1 "${headers[@]}" -o "$base/amd64/usr/bin/compiled" "$here/compiled.c" "$amd/libvulkan.so.1" -Wl,--allow-shlib-undefined
    cc -O1 -shared -fPIC -isystem "$base/amd64/usr/include" -o "$amd/libintel_stub.so" "$here/intel_stub.c"
    aarch64-linux-gnu-gcc -O1 "${headers[@]}" -o "$base/arm64/usr/bin/compiled" "$here/compiled.c" "$arm/libvulkan.so.1" \
        -Wl,--allow-shlib-undefined
    aarch64-linux-gnu-gcc -O1 -shared -fPIC -o "$arm/libv3d_primary.so" "$here/v3d_primary.c"
    cp "$(command -v qemu-aarch64-static)" "$base/arm64/usr/bin"
    ;;
list) awk 'NF {print $1, $2}' <<<"$chips" ;;
run)
    if [ $# -lt 4 ] || ! read -r _ architecture library manifest chip < <(awk -v name="$2" '$1 == name' <<<"$chips"); then
        echo "gpus.sh: 'run' takes a chip of 'gpus.sh list', a folder and a command" >&2
        exit 2
    fi
    root=$base/$architecture folder=$3
    shift 3
    exec 8>"$root.lock"
    flock 8 # one at a time has the folder /work
    rm -rf "$root/work"
    cp -a "$folder" "$root/work"
    [ "$chip" = - ] || settings+=("$chip")
    settings+=("VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/${manifest}_icd.json")
    if [ "$architecture" = amd64 ]; then
        command=(chroot "$root" /usr/bin/env -C /work "LD_PRELOAD=/usr/lib/x86_64-linux-gnu/lib$library.so" "${settings[@]}" "$@")
    else
        preload=/usr/lib/aarch64-linux-gnu/lib$library.so
        [ "$library" != v3d_noop_drm_shim ] || preload=/usr/lib/aarch64-linux-gnu/libv3d_primary.so:$preload
        program=$1
        shift
        [[ $program == */* ]] || program=/usr/bin/$program
        command=(unshare --root="$root" --wd=/work /usr/bin/qemu-aarch64-static -E "LD_PRELOAD=$preload")
        for setting in "${settings[@]}"; do
            command+=(-E "$setting")
        done
        command+=("$program" "$@")
    fi
    # The stand-ins tell what they are not asked for; the rest of what the command says is shown.
    exec 3>&1
    set +e
    "${command[@]}" 2>&1 >&3 8>&- | sed -u -E '/Unknown DRM_IOCTL_[A-Z0-9]+_GET_PARAM|^No such file or directory|is not a conformant Vulkan|^MESA: warning: Core count fetching/d' >&2 8>&-
    code=${PIPESTATUS[0]}
    [ ! -d "$folder/out" ] || cp -a "$root/work/out" "$folder"
    exit "$code"
    ;;
*)
    sed -n 2,12p "$0"
    exit 2
    ;;
esac
