"""`shardlens handbook` writes pages whose links all lead to a file, and to an anchor of it."""
import html.parser
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import urllib.parse

PROGRAM = os.environ["SHARDLENS_PROGRAM"]
ROOT = pathlib.Path(__file__).absolute().parents[2]
GALLERY = ROOT / "resources" / "gallery"


class Links(html.parser.HTMLParser):
    """Collects the targets of links and pictures, and the anchors, of a page."""

    def __init__(self, page):
        super().__init__()
        self.targets, self.anchors = [], {""}
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src"):
                self.targets.append(value)
            elif name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)


def broken_links(site):
    """Returns "page: target" for each relative link of the site that leads nowhere."""
    pages = {page: Links(page) for page in site.rglob("*.html")}
    broken = []
    for page, links in pages.items():
        for target in links.targets:
            url = urllib.parse.urlsplit(target)
            if url.scheme:
                continue
            file = page if not url.path else (page.parent / url.path).resolve()
            known = pages[file].anchors if file in pages else {""}
            if not file.is_file() or site not in file.parents or url.fragment not in known:
                broken.append(f"{page.relative_to(site)}: {target}")
    return broken


def written(folder, *options):
    return subprocess.run([PROGRAM, "handbook", "--to", folder, *options], text=True, capture_output=True, check=False)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.site = pathlib.Path(folder.name).resolve() / "site"
        cls.done = written(cls.site, "--json")

    def test_everything_is_written(self):
        self.assertEqual((self.done.returncode, self.done.stderr), (0, ""))
        answer = json.loads(self.done.stdout)
        pages = {page.stem for page in (ROOT / "resources" / "handbook").glob("*.md")}
        exhibits = {entry.stem for entry in GALLERY.iterdir() if entry.is_dir() or entry.suffix == ".json"}
        self.assertEqual({page.stem for page in self.site.glob("*.html")}, pages)
        self.assertEqual({page.stem for page in (self.site / "gallery").iterdir()}, exhibits | {"index"})
        self.assertEqual((answer["pages"], answer["gallery_pages"]), (len(pages), len(exhibits)))

    def test_every_link_leads_somewhere(self):
        self.assertEqual(broken_links(self.site), [])
        targets = [target for page in self.site.glob("*.html") for target in Links(page).targets]
        self.assertIn("pictures/panel-shards.png", targets)
        self.assertTrue(any(target.startswith("gallery/") for target in Links(self.site / "concepts.html").targets))

    def test_a_broken_link_is_found(self):
        page = self.site / "broken.html"
        page.write_text('<a href="none.html">a</a> <a href="index.html#none">b</a> <a href="#x">c</a> <a id="x"></a>')
        self.addCleanup(page.unlink)
        self.assertEqual(broken_links(self.site), ["broken.html: none.html", "broken.html: index.html#none"])

    def test_nothing_is_loaded_from_elsewhere(self):
        for page in self.site.rglob("*.html"):
            self.assertNotIn('src="http', page.read_text(encoding="utf-8"), page)


class Command(unittest.TestCase):
    def test_without_the_gallery(self):
        with tempfile.TemporaryDirectory() as folder:
            site = pathlib.Path(folder).resolve()
            done = written(site, "--without-gallery")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"index\.html: \d+ pages, 0 gallery pages\n$")
            self.assertEqual(broken_links(site), [])
            self.assertFalse((site / "gallery" / "index.html").exists())

    def test_a_file_in_place_of_the_folder(self):
        with tempfile.NamedTemporaryFile() as file:
            done = written(file.name, "--without-gallery")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"--to: cannot create {file.name}", done.stderr)


if __name__ == "__main__":
    unittest.main()
