#!/usr/bin/env bash
# What the libraries show to others, what they need, and how big they are.
set -euo pipefail

if ! command -v nm >/dev/null || ! command -v readelf >/dev/null || [ "$(uname)" != Linux ]; then
    echo "skipped: this check reads ELF files with nm and readelf"
    exit 0
fi
problems=0
problem() { problems=$((problems + 1)) && echo "PROBLEM: $*"; }
scratch=$VKONNX_WORK/symbols
rm -rf "$scratch" && mkdir -p "$scratch"

# Exported by a shared library of C++, by prefix; by one of C, name by name, against the list that it was linked with.
exports() { nm -D --defined-only "$1" | awk '{print $3}' | sort; }
foreign_exports() { exports "$1" | c++filt | grep -vE "^vkonnx::" || true; }
listed() { sed -n 's/^ *\(vkonnx_[a-z0-9_]*\);$/\1/p' "$1" | sort; }

# Seen by the linker in a static archive: our C++, and C under our prefix; all hidden, so that no module that links the archive
# exports them again. Weak and unique symbols are the standard library's templates, as in every C++ program.
foreign_globals() {
    readelf -sW "$1" 2>/dev/null | awk 'NF == 8 && $5 == "GLOBAL" && $7 != "UND" && $6 == "HIDDEN" {print $8}' |
        grep -vE '^_ZN[KVRO]*6vkonnx|^_ZN?[0-9]+vkonnx_|^vkonnx_' || true
    readelf -sW "$1" 2>/dev/null | awk 'NF == 8 && $5 == "GLOBAL" && $7 != "UND" && $6 != "HIDDEN" {print $8 " (not hidden)"}'
}
constructors() { nm "$1" 2>/dev/null | grep -E '_GLOBAL__(sub_)?[ID]_' || true; }

shared=$(find "$VKONNX_WORK/shared" -name 'libvkonnx*.so' | sort)
[ "$(wc -w <<<"$shared")" = 4 ] || problem "expected four shared libraries, found: $shared"
static=
if [ -d "$VKONNX_WORK/static" ]; then
    static=$(find "$VKONNX_WORK/static" -name 'libvkonnx*.a' | sort)
    [ "$(wc -w <<<"$static")" = 4 ] || problem "expected four archives, found: $static"
    for core in libvkonnx.a libvkonnx_c.a; do
        found=$(constructors "$(find "$VKONNX_WORK/static" -name $core)")
        [ -z "$found" ] || problem "$core has static constructors" "$found"
    done
fi
for library in $shared; do
    name=$(basename "$library")
    case $name in
    libvkonnx_c.so) list=$VKONNX_SOURCE/src/c/exports.map ;;
    libvkonnx_onnx_c.so) list=$VKONNX_SOURCE/src/c/onnx/exports.map ;;
    *) list= ;;
    esac
    soname=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
    count=$(exports "$library" | wc -l)
    [ "$count" -gt 5 ] || problem "$name exports only $count names"
    if [ -n "$list" ]; then
        differ=$(diff <(exports "$library") <(listed "$list") || true)
        [ -z "$differ" ] || problem "$name and $list differ:" "$differ"
        [ "$soname" = "$name.0" ] || problem "$name has the soname $soname: the interface of C has number 0"
        echo "$name exports $count names, those of its list; its soname is $soname"
    else
        foreign=$(foreign_exports "$library")
        [ -z "$foreign" ] || problem "$name exports" "$foreign"
        [[ $soname =~ ^$name\.[0-9]+\.[0-9]+$ ]] || problem "$name has the soname $soname, without a minor version"
        echo "$name exports $count names, all vkonnx::; its soname is $soname"
    fi
    needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | tr '\n' ' ')
    echo "$name needs $needed"
    for one in $needed; do
        [[ $one =~ ^(libvkonnx|libvkonnx_onnx|libstdc\+\+|libc\+\+|libm|libgcc_s|libc|libpthread|libdl|ld-linux[-a-z0-9_]*)\.so ]] || problem "$name needs $one"
    done
    ! ldd "$library" | grep -i vulkan || problem "$name is linked with a Vulkan library"
done
for archive in $static; do
    name=$(basename "$archive")
    foreign=$(foreign_globals "$archive")
    [ -z "$foreign" ] || problem "$name defines" "$foreign"
    echo "$name: $(readelf -sW "$archive" 2>/dev/null | awk 'NF == 8 && $5 == "GLOBAL" && $7 != "UND"' | wc -l) global symbols, all ours and hidden"
done

# No kernel of the tests, whose names a library would hold as texts. In a shared library of a tree with tests it is linked in.
test_kernels() {
    strip --strip-debug -o "$scratch/without_debug" "$1"
    grep -ao 'conv_transpose_columns[a-z0-9_]*' "$scratch/without_debug" | sort -u || true
}
for library in $static $shared; do
    if [ "$VKONNX_KIND" = SHARED_LIBRARY ] && [[ $library = *.so ]]; then
        continue
    fi
    found=$(test_kernels "$library")
    [ -z "$found" ] || problem "$(basename "$library") holds kernels of the tests:" "$found"
done

# Controls: each of these checks must notice what it is for.
cat >"$scratch/stray.cpp" <<'END'
#include <string>
int stray;
extern "C" __attribute__((visibility("hidden"))) int vkCreateInstance;
int vkCreateInstance;
std::string constructed(100, 'x');
const char* const kernel = "conv_transpose_columns_f32";
END
"$CXX" -std=c++20 -fPIC -c "$scratch/stray.cpp" -o "$scratch/stray.o"
"$CXX" -shared "$scratch/stray.o" -o "$scratch/libstray.so"
grep -qx stray <<<"$(foreign_exports "$scratch/libstray.so")" || problem "the check of exports notices nothing"
grep -qx vkCreateInstance <<<"$(foreign_globals "$scratch/stray.o")" || problem "the check of archives notices no name of Vulkan's"
grep -q 'stray (not hidden)' <<<"$(foreign_globals "$scratch/stray.o")" || problem "the check of archives notices no visible symbol"
[ -n "$(constructors "$scratch/stray.o")" ] || problem "the check of constructors notices nothing"
[ -n "$(test_kernels "$scratch/stray.o")" ] || problem "the check of kernels notices nothing"

# Sizes, of the shared libraries without symbol tables.
for library in $shared; do
    cp -L "$library" "$scratch/stripped.so"
    strip "$scratch/stripped.so"
    bytes=$(stat -c %s "$scratch/stripped.so")
    if [ "$(basename "$library")" = libvkonnx.so ]; then
        modules=$(find "$VKONNX_BUILD/shaders/generated" -name '*.spv' ! -name 'conv_transpose_columns*' | wc -l)
        spirv=$(find "$VKONNX_BUILD/shaders/generated" -name '*.spv' ! -name 'conv_transpose_columns*' -exec cat {} + | wc -c)
        echo "libvkonnx.so: $bytes bytes stripped, of which $spirv are SPIR-V ($((spirv * 100 / bytes)) %, $modules modules)"
    else
        echo "$(basename "$library"): $bytes bytes stripped"
    fi
done
[ $problems = 0 ]
