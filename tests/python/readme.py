"""Runs the first example in Python of README.md and of docs/python.md as it stands there, beside a file of the name that it reads,
and looks at what it prints."""

import contextlib
import io
import os
import pathlib
import re
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
model = pathlib.Path(sys.argv[1]).read_bytes()  # antialias_half.onnx
for page in ("README.md", "docs/python.md"):
    code = re.search(r"```python\n(.*?)```", (root / page).read_text(), re.S)[1]
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
        os.chdir(folder)
        pathlib.Path("half.onnx").write_bytes(model)
        exec(compile(code, page, "exec"), {})
        os.chdir("/")
    print(printed.getvalue(), end="")
    comments = re.findall(r"print\(.*?\) *# (.*)", code)
    lines = printed.getvalue().splitlines()
    assert comments != [], f"{page} has no print with what it prints"
    assert [comment for comment in comments if comment not in lines] == [], f"{page}: expected {comments}, printed {lines}"
