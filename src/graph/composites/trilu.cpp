// SPDX-License-Identifier: Apache-2.0
#include "graph/composer.h"

namespace vkonnx::graph {
namespace {
constexpr int64_t trilu_versions[] = {14};
constexpr Schema::Input trilu_inputs[] = {{.name = "input"}, {.name = "k", .option = Schema::Option::optional}};
constexpr Schema::Output trilu_outputs[] = {{"output"}};
}  // namespace

constinit const Schema Trilu::schema = {
    .name = "Trilu", .versions = trilu_versions, .inputs = trilu_inputs, .outputs = trilu_outputs};

// Keeps the elements of each matrix with column >= row + k or, of the lower triangle, column <= row + k, and makes the others 0.
void Trilu::compose(Composer& composer) const
{
    const Operand x = composer.input(0);
    const std::vector<int64_t>& dims = x.desc.dims;
    const bool keeps_upper = composer.flag(upper, "upper", true);
    if (!composer.check(dims.size() >= 2, "input is " + to_string(x.desc) + ", expected two dimensions or more"))
        return;
    const int64_t rows = dims[dims.size() - 2], columns = dims.back();
    const Operand column = composer.places({1, columns});
    Operand row = composer.places({rows, 1});
    if (composer.has(1)) {
        Operand k = composer.input(1);
        const Result<int64_t> elements = element_count(k.desc);
        if (!composer.check(k.desc.dtype == DType::int64 && elements && *elements == 1,
                            "k is " + to_string(k.desc) + ", expected one int64"))
            return;
        // A k beyond all elements is as good as one just beyond them, and its sum with a row can't overflow.
        k = Composer::view(k, {});
        k = composer.add(ElementwiseKind::min, {k, composer.constant(DType::int64, double(columns))});
        k = composer.add(ElementwiseKind::max, {k, composer.constant(DType::int64, -double(rows))});
        row = composer.add(ElementwiseKind::add, {row, k});
    }
    const Operator keeps = keeps_upper ? Operator(GreaterOrEqual()) : Operator(LessOrEqual());
    const Operand kept = composer.add(keeps, {column, row});
    composer.set_output(0, composer.add(Where(), {kept, x, composer.constant(x.desc.dtype, 0)}));
}

}  // namespace vkonnx::graph
