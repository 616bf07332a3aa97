# Sourced by the tests of Python: the environment, and the package where it is written.
set -euo pipefail

[ -f "$VKONNX_WORK/ready" ] || { echo "skipped: there is no environment, see python_environment" && exit 77; }
python=$VKONNX_WORK/venv/bin/python
package=$VKONNX_SOURCE/tools/python
PYTHONPATH=$package PYTHONDONTWRITEBYTECODE=1
VKONNX_LIBRARY=$(dirname "$(find "$VKONNX_INSTALLED" -name libvkonnx_c.so)")
export PYTHONPATH PYTHONDONTWRITEBYTECODE VKONNX_LIBRARY

# The indices of the devices that can be opened, one a line.
devices() { "$python" -c 'import vkonnx; print(*(d.index for d in vkonnx.devices() if not d.rejected), sep="\n")'; }
