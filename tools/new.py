#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what a new elementwise operator needs, for its author to fill in.

    python3 tools/new.py elementwise NAME [VERSION...]

NAME is ONNX's name of an operator with one input X and one output Y, such as Softsign. The VERSIONs are those of its documents that a
model of opset 7 or later can mean, 1 by default. The script changes the six files that CONTRIBUTING.md lists before docs/operators.md, so
that everything compiles, and says what is left to do. The kernels then pass X on and the reference gives 0, so that the tests of the
operator fail until both are written.
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

    def insert(self, path, pattern, new):
        """Puts `new` behind the first match of `pattern`."""
        match = re.search(pattern, self.text(path), re.S)
        if not match:
            fail(f"{path} has no place like {pattern!r}; new.py must be changed as the file was")
        self.texts[path] = self.texts[path][: match.end()] + new + self.texts[path][match.end() :]

    def write(self):
        for path, text in self.texts.items():
            (ROOT / path).write_text(text)


def snake_case(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


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

    kinds = "shaders/shared/elementwise_kinds.h"
    number = 1 + max(int(found) for found in re.findall(r"KIND\((\d+),", change.text(kinds)))
    listed = r"#define ELEMENTWISE_FUNCTIONS_OF_REALS\(KIND\)[^\n]*(\n    KIND[^\n]*\\)*\n(?P<last>    KIND[^\n]*)"
    last = re.search(listed, change.text(kinds))
    width = 129 - len(last["last"]) if last else 0
    change.insert(kinds, listed, f'{" " * width}\\\n    KIND({number}, {kind.upper()}, {kind})')

    function = f"Real {kind}_of(Real a, Real b, Real first, Real second)\n{{\n    return a;  // TODO: {name} of a\n}}\n\n"
    change.insert("shaders/elementwise.glsl", r"\n(?=Real reciprocal_of)", function)

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
- what it computes, in shaders/elementwise.glsl and, in double precision, in {reference};
- cases of every type and of what is special in it, in tests/cases/elementwise.txt;
- its name in docs/operators.md, and tools/python/vkonnx/ops.pyi, which the tests of Python write: CONTRIBUTING.md says how.""")


def main():
    words = sys.argv[1:]
    if len(words) < 2 or words[0] != "elementwise":
        fail("it takes 'elementwise NAME [VERSION...]'")
    name, versions = words[1], words[2:] or ["1"]
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", name):
        fail(f"NAME is '{name}', but ONNX's names begin with a capital and have letters and digits, such as Softsign")
    if not all(re.fullmatch(r"[1-9][0-9]*", version) for version in versions):
        fail(f"VERSION is '{' '.join(versions)}', but versions are whole numbers from 1 on")
    numbers = [int(version) for version in versions]
    if numbers != sorted(set(numbers)):
        fail(f"the versions {' '.join(versions)} must ascend")
    elementwise(name, numbers)


main()
