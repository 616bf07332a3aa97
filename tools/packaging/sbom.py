# SPDX-License-Identifier: Apache-2.0
"""sbom.py VERSION COMMIT ZIG_VERSION OUT.spdx.json FILE...: writes what the files of a release have inside, in the format SPDX 2.3.

Versions are those of the packages of this system that the release is built with. It needs the package spdx-tools.
"""

import datetime
import hashlib
import os
import re
import subprocess
import sys

from spdx_tools.spdx.model import (
    Actor,
    ActorType,
    Checksum,
    ChecksumAlgorithm,
    CreationInfo,
    Document,
    File,
    Package,
    Relationship,
    RelationshipType,
    SpdxNoAssertion,
)
from spdx_tools.common.spdx_licensing import spdx_licensing
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
from spdx_tools.spdx.writer.write_anything import write_file

# What is compiled into the files: a name, its licence, and the package of this system that has its version; None: it comes with zig.
INSIDE = (
    ("volk", "MIT", "libvulkan-volk-dev"),
    ("Vulkan-Headers", "Apache-2.0 OR MIT", "libvulkan-dev"),
    ("protozero", "BSD-2-Clause", "libprotozero-dev"),
    ("CLI11", "BSD-3-Clause", "libcli11-dev"),
    ("nlohmann-json", "MIT", "nlohmann-json3-dev"),
    ("stb", "MIT", "libstb-dev"),
    ("googletest", "BSD-3-Clause", "googletest"),
    ("google-benchmark", "Apache-2.0", "libbenchmark-dev"),
    ("libcxx", "Apache-2.0 WITH LLVM-exception", None),
    ("libcxxabi", "Apache-2.0 WITH LLVM-exception", None),
    ("libunwind", "Apache-2.0 WITH LLVM-exception", None),
    ("zig-compiler-rt", "MIT", None),
    ("musl", "MIT", None),
    ("mingw-w64", "ZPL-2.1", None),
)


def version_of(package):
    done = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def main(version, commit, zig_version, out, *paths):
    made = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc).replace(tzinfo=None)
    document = Document(CreationInfo(
        "SPDX-2.3", "SPDXRef-DOCUMENT", f"vkonnx-{version}", f"https://spdx.org/spdxdocs/vkonnx-{version}-{commit}",
        [Actor(ActorType.TOOL, "tools/release.sh of vkonnx")], made))

    def add(name, its_version, licence):
        identifier = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)
        expression = spdx_licensing.parse(licence)
        document.packages.append(Package(
            identifier, name, SpdxNoAssertion(), version=its_version, files_analyzed=False, license_concluded=expression,
            license_declared=expression, copyright_text=SpdxNoAssertion()))
        return identifier

    ours = add("vkonnx", f"{version}+{commit}", "Apache-2.0")
    document.relationships.append(Relationship("SPDXRef-DOCUMENT", RelationshipType.DESCRIBES, ours))
    for name, licence, package in INSIDE:
        inside = add(name, version_of(package) if package else f"of zig {zig_version}", licence)
        document.relationships.append(Relationship(ours, RelationshipType.CONTAINS, inside))
    for number, path in enumerate(sorted(paths)):
        with open(path, "rb") as file:
            data = file.read()
        sums = [Checksum(algorithm, hashlib.new(algorithm.name.lower(), data).hexdigest())
                for algorithm in (ChecksumAlgorithm.SHA1, ChecksumAlgorithm.SHA256)]
        identifier = f"SPDXRef-File-{number}"
        document.files.append(File(f"./{os.path.basename(path)}", identifier, sums, license_concluded=SpdxNoAssertion(),
                                   copyright_text=SpdxNoAssertion()))
        document.relationships.append(Relationship(identifier, RelationshipType.GENERATED_FROM, ours))
    wrong = validate_full_spdx_document(document)
    if wrong:
        sys.exit("sbom: " + "; ".join(message.validation_message for message in wrong))
    write_file(document, out, validate=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
