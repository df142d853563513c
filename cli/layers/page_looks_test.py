#!/usr/bin/env python3
"""The page of `tally report` in headless Chromium: page_looks_test.py TALLY MODEL CALIBRATION. Where there is no Chromium, it says so.

Nothing scrolls sideways, no box overlaps another, and no text leaves its box, in windows of 1,000 and 1,400 pixels; the picture of the
network uses its frame. Screenshots are kept among the outputs of the test.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TALLY, MODEL, CALIBRATION = map(os.path.abspath, sys.argv[1:4])
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

# Measurements happen in the page, which by itself allows no script.
LOOK = """
const out = {width: innerWidth, scroll: document.documentElement.scrollWidth};
const box = e => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
const within = (a, b) => a[0] >= b[0] - 1 && a[2] <= b[2] + 1;
const meet = (a, b) => a[0] < b[2] - 1 && b[0] < a[2] - 1 && a[1] < b[3] - 1 && b[1] < a[3] - 1;
const overlaps = list => { let n = 0; list.forEach((a, i) => list.slice(i + 1).forEach(b => { if (meet(a, b)) n++; })); return n; };
const layers = [...document.querySelectorAll('.picture a')];
const rects = layers.map(a => box(a.querySelector('rect')));
out.layers = layers.length;
out.overlapping_layers = overlaps(rects);
out.text_outside = layers.filter((a, i) => [...a.querySelectorAll('text')].some(t => !within(box(t), rects[i]))).length;
const cards = [...document.querySelectorAll('.card')];
out.cards = cards.length;
out.overlapping_cards = overlaps(cards.map(box));
out.card_outside = cards.filter(c => c.scrollWidth > c.clientWidth || [...c.querySelectorAll('*')].some(e => !within(box(e), box(c)))).length;
const frame = box(document.querySelector('.picture')), drawn = box(document.querySelector('.picture svg'));
out.filled = (Math.min(drawn[2], frame[2]) - Math.max(drawn[0], frame[0])) / (frame[2] - frame[0]);
document.title = 'LOOKED' + JSON.stringify(out) + 'LOOKED';
"""


def tally(*arguments):
    subprocess.run([TALLY, *map(str, arguments)], check=True, capture_output=True)


@unittest.skipUnless(CHROMIUM, "skipped: there is no Chromium here (./dev setup browser)")
class PageLooks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        grid = ["--input-grid", "1/255,0,0,255"]
        tally("quantize", MODEL, "--calibrate", CALIBRATION, *grid, "-o", cls.folder / "m.tally", "--save-calibration",
              cls.folder / "c.json")
        tally("report", MODEL, cls.folder / "m.tally", "--samples", CALIBRATION, "--calibration", cls.folder / "c.json", *grid,
              "--html", cls.folder / "page.html")
        page = (cls.folder / "page.html").read_text()
        open_page = re.sub(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "", page)
        assert open_page != page
        (cls.folder / "open.html").write_text(open_page.replace("</body>", f"<script>{LOOK}</script></body>"))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def chromium(self, width, *arguments):
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                   f"--user-data-dir={self.folder}/profile", f"--window-size={width},2000", *arguments,
                   (self.folder / "open.html").as_uri()]
        environment = os.environ | {"HOME": str(self.folder), "XDG_RUNTIME_DIR": str(self.folder)}
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120, env=environment).stdout

    def look(self, width):
        out = pathlib.Path(os.environ.get("TEST_UNDECLARED_OUTPUTS_DIR", self.folder))
        self.chromium(width, f"--screenshot={out / f'report_{width}.png'}")
        self.assertGreater((out / f"report_{width}.png").stat().st_size, 10_000)
        return json.loads(self.chromium(width, "--dump-dom").split("LOOKED")[1].replace("&quot;", '"'))

    def test_nothing_overlaps_or_leaves_its_place(self):
        for width in (1000, 1400):
            with self.subTest(width=width):
                seen = self.look(width)
                self.assertLessEqual(seen["scroll"], seen["width"], seen)
                self.assertGreater(seen["layers"], 30)
                self.assertEqual(seen["cards"], 3)
                for fault in ("overlapping_layers", "text_outside", "overlapping_cards", "card_outside"):
                    self.assertEqual(seen[fault], 0, (fault, seen))
                self.assertGreater(seen["filled"], 0.8, seen)

    def test_netron_gets_the_layers(self):
        text = (self.folder / "page.html.netron.json").read_text()
        self.assertRegex(text[:64], r'^{\s*"signature":\s*"netron:tally"')
        module, = json.loads(text)["modules"]
        self.assertEqual(len(module["inputs"]), 1)
        self.assertEqual(len(module["outputs"]), 1)
        for node in module["nodes"]:
            for argument in node["inputs"] + node["outputs"]:
                self.assertLess(argument["value"][0], len(module["values"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
