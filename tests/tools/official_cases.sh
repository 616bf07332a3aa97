#!/usr/bin/env bash
# Prints the folders of ONNX's backend test data that run here, a line each, as globs under its folder `data`: those of
# official_cases.txt, and of each elementwise operator all that begin with its name and end there or with an underscore.
set -euo pipefail
cd "$(dirname "$0")/../.."
grep -v '^#' tests/tools/official_cases.txt
sed -n 's/.*{ElementwiseKind::[a-z_]*, "\([A-Za-z]*\)"}.*/\1/p' include/vkonnx/operators/elementwise.hpp | tr '[:upper:]' '[:lower:]' |
    sed 's|.*|node/test_&\nnode/test_&_*|'
