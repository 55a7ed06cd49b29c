// Tests reading, searching and writing a small handbook.
#include "core/handbook/handbook.h"

#include "core/handbook/handbook_site.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

namespace shardlens {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Handbook : public testing::Test {
 protected:
  Handbook() {
    write("resources/handbook/index.md",
          "# Contents\n[Panels](panels.md) [Panels](panels.md#mesh) [Start](start.md) "
          "[out](../../README.md)\n");
    write("resources/handbook/start.md",
          "# Start\nOpen the Mesh.\n\n[code](../../app/run.py) [run](command:run) "
          "[one](gallery:01-one)\n");
    write("resources/handbook/panels.md",
          "# Panels\n![p](../pictures/p.png)\n## Mesh\nShows ranks.\n");
    write("resources/handbook/style.css", "body {}");
    write("resources/pictures/p.png", "PNG");
    write("app/run.py", "print()");
    write("README.md", "# Top\n[back](resources/handbook/panels.md#mesh) [far](core/far.md)\n");
    write("core/far.md", "# Far\n");
  }
  ~Handbook() override { fs::remove_all(root); }

  static fs::path makeFolder() {
    std::string name = (fs::temp_directory_path() / "handbook-test-XXXXXX").string();
    return ::mkdtemp(name.data()) == nullptr ? "" : name;
  }
  void write(const std::string& name, const std::string& text) {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  }
  std::string written(const std::string& name) {
    return readPage(root / "site" / name).value_or("");
  }

  fs::path root = makeFolder();
};

TEST_F(Handbook, PagesAreInTheOrderOfTheIndex) {
  std::vector<std::string> titles;
  const auto handbook = readHandbook(root);
  for (const auto& page : handbook.value()) titles.push_back(page.title);
  EXPECT_THAT(titles, ElementsAre("Contents", "Panels", "Start"));
}

TEST_F(Handbook, AMissingPageIsNamed) {
  fs::remove(root / "resources/handbook/start.md");
  EXPECT_THAT(readHandbook(root).error().message, HasSubstr("start.md: cannot be read"));
}

TEST_F(Handbook, ASearchFindsAllWordsAndHeadingsFirst) {
  const auto pages = readHandbook(root).value();
  const auto found = searchHandbook(pages, "mesh");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].section->title, "Mesh");
  EXPECT_EQ(found[1].page->title, "Start");
  EXPECT_EQ(found[1].line, "Open the Mesh.");
  EXPECT_EQ(searchHandbook(pages, " RANKS  mesh ").size(), 1U);
  EXPECT_THAT(searchHandbook(pages, "mesh nothing"), IsEmpty());
  EXPECT_THAT(searchHandbook(pages, "  "), IsEmpty());
}

TEST_F(Handbook, TheSiteHasPagesPicturesAndLinkedFiles) {
  const auto site = writeHandbookSite(root, root / "site", {{"01-one", "One & more"}});
  ASSERT_TRUE(site) << site.error().message;
  EXPECT_EQ(site->pages, 3);
  EXPECT_THAT(site->leftOut, IsEmpty());
  EXPECT_THAT(written("index.html"), HasSubstr("<a href=\"panels.html#mesh\">Panels</a>"));
  EXPECT_THAT(written("index.html"), HasSubstr("<a href=\"more/README.html\">out</a>"));
  EXPECT_THAT(written("start.html"), HasSubstr("<a href=\"more/app/run.py\">code</a> run "
                                               "<a href=\"gallery/01-one.html\">one</a>"));
  EXPECT_THAT(written("panels.html"), HasSubstr("<img src=\"pictures/p.png\" alt=\"p\">"));
  EXPECT_THAT(written("gallery/index.html"),
              HasSubstr("<a href=\"01-one.html\">One &amp; more</a>"));
  EXPECT_EQ(written("pictures/p.png"), "PNG");
  EXPECT_EQ(written("more/app/run.py"), "print()");
}

TEST_F(Handbook, LinkedPagesLinkBackButNotFurther) {
  ASSERT_TRUE(writeHandbookSite(root, root / "site", {}));
  EXPECT_THAT(written("more/README.html"),
              HasSubstr("<a href=\"../panels.html#mesh\">back</a> far"));
  EXPECT_THAT(written("more/README.html"), HasSubstr("href=\"../style.css\""));
  EXPECT_FALSE(fs::exists(root / "site/more/core/far.html"));
}

TEST_F(Handbook, WithoutAGalleryItsLinksAreText) {
  const auto site = writeHandbookSite(root, root / "site", {});
  EXPECT_THAT(site->leftOut, IsEmpty());
  EXPECT_THAT(written("start.html"), Not(HasSubstr("gallery")));
}

TEST_F(Handbook, LinksToMissingFilesAreReported) {
  fs::remove(root / "app/run.py");
  const auto site = writeHandbookSite(root, root / "site", {{"02-two", "Two"}});
  EXPECT_THAT(site->leftOut, ElementsAre("start.md: ../../app/run.py", "start.md: gallery:01-one"));
  EXPECT_THAT(written("start.html"), HasSubstr("code run one"));
}

}  // namespace
}  // namespace shardlens
