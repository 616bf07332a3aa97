#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a site of the documentation in build/docs/site, and fails where a page links to something that is not there.
#
#   bash tools/docs.sh
#
# Exit codes: 0; 1 something is wrong with the pages; 3 MkDocs can't be installed.
#
# It takes python3 with venv, and PyPI for MkDocs and its theme Material, which go into build/docs/venv. Without that theme MkDocs'
# own is used.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=build/docs
log=$folder/pip.log
mkdir -p "$folder"
[ -x "$folder/venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$folder/venv"
pip=("$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 2)
if ! "${pip[@]}" mkdocs==1.6.1 >"$log" 2>&1; then
    echo "docs: pip can't install mkdocs: $(tail -n 1 "$log")" >&2
    exit 3
fi
theme=()
if ! "${pip[@]}" mkdocs-material==9.8.2 >"$log" 2>&1; then
    "${pip[@]}" pymdown-extensions >"$log" 2>&1
    theme=(--theme mkdocs)
    echo "docs: there is no mkdocs-material ($(tail -n 1 "$log")); the site has the theme of MkDocs"
fi

# Pages lie in several folders of the tree, and in one of the site. Links between them follow; a source that a page links to is copied
# beside the pages; a link to a folder becomes its name.
rm -rf "$folder/pages" "$folder/site"
"$folder/venv/bin/python" - "$folder/pages" <<'END'
import os
import pathlib
import re
import shutil
import sys

pages = pathlib.Path(sys.argv[1])
pages.mkdir(parents=True)
names = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changes.md",
         "tools/python/README.md": "python_package.md", "tools/npm/README.md": "node_package.md"}
names.update((str(path), path.name.lower()) for path in pathlib.Path("docs").glob("*.md"))


def rewritten(source):
    def link(match):
        text, target = match[1], match[2]
        path, hash_sign, anchor = target.partition("#")
        if "://" in target or not path:
            return match[0]
        path = os.path.normpath(os.path.join(os.path.dirname(source), path))
        if path in names:
            return f"[{text}]({names[path]}{hash_sign}{anchor})"
        if os.path.isdir(path):
            return text
        if not os.path.isfile(path):
            return match[0]  # which MkDocs refuses
        copy = pages / "source" / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
        return f"[{text}](source/{path})"

    lines = []
    in_code = False
    for line in pathlib.Path(source).read_text(encoding="utf-8").splitlines():
        in_code ^= line.lstrip().startswith("```")
        lines.append(line if in_code else re.sub(r"\[([^]]*)\]\(([^) ]*)\)", link, line))
    return "\n".join(lines) + "\n"


for source, name in names.items():
    (pages / name).write_text(rewritten(source), encoding="utf-8")
END

# The command does not get --quiet, which would keep --strict from seeing warnings. The variable leaves out what the theme prints about
# coming releases of MkDocs.
log=$folder/mkdocs.log
if ! NO_MKDOCS_2_WARNING=1 "$folder/venv/bin/mkdocs" build --strict "${theme[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
echo "docs: $folder/site/index.html"
