"""Runs the README's example in Python as it stands there, beside a file of the name that it reads, and looks at what it prints."""

import contextlib
import io
import os
import pathlib
import re
import sys
import tempfile

readme = (pathlib.Path(__file__).parents[2] / "README.md").read_text()
code = re.search(r"```python\n(.*?)```", readme, re.S)[1]
model = pathlib.Path(sys.argv[1]).read_bytes()  # antialias_half.onnx
with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
    os.chdir(folder)
    pathlib.Path("half.onnx").write_bytes(model)
    exec(compile(code, "README.md", "exec"), {})
    os.chdir("/")
print(printed.getvalue(), end="")
comments = re.findall(r"print\(.*?\) *# (.*)", code)
lines = printed.getvalue().splitlines()
assert [comment for comment in comments if comment not in lines] == [], f"expected {comments}, printed {lines}"
