// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t center_crop_pad_versions[] = {18};
constexpr Schema::Input center_crop_pad_inputs[] = {{.name = "input_data"}, {.name = "shape", .member = "shape"}};
constexpr Schema::Output center_crop_pad_outputs[] = {{"output_data"}};
}  // namespace

constinit const Schema CenterCropPad::schema = {.name = "CenterCropPad",
                                                .versions = center_crop_pad_versions,
                                                .inputs = center_crop_pad_inputs,
                                                .outputs = center_crop_pad_outputs};

// Where an odd number of elements is added to an axis, or taken away, the one too many is at its end.
void CenterCropPad::compose(Composer& composer) const
{
    const Operand x = composer.input(0);
    const std::vector<int64_t>& dims = x.desc.dims;
    const std::vector<double> wanted = composer.numbers(1, "shape");
    const size_t count = axes ? axes->size() : dims.size();
    if (!composer.check(wanted.size() == count, "shape has " + std::to_string(wanted.size()) + " elements, expected " +
                                                    std::to_string(count) + ", one for each axis"))
        return;
    Pad pad;
    pad.pads.resize(2 * dims.size());
    for (size_t i = 0; i < count; ++i) {
        const size_t at = axes ? composer.axis((*axes)[i], dims.size(), "axes") : i;
        if (!composer.check(wanted[i] >= 0 && wanted[i] < 0x1p53,
                            "shape[" + std::to_string(i) + "] = " + std::to_string(wanted[i]) + " must not be negative"))
            return;
        const int64_t more = int64_t(wanted[i]) - dims[at];
        pad.pads[at] = more / 2;  // toward 0
        pad.pads[dims.size() + at] = more - pad.pads[at];
    }
    composer.set_output(0, composer.add(std::move(pad), {x}));
}

}  // namespace vkonnx::graph
