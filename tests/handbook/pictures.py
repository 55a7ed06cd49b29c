#!/usr/bin/env python3
"""Draws the pictures of the handbook and of the welcome page with the built window.

    pictures.py [--write]

A picture shows a recording after the last event that a query finds. The recording is that of a gallery entry, of a JSON
block or of a Python block of a page, or a generated run of 64 ranks with a fault. Runs need shardlens-window-bench (the
target benches); if it is not built, their pictures are not drawn. Without --write, checks that each picture can be
drawn, has the size of the one in resources/pictures, and that this is small; exit status 1.
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

from blocks import blocks_of

ROOT = pathlib.Path(__file__).absolute().parents[2]
BIN = pathlib.Path(os.environ.get("SHARDLENS_BUILD", ROOT / "build")) / "bin"
BENCH = BIN / "shardlens-window-bench"
PYTHON = os.environ.get("SHARDLENS_PYTHON", sys.executable)
PICTURES = ROOT / "resources" / "pictures"
GALLERY = ROOT / "resources" / "gallery"
HANDBOOK = ROOT / "resources" / "handbook"
MOST_BYTES = 150_000

# name: (gallery entry, page:file or run:fault, query, panel or "" for the window, size of the panel or window)
DRAWN = {
    "concepts-placements": ("concepts:placements.json", "kind:result step:2", "shards", "563x561"),
    "concepts-masks": ("05-pending-lookups-and-their-masks", "kind:result step:10", "buffers", "563x295"),
    "concepts-why": ("02-row-wise-on-2x2", "kind:result step:4", "why", "372x416"),
    "tutorial-gradient": ("tutorial_wrong_gradient:gradient.py", "kind:result placement:P(sum) line:11", "", "1200x740"),
    "tutorial-embedding": ("tutorial_embedding:lesson.json", "kind:result step:3", "shards", "563x561"),
    "panel-shards": ("01-vocabulary-parallel-embedding", "kind:result step:3", "shards", "563x561"),
    "panel-events": ("02-row-wise-on-2x2", "kind:result step:4", "events", "333x616"),
    "panel-caches": ("05-pending-lookups-and-their-masks", "kind:result step:10", "caches", "563x295"),
    "panel-inspector": ("04-tensor-parallel-training", "kind:result step:10", "inspector", "563x295"),
    "panel-tensors": ("01-vocabulary-parallel-embedding", "kind:result step:3", "tensors", "563x416"),
    "panel-timeline": ("04-tensor-parallel-training", "kind:collective step:10", "timeline", "563x295"),
    "panel-timeline-divergence": ("run:divergence", "diverged", "timeline", "563x345"),
    "panel-mesh": ("02-row-wise-on-2x2", "kind:collective step:4", "mesh", "372x440"),
    "panel-problems": ("18-a-deadlock", "kind:collective", "problems", "372x393"),
    "window-compare": ("02-row-wise-on-2x2", "kind:result step:4", "", "1200x800"),
}
# name: the gallery entry that the window compares with
COMPARED = {"window-compare": "01-vocabulary-parallel-embedding"}
# number of a gallery entry: (query, panel) of its picture on the welcome page, light and dark
THUMBNAILS = {
    "01": ("kind:result step:3", "shards"),
    "02": ("kind:result step:3", "shards"),
    "03": ("kind:collective step:2", "mesh"),
    "04": ("kind:collective step:10", "timeline"),
    "05": ("kind:result step:10", "buffers"),
    "06": ("kind:error", "buffers"),
    "07": ("kind:result step:3", "shards"),
    "08": ("kind:error", "caches"),
    "09": ("kind:result step:4", "shards"),
    "10": ("kind:result step:2", "shards"),
    "11": ("kind:result step:1", "shards"),
    "12": ("kind:result step:2", "shards"),
    "13": ("kind:collective step:2", "mesh"),
    "14": ("kind:result step:1", "shards"),
    "15": ("kind:result step:16", "shards"),
    "16": ("kind:result", "caches"),
    "17": ("kind:collective", "timeline"),
    "18": ("kind:collective", "mesh"),
}
THUMBNAIL_SIZE = "360x240"


def run(*words, **options):
    """Returns the standard output of a program. Exits with its messages if it fails with 2, or by a signal."""
    done = subprocess.run([str(word) for word in words], text=True, capture_output=True, check=False, **options)
    if done.returncode not in (0, 1):
        sys.exit(f"{words[0]}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def recording_of(source, folder):
    """Returns the path of the source's recording, which is made in the folder unless it is there."""
    page, _, file = source.partition(":")
    if not file and (GALLERY / source).is_dir():
        return GALLERY / source
    recording = folder / f"{source.replace(':', '-')}.shardlens"
    if recording.exists():
        return recording
    if page == "run":
        run(BENCH, "--ranks", "64", "--events", "20000", "--fault", file, "--write", recording)
        return recording
    if not file:
        run(BIN / "shardlens", "run", "--record", recording, GALLERY / f"{source}.json")
        return recording
    (block,) = [each for each in blocks_of((HANDBOOK / f"{page}.md").read_text(encoding="utf-8")) if each.file == file]
    (folder / file).write_text(block.text, encoding="utf-8")
    if block.language == "json":
        run(BIN / "shardlens", "run", "--record", recording, folder / file)
        return recording
    run(PYTHON, file, cwd=folder, env={**os.environ, "PYTHONPATH": str(BIN.parent / "python"), "OMP_NUM_THREADS": "1"})
    (made,) = folder.glob("wrong.shardlens")
    return made.rename(recording)


def draw(name, folder):
    """Draws the picture in the folder and returns its path."""
    source, query, panel, size = DRAWN[name]
    recording = recording_of(source, folder)
    found = run(BIN / "shardlens", "query", "--json", query, recording).splitlines()
    if not found:
        sys.exit(f"{name}: no event for {query}")
    picture = folder / f"{name}.png"
    run(BIN / "shardlens-gui", recording, "--event", json.loads(found[-1])["id"], "--size", size, "--screenshot", picture,
        *(["--panel", panel] if panel else []),
        *(["--compare", recording_of(COMPARED[name], folder)] if name in COMPARED else []))
    return picture


def draw_thumbnails(number, folder):
    """Draws the pictures of a gallery entry in the folder and returns their paths."""
    query, panel = THUMBNAILS[number]
    (entry,) = GALLERY.glob(f"{number}-*")
    recording = recording_of(entry.stem, folder)
    event = json.loads(run(BIN / "shardlens", "query", "--json", query, recording).splitlines()[-1])["id"]
    pictures = []
    for name, dark in ((f"{number}.png", []), (f"{number}-dark.png", ["--dark"])):
        pictures.append(folder / name)
        run(BIN / "shardlens-gui", recording, "--event", event, "--panel", panel, "--size", THUMBNAIL_SIZE,
            "--screenshot", pictures[-1], *dark)
    return pictures


def size_of(picture):
    """Returns (width, height) of a PNG file."""
    return struct.unpack(">II", picture.read_bytes()[16:24])


def main():
    if sys.argv[1:] not in ([], ["--write"]):
        sys.exit(__doc__)
    wrong = []
    with tempfile.TemporaryDirectory() as scratch:
        drawn = [(draw(name, pathlib.Path(scratch)), PICTURES / f"{name}.png") for name, (source, *_) in DRAWN.items()
                 if BENCH.exists() or not source.startswith("run:")]
        for number in THUMBNAILS:
            drawn += [(made, PICTURES / "gallery" / made.name)
                      for made in draw_thumbnails(number, pathlib.Path(scratch))]
        for made, kept in drawn:
            if sys.argv[1:]:
                kept.write_bytes(made.read_bytes())
            if not kept.exists() or size_of(made) != size_of(kept):
                wrong.append(f"{kept}: expected a picture of {size_of(made)}; pictures.py --write draws it")
            elif kept.stat().st_size > MOST_BYTES:
                wrong.append(f"{kept}: {kept.stat().st_size} bytes, expected at most {MOST_BYTES}")
    pages = "".join(page.read_text(encoding="utf-8") for page in HANDBOOK.glob("*.md"))
    wrong += [f"{name}.png: expected a page that shows it" for name in DRAWN if f"pictures/{name}.png" not in pages]
    wrong += [f"{entry.name}: expected an entry of THUMBNAILS" for entry in GALLERY.iterdir()
              if entry.name[:2] not in THUMBNAILS]
    print("\n".join(wrong) if wrong else f"{len(drawn)} pictures are drawn")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
