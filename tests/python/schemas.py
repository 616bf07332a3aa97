"""Compares the schemas of vkonnx, in the JSON file that `vkonnx operators --json` wrote, with those of the onnx package.

    python3 schemas.py OPERATORS.json

Each operator of ONNX's own domain must have the versions, inputs, types, outputs and attributes of ONNX's operator documents, but for
the differences that are listed here and in lacking.txt. A difference that is gone must go from the lists, too. The exit code is 1
where anything else differs.
"""

import json
import pathlib
import sys

import onnx

# What the library lacks, by operator, of what the documents have.
LACKING = {
    "types": {},  # of lacking.txt
    "outputs": {"BatchNormalization": {"mean", "var", "saved_mean", "saved_var"}},  # of training, before version 14
    "attributes": {"InstanceNormalization": {"consumed_inputs"}},  # which says nothing
    "demands": {"Resize": {"roi", "scales"}},  # inputs that the documents of versions 11 and 13 demand and models leave out
}
for line in (pathlib.Path(__file__).parent / "lacking.txt").read_text(encoding="utf-8").splitlines():
    if words := line.partition("#")[0].split():
        LACKING["types"][words[0]] = {f"tensor({word})" for word in words[1:]}
unused = {(group, operator, name) for group, operators in LACKING.items() for operator, names in operators.items() for name in names}


def lacking(group, operator, wanted):
    """Those of the documents' names that the library lacks, as the lists say."""
    found = LACKING[group].get(operator, set()) & wanted
    unused.difference_update((group, operator, name) for name in found)
    return found


def in_version(part, version):
    return part["since"] <= version and (part.get("until") is None or version <= part["until"])


def name_of(part):
    """The documents call all of the inputs or outputs that are alike by one name; the library numbers them."""
    return part["name"].removesuffix("_0") if part["name"] in ("inputs_0", "outputs_0") else part["name"]


def differences(ours, document, version):
    """Sentences on one version of one operator."""
    operator = ours["name"]
    inputs = [part for part in ours["inputs"] if in_version(part, version)]
    names = [name_of(part) for part in inputs]
    if names != [part.name for part in document.inputs]:
        yield f"inputs {names}, expected {[part.name for part in document.inputs]}"
        return
    for part, formal in zip(inputs, document.inputs):
        option = formal.option.name.lower()
        if option == "single" and part["option"] == "optional" and lacking("demands", operator, {formal.name}):
            option = "optional"
        if part["option"] != option:
            yield f"input {formal.name} is {part['option']}, expected {option}"
        if part["member"]:
            continue  # a list in the operator's struct, which has no type of a tensor
        types = {f"tensor({each['type']})" for each in part["types"] if each["since"] <= version}
        wanted = {each for each in formal.types if each.startswith("tensor(")}
        wanted -= lacking("types", operator, wanted - types)
        if types != wanted:
            yield f"input {formal.name}: types {sorted(types)}, expected {sorted(wanted)}"
    outputs = {name_of(part): part["option"] for part in ours["outputs"] if in_version(part, version)}
    wanted = {part.name: part.option.name.lower() for part in document.outputs}
    for name in lacking("outputs", operator, wanted.keys() - outputs.keys()):
        del wanted[name]
    if outputs != wanted:
        yield f"outputs {outputs}, expected {wanted}"
    members = {part["member"] for part in inputs}
    attributes = {part["name"] for part in ours["attributes"] if in_version(part, version)} - members
    wanted = set(document.attributes)
    wanted -= lacking("attributes", operator, wanted - attributes)
    if attributes != wanted:
        yield f"attributes {sorted(attributes)}, expected {sorted(wanted)}"


def main():
    documents = {}
    for document in onnx.defs.get_all_schemas_with_history():
        if document.domain == "":
            documents.setdefault(document.name, {})[document.since_version] = document
    sentences, compared = [], 0
    for ours in json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")):
        if ours["domain"]:
            continue
        of_operator = documents[ours["name"]]
        # A model of opset 7 or later can mean no older version than the newest one of opset 7.
        oldest = max((version for version in of_operator if version <= 7), default=min(of_operator))
        expected = [version for version in sorted(of_operator) if version >= min(ours["versions"][0], oldest)]
        if ours["versions"] != expected:
            sentences.append(f"{ours['name']}: versions {ours['versions']}, expected {expected}")
        for version in set(ours["versions"]) & set(expected):
            compared += 1
            for sentence in differences(ours, of_operator[version], version):
                sentences.append(f"{ours['name']}-{version}: {sentence}")
    sentences += [f"{operator}: the list of {group} that it lacks has {name}, which it has" for group, operator, name in sorted(unused)]
    print("\n".join([*sentences, f"{compared} versions of operators compared with onnx {onnx.__version__}, {len(sentences)} differences"]))
    return 1 if sentences or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
