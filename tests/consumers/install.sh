#!/usr/bin/env bash
# Installs shared libraries into $VKONNX_WORK/shared, which the tests of Python take, too, and static ones into $VKONNX_WORK/static
# where this build tree has them or the run is full. One kind is this build tree's; the other is built anew, the libraries alone.
# Then checks what each component brought.
set -euo pipefail

rm -rf "$VKONNX_WORK/static" "$VKONNX_WORK/shared"
mkdir -p "$VKONNX_WORK"
case $VKONNX_KIND in
STATIC_LIBRARY) own=static other=shared other_shared=ON ;;
SHARED_LIBRARY) own=shared other=static other_shared=OFF ;;
*) echo "VKONNX_KIND=$VKONNX_KIND is no kind of library" >&2 && exit 1 ;;
esac

declare -A trees=([$own]=$VKONNX_BUILD)
if [ $other = shared ] || [ "${VKONNX_TEST_FULL:-}" = 1 ]; then
    trees[$other]=$VKONNX_WORK/build-$other
    cmake -S "$VKONNX_SOURCE" -B "${trees[$other]}" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=$other_shared \
        -DVKONNX_ONNX=ON -DVKONNX_C=ON -DVKONNX_TOOLS=OFF -DVKONNX_TESTS=OFF \
        -DCMAKE_CXX_COMPILER_LAUNCHER="$VKONNX_LAUNCHER" >/dev/null
    cmake --build "${trees[$other]}" --config Release -j 2 >/dev/null
fi
for kind in "${!trees[@]}"; do
    for component in library development; do
        cmake --install "${trees[$kind]}" --config "$VKONNX_CONFIG" --component $component --prefix "$VKONNX_WORK/$kind" >/dev/null
    done
done
problems=0
expect() { # command...
    "$@" || { problems=$((problems + 1)) && echo "not so: $*"; }
}

# The component library alone is what a program needs to run: nothing to build with.
alone=$VKONNX_WORK/library-alone
rm -rf "$alone"
cmake --install "${trees[shared]}" --config "$VKONNX_CONFIG" --component library --prefix "$alone" >/dev/null
development=$(find "$alone" -name '*.hpp' -o -name '*.h' -o -name '*.cmake' -o -name '*.pc' -o -name '*.a' -o -name 'lib*.so' -o -name 'lib*[a-z].dylib')
expect [ -z "$development" ]
expect [ -n "$(find "$alone" -name 'libvkonnx.*0.1*')" ]
for kind in "${!trees[@]}"; do
    for file in include/vkonnx/{vkonnx,device,prepare,operators,onnx,vulkan}.hpp include/vkonnx/{vkonnx,onnx,vulkan}.h \
        include/vkonnx/operators/{attributes,pooling}.hpp; do
        expect [ -f "$VKONNX_WORK/$kind/$file" ]
    done
    for name in vkonnx-config.cmake vkonnx-config-version.cmake vkonnx-targets.cmake vkonnx.pc vkonnx-onnx.pc vkonnx-c.pc vkonnx-onnx-c.pc LICENSE; do
        expect [ -n "$(find "$VKONNX_WORK/$kind" -name $name)" ]
    done
    # What is installed can be moved, so it must not know where it was made.
    expect [ -z "$(grep -rIlF -e "$VKONNX_BUILD" -e "$VKONNX_SOURCE" "$VKONNX_WORK/$kind" || true)" ]
done
(cd "$VKONNX_WORK" && find "${!trees[@]}" -type f -o -type l | sort)
[ $problems = 0 ]
