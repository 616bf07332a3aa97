#!/usr/bin/env bash
# The package for Node: its own tests, on every device, with the shared libraries of this build. It is skipped without Node 18 and npm,
# and where npm can't install koffi.
set -euo pipefail
if ! command -v npm >/dev/null || ! node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' 2>/dev/null; then
    echo "skipped: there is no Node 18 or newer with npm"
    exit 77
fi
package=$VKONNX_WORK/package
rm -rf "$package" && mkdir -p "$VKONNX_WORK" && cp -r "$VKONNX_SOURCE/tools/npm" "$package"
cd "$package"
npm install --no-audit --no-fund --cache "$VKONNX_WORK/cache" >"$VKONNX_WORK/npm.log" 2>&1 || {
    echo "skipped: npm can't install koffi: $(tail -n 1 "$VKONNX_WORK/npm.log")"
    exit 77
}
for device in $(node -e 'console.log(require(".").devices().map((one) => one.index).join(" "))'); do
    VKONNX_DEVICE=$device node --test
done
