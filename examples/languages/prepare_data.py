#!/usr/bin/python3
"""Writes data/*.npy from Debian's translated manual pages.

    ./dev setup train                        # the packages manpages-* among others
    /usr/bin/python3 prepare_data.py         # write the files
    /usr/bin/python3 prepare_data.py --check # compare with the files that are there; exit 1 if any differs

    calibration.npy       uint8 [240, 64]   bytes of UTF-8, 12 windows of each language
    held_out_bytes.npy    uint8 [900, 64]   45 windows of each language, of pages that training does not see
    held_out_labels.npy   uint8 [900]       the language: its place in LANGUAGES

A window begins with a word and may end inside of a character. Pages are split by name, so that all translations of a page are on one
side. Paragraphs that stand in pages of two languages are left out: they are not translated.
"""

import collections
import hashlib
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import data_files  # noqa: E402
from manual_pages import files_of, pages, paragraphs  # noqa: E402

MANUALS = pathlib.Path("/usr/share/man")
LANGUAGES = "en cs da de es fi fr hu it mk nb nl pl pt_BR ro ru sr sv uk vi".split()
WINDOW = 64
HELD_OUT_EVERY = 5
HELD_OUT_WINDOWS = 45
CALIBRATION_WINDOWS = 12
SEED = 1


def is_held_out(page):
    """By the name of the page, which is the same in all languages."""
    return hashlib.sha256(page.name.split(".")[0].encode()).digest()[0] % HELD_OUT_EVERY == 0


def owner_packages():
    return ["manpages", "manpages-dev"] + [
        "manpages-" + language.lower().replace("_", "-") for language in LANGUAGES if language != "en"
    ]


def read():
    """{language: {page: paragraphs}} of paragraphs that stand in one language alone."""
    known = set().union(*(files_of(package) for package in owner_packages()))
    found, languages = {}, collections.defaultdict(set)
    for language in LANGUAGES:
        folder = MANUALS if language == "en" else MANUALS / language
        found[language] = {page: paragraphs(page) for page in pages(folder) if page in known}
        for page in found[language].values():
            for paragraph in page:
                languages[paragraph].add(language)
    return {
        language: {page: [p for p in ps if len(languages[p]) == 1] for page, ps in by_page.items()}
        for language, by_page in found.items()
    }


def windows(by_page, held_out):
    """All windows of one side that begin with a word, no two of which overlap: uint8 [N, 64]."""
    cut = []
    for page, texts in by_page.items():
        if is_held_out(page) != held_out:
            continue
        for text in texts:
            data = text.encode()
            start = 0
            while start + WINDOW <= len(data):
                cut.append(np.frombuffer(data[start : start + WINDOW], np.uint8))
                space = data.find(b" ", start + WINDOW)
                start = space + 1 if space >= 0 else len(data)
    return np.stack(cut)


def training_windows():
    """One array for each language."""
    return [windows(by_page, held_out=False) for by_page in read().values()]


def drawn(by_language, count):
    """`count` of each language, language by language in turns; (windows, languages)."""
    random = np.random.RandomState(SEED)
    chosen = np.stack([all_of[random.permutation(len(all_of))[:count]] for all_of in by_language], 1)
    return chosen.reshape(-1, WINDOW), np.tile(np.arange(len(by_language), dtype=np.uint8), count)


def build():
    text = read()
    calibration, _ = drawn([windows(by_page, False) for by_page in text.values()], CALIBRATION_WINDOWS)
    held_out, labels = drawn([windows(by_page, True) for by_page in text.values()], HELD_OUT_WINDOWS)
    return {"calibration": calibration, "held_out_bytes": held_out, "held_out_labels": labels}


if __name__ == "__main__":
    data_files.write_or_check(HERE / "data", build())
