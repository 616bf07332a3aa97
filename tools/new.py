#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what a new operator, composite or kernel needs, for its author to fill in.

    python3 tools/new.py elementwise NAME [VERSION...]
    python3 tools/new.py operator NAME FAMILY [VERSION...]
    python3 tools/new.py composite NAME FAMILY [VERSION...]
    python3 tools/new.py kernel OPERATOR HOW

NAME is ONNX's name of an operator with one input X and one output Y, such as Softsign. The VERSIONs are those of its documents that a
model of opset 7 or later can mean, 1 by default. An `operator` has a kernel of its own, and its struct is in the header FAMILY of
include/vkonnx/operators, such as reduction. The script changes or writes the files that CONTRIBUTING.md lists before the tests of what is
refused, so that everything compiles, and says what is left to do. The kernels then pass X on and the reference gives 0, so that the tests
of the operator fail until both are written.

A `composite` is computed by other operators. Its struct is in the header FAMILY of src/graph/composites, such as movement. Where the
VERSION is the word com.microsoft, it is an operator of that domain. Its test fails until the operators and the reference are written.

OPERATOR is ONNX's name of an operator that there is, and HOW is what the new kernel is made for, such as rows. The kernel says of every
problem that it is not written yet, and unit_kit fails until the kernel fits a case.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def fail(sentence):
    sys.exit(f"new.py: {sentence}")


class Change:
    """Texts of files, written together once all of them are made, so that an error leaves no half of an operator behind."""

    def __init__(self):
        self.texts = {}

    def text(self, path):
        if path not in self.texts:
            self.texts[path] = (ROOT / path).read_text()
        return self.texts[path]

    def add(self, path, text):
        """A file that is not there yet."""
        if (ROOT / path).exists():
            fail(f"there is a file {path} already")
        self.texts[path] = text

    def insert(self, path, pattern, new):
        """Puts `new` behind the first match of `pattern`."""
        match = re.search(pattern, self.text(path), re.S)
        if not match:
            fail(f"{path} has no place like {pattern!r}; new.py must be changed as the file was")
        self.texts[path] = self.texts[path][: match.end()] + new + self.texts[path][match.end() :]

    def write(self):
        for path, text in self.texts.items():
            (ROOT / path).parent.mkdir(exist_ok=True)
            (ROOT / path).write_text(text)


def snake_case(name):
    """Returns what the kit and Python make of a name: is_nan of IsNaN, because a capital at the end begins no word."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z].)|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def elementwise(name, versions):
    kind = snake_case(name)
    change = Change()
    header = "include/vkonnx/operators/elementwise.hpp"
    if f'"{name}"' in change.text(header):
        fail(f"there is an elementwise operator {name} already")
    change.insert(header, r"enum class ElementwiseKind[^}]*", f"    {kind},\n")
    change.insert(header, r"elementwise_words\[\] = \{.*?\}(?=\};)", f',\n{" " * 66}{{ElementwiseKind::{kind}, "{name}"}}')

    numbers = ", ".join(map(str, versions))
    operators = "src/ops/elementwise.cpp"
    change.insert(operators, r"\n(?=constexpr int64_t elu_versions)", f"constexpr int64_t {kind}_versions[] = {{{numbers}}};\n")
    row = f'    unary(ElementwiseKind::{kind}, {kind}_versions, x<float_types>, "Y = {kind}(X)"),\n'
    change.insert(operators, r"constexpr Row rows\[\] = \{.*?(?=\};\n)", row)

    kinds = "shaders/library/elementwise_kinds.h"
    number = 1 + max(int(found) for found in re.findall(r"KIND\((\d+),", change.text(kinds)))
    listed = r"#define ELEMENTWISE_FUNCTIONS_OF_REALS\(KIND\)[^\n]*(\n    KIND[^\n]*\\)*\n(?P<last>    KIND[^\n]*)"
    last = re.search(listed, change.text(kinds))
    width = 129 - len(last["last"]) if last else 0
    change.insert(kinds, listed, f'{" " * width}\\\n    KIND({number}, {kind.upper()}, {kind})')

    function = f"Real {kind}_of(Real a, Real b, Real first, Real second)\n{{\n    return a;  // TODO: {name} of a\n}}\n\n"
    change.insert("shaders/operators/elementwise/elementwise.glsl", r"\n(?=Real reciprocal_of)", function)

    reference = "tests/kit/reference_elementwise.cpp"
    signature = f"    case Kind::{kind}:\n        return {{{{{numbers}}}, 22}};\n"
    change.insert(reference, r"switch \(kind\) \{\n(?=    case Kind::identity:\n        return \{\{)", signature)
    value = f"    case Kind::{kind}:  // TODO: {name} of a\n        return zero;\n"
    change.insert(reference, r"    case Kind::identity:\n        return a;\n", value)

    cases = "".join(
        f"{label:<19} op={name} a=4x9 {rest:<37}# {why}\n"
        for label, rest, why in [(kind, "", "TODO: why"), (f"{kind}_specials", "fill=specials", "of infinities and NaN")]
        + [(f"{kind}_{version}", f"opset={version if version > 7 else 7}", f"version {version}") for version in versions[:-1]]
    )
    change.insert("tests/cases/elementwise.txt", r"\Z", cases)
    change.write()
    print(f"""{name} is in {', '.join(change.texts)}. What is left:
- the types of its documents, in its row of src/ops/elementwise.cpp and in {reference};
- what it computes, in shaders/operators/elementwise/elementwise.glsl and, in double precision, in {reference};
- cases of every type and of what is special in it, in tests/cases/elementwise.txt;
- the table of docs/operators.md, and tools/python/vkonnx/ops.pyi, which tests write: CONTRIBUTING.md says how.""")


OPERATOR = """
// TODO: what {name} computes.
// - The input is a tensor of any rank.
// Versions are {sentence}.
struct {name} {{
    static constexpr std::string_view name = "{name}";
    int64_t opset = newest_opset;
}};

template <MaybeConst<{name}> Op, class Visitor>
void fields(Op&, Visitor&&)
{{
}}
"""

GEOMETRY = """
struct {name}Geometry {{
    TensorDesc output = {{}};  // and X
    std::string equation = {{}};
}};
"""

RESOLVE = """// SPDX-License-Identifier: Apache-2.0
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {{

namespace {{

constexpr int64_t {snake}_versions[] = {{{numbers}}};
constexpr Schema::Type {snake}_types[] = {{{{DType::float32, 1}}, {{DType::float64, 1}}, {{DType::float16, 1}}}};  // TODO: of its documents
constexpr Schema::Input {snake}_inputs[] = {{{{"X", "T", {snake}_types}}}};
constexpr Schema {snake}_schema = {{
    .name = {name}::name, .versions = {snake}_versions, .inputs = {snake}_inputs, .outputs = single_output}};

}}  // namespace

const Schema& schema_of(const {name}&)
{{
    return {snake}_schema;
}}

Result<{name}Geometry> resolve(const {name}& attributes, std::span<const TensorDesc> inputs)
{{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    const TensorDesc& x = inputs[0];
    VKONNX_RETURN_IF_ERROR(check_layout(*document, "X.layout", x.layout));
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "X", x));
    return {name}Geometry{{.output = x, .equation = join({{document->title(), ": Y = X"}})}};  // TODO
}}

TensorDesc output_of(const {name}Geometry& geometry)
{{
    return geometry.output;
}}

}}  // namespace vkonnx::ops
"""

PLAN = """// SPDX-License-Identifier: Apache-2.0
#include "plan/operators/operators.h"

#include "modules.h"
#include "plan/engines/gather.h"
#include "plan/core/grid.h"
#include "plan/core/limits.h"
#include "return_if_error.h"
#include "shaders/engines/gather/gather.h"
#include "shaders/library/plain_constants.h"

namespace vkonnx::plan {{
namespace {snake} {{
namespace {{

constexpr std::string_view op = vkonnx::{name}::name;

struct Problem {{
    const Capabilities& capabilities;
    const PrepareOptions& options;
    const ops::{name}Geometry& geometry;
    ComputeType compute_type = ComputeType::f32;
    int64_t outputs = 0;
}};

// {snake}: an output at a time.

std::string unfit(const Problem&)
{{
    return "";
}}

Result<Plan> planned(const Problem& problem)
{{
    const Gather gather = {{.op = op,
                           .compute_type = problem.compute_type,
                           .element_bytes = bits(problem.geometry.output.dtype) / 8,
                           .outputs = problem.outputs,
                           .output_operand = 1,
                           .inputs = {{{{0, problem.outputs}}}},
                           .reads = [](const Part& part) {{ return Reads{{part.outputs}}; }},
                           .kernel = *variant(modules::{snake}, problem.compute_type),
                           .specialization = specialization::Plain{{workgroup_size(problem.capabilities)}}.values(),
                           .uses_uniform = false}};
    return plan_gather(gather, problem.capabilities, problem.options);
}}

constinit const KernelOf<Problem> any = {{
    .name = "{snake}", .variants = modules::{snake}, .keeps_order = true, .unfit = unfit, .plan = planned}};

constexpr const KernelOf<Problem>* kernels[] = {{&any}};

Result<Problem> problem_of(const ops::{name}Geometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{{
    constexpr Needs needs = {{.storage_buffers = 2, .push_constant_bytes = sizeof(push::GatherPart)}};
    Result<Problem> problem = common_problem<Problem>(op, needs, geometry, compute_type_of(op, geometry.output.dtype, capabilities),
                                                      geometry.output, capabilities, options);
    if (!problem || problem->outputs == 0)
        return problem;
    VKONNX_RETURN_IF_ERROR(check_addressable(op, "X", geometry.output));
    return problem;
}}

}}  // namespace
}}  // namespace {snake}

Result<Plan> plan_for(const ops::{name}Geometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{{
    return best_plan({snake}::op, {snake}::kernels, {snake}::problem_of(geometry, capabilities, options));
}}

Kernels kernels_for(const ops::{name}Geometry& geometry, const Capabilities& capabilities, const PrepareOptions& options)
{{
    return all_choices({snake}::op, {snake}::kernels, {snake}::problem_of(geometry, capabilities, options));
}}

}}  // namespace vkonnx::plan
"""

SHADER = """// SPDX-License-Identifier: Apache-2.0
#version 450
// This shader computes {name}: TODO how. An invocation computes an element; of several that share a word, all of them.
//
// Layouts: {layouts}
// Assumptions:
// - element numbers fit 31 bits
// Specialization: {constants}
// Grid: ceil(output_count / OUTPUTS_PER_INVOCATION / workgroup size) groups, folded into x, y, z
#extension GL_GOOGLE_include_directive : require
#include "{constants}"

#include "shaders/library/common.glsl"
#include "shaders/library/store.glsl"

INPUT(0, InputX, x, x_at)
#define OUTPUT_BINDING 1
#include "shaders/engines/gather/gather.glsl"

Real output_at(uint index)
{{
    return x_at(index - push.x_base);  // TODO
}}
"""

REFERENCE = """// {name}, as its document defines it.
#include "kit/operators.h"

namespace vkonnx::kit {{

Result<Resolution> resolve(const {name}& op, std::span<const TensorDesc> inputs)
{{
    const bool has_version = op.opset >= versions<{name}>.front() && op.opset <= newest_opset;
    const auto is_one = [](DType type) {{ return type == DType::float32 || type == DType::float16 || type == DType::float64; }};
    if (!has_version || inputs.size() != 1 || !is_one(inputs[0].dtype))
        return Status(Code::invalid_argument, "version, number of inputs or type");
    const Result<int64_t> count = element_count(inputs[0]);
    return count ? Result(Resolution{{.output = inputs[0]}}) : count.status();
}}

Result<std::vector<Answer>> reference(const {name}&, std::span<const RealTensor>, std::span<const int64_t> sample)
{{
    std::vector<Answer> answers;
    for (size_t i = 0; i < sample.size(); ++i)
        answers.push_back({{}});  // TODO: of element sample[i]
    return answers;
}}

}}  // namespace vkonnx::kit
"""

DRAW = """#include "kit/draw.h"

namespace vkonnx::kit {{

Case draw_{snake}(Draw& draw)
{{
    TensorDesc x = {{draw.of({{DType::float32, DType::float16, DType::float64}}), std::vector<int64_t>(size_t(draw.between(0, 4)))}};
    for (int64_t& extent : x.dims)
        extent = draw.one_in(40) ? 0 : draw.between(1, 10);
    return {{.name = "drawn", .attributes = {name}{{.opset = draw.between({first}, newest_opset)}}, .inputs = {{x}}}};
}}

}}  // namespace vkonnx::kit
"""


def operator(name, family, versions):
    snake = snake_case(name)
    numbers = ", ".join(map(str, versions))
    sentence = " and ".join(filter(None, [", ".join(map(str, versions[:-1])), str(versions[-1])]))
    words = {"name": name, "snake": snake, "numbers": numbers, "sentence": sentence, "first": versions[0]}
    change = Change()
    header = f"include/vkonnx/operators/{family}.hpp"
    if not (ROOT / header).exists():
        fail(f"FAMILY is '{family}', but there is no {header}")
    if any(f'"{name}"' in each.read_text() for each in (ROOT / "include/vkonnx/operators").glob("*.hpp")):
        fail(f"there is an operator {name} already")
    change.insert(header, r".*\n\}\n(?=\n\}  // namespace vkonnx\n)", OPERATOR.format(**words))
    change.insert("include/vkonnx/operators.hpp", r"std::variant<[^>]*", f", {name}")

    geometry = "src/ops/geometry.h"
    attributes = f"(const {name}& attributes, std::span<const TensorDesc> inputs);\n"
    change.insert(geometry, r"struct LayerNormalizationGeometry \{.*?\n\};\n", GEOMETRY.format(**words))
    change.insert(geometry, r"resolve\(const LayerNormalization&[^\n]*\n", f"Result<{name}Geometry> resolve{attributes}")
    change.insert(geometry, r"schema_of\(const LayerNormalization&\);\n", f"const Schema& schema_of(const {name}&);\n")
    output = f"TensorDesc output_of(const {name}Geometry& geometry);\n"
    change.insert(geometry, r"TensorDesc output_of\(const LayerNormalizationGeometry& geometry\);\n", output)
    change.add(f"src/ops/{snake}.cpp", RESOLVE.format(**words))

    asked = f"(const ops::{name}Geometry& geometry, const Capabilities& capabilities, const PrepareOptions& options);\n"
    declared = f"// Operands: X and Y.\nResult<Plan> plan_for{asked}Kernels kernels_for{asked}\n"
    change.insert("src/plan/operators/operators.h", r"(?=\}  // namespace vkonnx::plan)", declared)
    change.add(f"src/plan/operators/{snake}/{snake}.cpp", PLAN.format(**words))

    rows = "shaders/CMakeLists.txt"
    change.insert(rows, r"\n(?:vkonnx_shaders\([^)]*\)\n)+", f"vkonnx_shaders({snake} {name})\n")
    change.insert(rows, r"foreach\(type f32 f16 bf16 f64 f64_soft\)\n", f"    vkonnx_kernel({snake} ${{type}} plain)\n")
    constants = "shaders/library/plain_constants.h"
    shader = SHADER.format(**words, constants=constants, layouts="X and Y as they lie.")
    change.add(f"shaders/operators/{snake}/{snake}.comp", shader)

    kit = "tests/kit/operators.h"
    change.insert(kit, r"versions<LayerNormalization> = [^\n]*\n",
                  f"template <>\ninline constexpr auto versions<{name}> = std::to_array<int64_t>({{{numbers}}});\n")  # fmt: skip
    change.insert(kit, r"resolve\(const LayerNormalization&[^\n]*\n", f"Result<Resolution> resolve{attributes}")
    answers = f"Result<std::vector<Answer>> reference(const {name}& attributes, std::span<const RealTensor> inputs,\n"
    change.insert(kit, r"reference\(const LayerNormalization&[^;]*;\n", f"{answers}{' ' * 38}std::span<const int64_t> sample);\n")
    change.insert(kit, r"Case draw_layer_normalization\(Draw& draw\);\n", f"Case draw_{snake}(Draw& draw);\n")
    change.insert(kit, r"drawers\[\] = \{.*?(?=\};\n)", f'    {{"{snake}", draw_{snake}}},\n')
    change.add(f"tests/kit/reference_{snake}.cpp", REFERENCE.format(**words))
    change.add(f"tests/kit/draw_{snake}.cpp", DRAW.format(**words))

    lines = [(kind, f"type={kind}") for kind in ("float16", "double")]
    lines += [(f"version_{version}", f"opset={max(version, 7)}") for version in versions]
    cases = "".join(f"{label:<19} x=4x9 {rest:<37}# TODO: why\n" for label, rest in [("plain", ""), *lines])
    change.add(f"tests/cases/{snake}.txt", f"# {name}: TODO.\n\n{cases}")
    change.write()
    print(f"""{name} is in {', '.join(change.texts)}. What is left:
- its attributes, in {header}, and what they mean, in src/ops/{snake}.cpp;
- the types of its documents, in src/ops/{snake}.cpp and in the files of tests/kit;
- what it computes, in shaders/operators/{snake}/{snake}.comp and, in double precision, in tests/kit/reference_{snake}.cpp;
- cases of every type and of what is special in it, in tests/cases/{snake}.txt, and a test of what is refused, in tests/unit/ops;
- a row in docs/kernels.md;
- the table of docs/operators.md, and tools/python/vkonnx/ops.pyi, which tests write: CONTRIBUTING.md says how.""")

COMPOSITE = """
// TODO: what {name} computes.
struct {name} : NoAttributes {{
    static const Schema schema;
    void compose(Composer& composer) const;
}};
"""

COMPOSE = """// SPDX-License-Identifier: Apache-2.0
#include "graph/{include}.h"

namespace vkonnx::graph {{
namespace {{
{versions}constexpr Schema::Input {snake}_inputs[] = {{{{.name = "X"}}}};
constexpr Schema::Output {snake}_outputs[] = {{{{"Y"}}}};
}}  // namespace

constinit const Schema {name}::schema = {schema};

// TODO: the formula, and in which type it is computed.
void {name}::compose(Composer& composer) const
{{
    const Operand x = composer.input(0);
    composer.set_output(0, composer.add(ElementwiseKind::identity, {{x}}));  // TODO
}}

}}  // namespace vkonnx::graph
"""

COMPOSITE_REFERENCE = """// {name}, as its document defines it.
#include "kit/composites.h"

namespace vkonnx::kit {{

std::vector<CompositeAnswers> reference_{snake}(const CompositeProblem& problem)
{{
    CompositeAnswers made = {{.output = problem.inputs[0].desc}};
    for (int64_t i = 0; i < *element_count(made.output); ++i)
        made.elements.push_back(exactly(made.output.dtype, 0));  // TODO: of element i
    return {{made}};
}}

}}  // namespace vkonnx::kit
"""

COMPOSITE_TEST = """// This file tests {name} on every device, against the reference.
#include "composite_problem.h"

namespace vkonnx::gpu_test {{
namespace {{

TEST({name}OnDevice, IsWhatItsDocumentSays)
{{
    on_every_device([](const CaseDevice& device) {{
        CompositeDraw draw(1);
        for (const DType dtype : float_types)  // TODO: other types, attributes and inputs
            expect_composite(device, {{.op_type = "{name}",{domain} .inputs = {{draw.tensor(dtype, {{2, 3}})}}}});
    }});
}}

}}  // namespace
}}  // namespace vkonnx::gpu_test
"""


def composite(name, family, versions):
    """`versions` are numbers, or None for the domain com.microsoft."""
    snake = snake_case(name)
    change = Change()
    header = f"src/graph/composites/{family}.h"
    if "static const Schema schema;" not in (change.text(header) if (ROOT / header).exists() else ""):
        fail(f"FAMILY is '{family}', but there is no {header} with structs of composites")
    if re.search(rf"\b{name}\b", change.text("src/graph/composites.h")):
        fail(f"there is a composite {name} already")
    change.insert(header, r".*\n\};\n(?=\n\}  // namespace vkonnx::graph\n)", COMPOSITE.format(name=name))
    change.insert("src/graph/composites.h", r"std::variant<[^>]*", f", {name}")
    words = {"name": name, "snake": snake, "include": "composer", "versions": "", "domain": ""}
    if versions is None:
        words |= {"include": "composites/contrib", "domain": " .is_microsoft = true,"}
        words["schema"] = f'contrib("{name}", {snake}_inputs, {snake}_outputs)'
    else:
        words["versions"] = f"constexpr int64_t {snake}_versions[] = {{{', '.join(map(str, versions))}}};\n"
        words["schema"] = f'{{\n    .name = "{name}", .versions = {snake}_versions, .inputs = {snake}_inputs, .outputs = {snake}_outputs}}'
    change.add(f"src/graph/composites/{snake}.cpp", COMPOSE.format(**words))
    reference = f"std::vector<CompositeAnswers> reference_{snake}(const CompositeProblem& problem);\n"
    change.insert("tests/kit/composites.h", r"reference_attention\(const CompositeProblem& problem\);[^\n]*\n", reference)
    change.insert("tests/kit/reference_composites.cpp", r"references = \{\n", f'        {{"{name}", reference_{snake}}},\n')
    change.add(f"tests/kit/reference_{snake}.cpp", COMPOSITE_REFERENCE.format(**words))
    change.add(f"tests/gpu/{snake}_test.cpp", COMPOSITE_TEST.format(**words))
    change.write()
    listed = "a row of the table of com.microsoft" if versions is None else "the lists of docs/operators.md and tests/tools/cell_test.cpp"
    print(f"""{name} is in {', '.join(change.texts)}. What is left:
- its attributes, in {header}, and its inputs, outputs and operators, in src/graph/composites/{snake}.cpp;
- what it computes, in double precision, in tests/kit/reference_{snake}.cpp;
- problems of every type, attribute and input, in tests/gpu/{snake}_test.cpp, and the sentences of its refusals, in tests/unit/onnx;
- {listed}{" in docs/operators.md" if versions is None else ""}, and what its document leaves open, in docs/operators.md.""")


KERNEL_CONSTANTS = """// SPDX-License-Identifier: Apache-2.0
// This file lists the specialization constants of {kernel}.
#ifndef VKONNX_{upper}_CONSTANTS_H
#define VKONNX_{upper}_CONSTANTS_H

#include "shaders/library/constants.h"

#define {upper}_SPECIALIZATION(SIZE, CONSTANT) SIZE(0, workgroup_size, x)

SPECIALIZATION({camel}, {upper}_SPECIALIZATION)

#endif
"""

KERNEL_PLAN = """// SPDX-License-Identifier: Apache-2.0
// This file plans {kernel}. TODO: say how it computes.
#include "modules.h"
#include "plan/core/grid.h"
#include "plan/engines/gather.h"
#include "plan/operators/{folder}/problem.h"
#include "shaders/operators/{folder}/{kernel}_constants.h"

namespace vkonnx::plan::{folder} {{
namespace {{

std::string unfit(const Problem&)
{{
    return "it is not written yet";  // TODO: why it can't run the problem, or "" where it can
}}

Result<Plan> planned(const Problem& problem)
{{
    // TODO: what it binds and reads. A kernel with a main of its own is planned by plan/engines/tiles.h.
    const Gather gather = {{.op = "{name}",
                           .compute_type = problem.compute_type,
                           .element_bytes = 4,
                           .outputs = {outputs},
                           .output_operand = 1,
                           .inputs = {{{{0, {outputs}}}}},
                           .reads = [](const Part& part) {{ return Reads{{part.outputs}}; }},
                           .kernel = *variant(modules::{kernel}, problem.compute_type),
                           .specialization = specialization::{camel}{{workgroup_size(problem.capabilities)}}.values(),
                           .uses_uniform = false}};
    return plan_gather(gather, problem.capabilities, problem.options);
}}

}}  // namespace

constinit const KernelOf<Problem> {how} = {{
    .name = "{kernel}", .variants = modules::{kernel}, .keeps_order = true, .unfit = unfit, .plan = planned}};

}}  // namespace vkonnx::plan::{folder}
"""

KERNEL_PROBLEM = """// SPDX-License-Identifier: Apache-2.0
// This file defines what the kernels of {name} are told, and declares them.
#pragma once

{includes}

namespace vkonnx::plan::{folder} {{

{problem}
}}  // namespace vkonnx::plan::{folder}
"""

# These headers define the types of a Problem's members.
TYPES_OF_PROBLEMS = {
    "BroadcastAxis": "plan/engines/broadcast.h",
    "Pass": "plan/engines/chain.h",
    "Rows": "plan/engines/chain.h",
    "TapAxis": "plan/engines/taps.h",
}


def folder_of(name):
    """Returns the folder of src/plan/operators that has the operator's kernels, and whether these take elements as words of their
    width. Of the rows of shaders that the operator needs, its own is that with the fewest operators."""
    found = []
    kinds = (ROOT / "include/vkonnx/operators/elementwise.hpp").read_text()
    elementwise = " ".join(re.findall(r'\{ElementwiseKind::\w+, "(\w+)"', kinds))
    for prefix, row in re.findall(r"vkonnx_shaders\((\w+) ([^)]*)\)", (ROOT / "shaders/CMakeLists.txt").read_text()):
        operators = row.replace("${elementwise}", elementwise).split()
        plans = [ROOT / f"src/plan/operators/{folder}/{folder}.cpp" for folder in (prefix, prefix.rpartition("_")[0])]
        plan = next(filter(pathlib.Path.exists, plans), None)
        if name in operators and plan and "* kernels[] = {" in plan.read_text():
            found.append((len(operators), plan.stem, "WIDTHS" in operators))
    if not found:
        fail(f"OPERATOR is '{name}', but shaders/CMakeLists.txt has no kernels of such an operator")
    return min(found)[1:]


def take_problem_out(change, name, folder):
    """Moves Problem from the file of an operator that had one kernel to a header, which is returned."""
    listed, header = f"src/plan/operators/{folder}/{folder}.cpp", f"src/plan/operators/{folder}/problem.h"
    if (ROOT / header).exists():
        return header
    text = change.text(listed)
    problem = re.search(r"struct Problem \{.*?\n\};\n", text, re.S)[0]
    change.texts[listed] = text.replace(problem + "\n", "")
    problem = re.sub(r"const (\w+&) geometry;", r"const ops::\1 geometry;", problem)
    includes = {"ops/geometry.h", "plan/core/choose.h"}
    includes |= {path for word, path in TYPES_OF_PROBLEMS.items() if re.search(rf"\b{word}\b", problem)}
    lines = "\n".join(f'#include "{path}"' for path in sorted(includes))
    change.add(header, KERNEL_PROBLEM.format(name=name, folder=folder, includes=lines, problem=problem))
    change.insert(listed, r'#include "modules\.h"\n', f'#include "plan/operators/{folder}/problem.h"\n')
    return header


def kernel(name, how):
    change = Change()
    folder, by_widths = folder_of(name)
    kernel = f"{folder}_{how}"
    others = [each.name for each in (ROOT / "src/plan/operators").glob(f"{folder}_*") if each.is_dir()]
    if any(kernel.startswith(f"{other}_") for other in others):
        fail(f"HOW is '{how}', but {kernel} would be named like a kernel of another operator")
    listed = f"src/plan/operators/{folder}/{folder}.cpp"
    if re.search(rf"kernels\[\] = \{{[^}}]*&{how}\b", change.text(listed)):
        fail(f"there is a kernel {how} of {name} already")
    types = "u8 u16 u32 u64" if by_widths else "f32 f16 bf16"
    words = {"name": name, "folder": folder, "how": how, "kernel": kernel, "upper": kernel.upper()}
    words["camel"] = "".join(word.capitalize() for word in kernel.split("_"))
    shader = f"shaders/operators/{folder}/{kernel}"
    change.add(f"{shader}.comp", SHADER.format(**words, constants=f"{shader}_constants.h", layouts="TODO"))
    change.add(f"{shader}_constants.h", KERNEL_CONSTANTS.format(**words))
    rows = f"foreach(type {types})\n    vkonnx_kernel({kernel} ${{type}} {kernel})\nendforeach()\n"
    change.insert("shaders/CMakeLists.txt", r"\n(?=vkonnx_kernel\(probe_copy f32 plain\))", rows)

    header = take_problem_out(change, name, folder)
    counted = re.search(r"\bint64_t outputs\b", change.text(header))
    change.add(f"src/plan/operators/{folder}/{how}.cpp", KERNEL_PLAN.format(**words, outputs="problem.outputs" if counted else "0"))
    declared = f"// {kernel} takes TODO.\nextern const KernelOf<Problem> {how};\n"
    if "extern const KernelOf" in change.text(header):
        change.insert(header, r"\n(?=(//[^\n]*\n)*extern const KernelOf)", declared)
    else:
        change.insert(header, r"\n(?=\}  // namespace vkonnx::plan)", declared + "\n")
    change.insert(listed, r"kernels\[\] = \{\s*", f"&{how}, ")

    row = f"| `{kernel}` | TODO: what it runs | {types.replace(' ', ', ')} | yes |\n"
    longer = "".join(f"(?!{other}_)" for other in others)  # conv_transpose has a section of its own
    change.insert("docs/kernels.md", rf"\n(?=\| `{longer}{folder}[_`])", row)
    change.write()
    print(f"""{kernel} is in {', '.join(change.texts)}. What is left:
- what it computes, in {shader}.comp, and what C++ tells it: constants in {shader}_constants.h, and a struct in a header beside
  them where there is more;
- what it fits and how it is planned, in src/plan/operators/{folder}/{how}.cpp, and its place among the kernels, in {listed};
- its types, in shaders/CMakeLists.txt, and the operators that need it, where all of those of {folder} don't;
- its row in docs/kernels.md;
- cases that reach what is special in it, in tests/cases.""")


def main():
    words = sys.argv[1:]
    least = {"elementwise": 2, "operator": 3, "composite": 3, "kernel": 3}
    if not words or words[0] not in least or len(words) < least[words[0]] or (words[0] == "kernel" and len(words) > 3):
        fail(
            "it takes 'elementwise NAME [VERSION...]', 'operator NAME FAMILY [VERSION...]', 'composite NAME FAMILY [VERSION...]' "
            "or 'kernel OPERATOR HOW'"
        )
    name = words[1]
    if words[0] == "kernel":
        if not re.fullmatch(r"[a-z][a-z0-9_]*", words[2]):
            fail(f"HOW is '{words[2]}', but names of kernels are of lower case letters, digits and '_', such as rows")
        return kernel(name, words[2])
    versions = words[least[words[0]] :] or ["1"]
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", name):
        fail(f"NAME is '{name}', but ONNX's names begin with a capital and have letters and digits, such as Softsign")
    if words[0] == "composite" and versions == ["com.microsoft"]:
        return composite(name, words[2], None)
    if not all(re.fullmatch(r"[1-9][0-9]*", version) for version in versions):
        fail(f"VERSION is '{' '.join(versions)}', but versions are whole numbers from 1 on")
    numbers = [int(version) for version in versions]
    if numbers != sorted(set(numbers)):
        fail(f"the versions {' '.join(versions)} must ascend")
    if words[0] == "elementwise":
        elementwise(name, numbers)
    elif words[0] == "composite":
        composite(name, words[2], numbers)
    else:
        operator(name, words[2], numbers)


main()
