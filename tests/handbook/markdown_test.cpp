// Tests the conversion of Markdown to HTML.
#include "core/handbook/markdown.h"

#include <gmock/gmock.h>

namespace shardlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::optional<std::string> same(const std::string& target) { return target; }

std::string htmlOf(std::string_view markdown) { return readMarkdown(markdown, same).html; }

TEST(Markdown, HeadingsHaveTheAnchorsOfGitHub) {
  const auto page =
      readMarkdown("# The window\n## Run & `--check` (again)\n## Twice\n### Twice\n", same);
  std::vector<std::string> anchors;
  for (const auto& section : page.sections) anchors.push_back(section.anchor);
  EXPECT_THAT(anchors, ElementsAre("the-window", "run----check-again", "twice", "twice-1"));
  EXPECT_EQ(page.sections[1].title, "Run & --check (again)");
  EXPECT_EQ(page.sections[3].level, 3);
  EXPECT_THAT(page.html,
              HasSubstr("<h1 id=\"the-window\"><a name=\"the-window\"></a>The window</h1>"));
  EXPECT_THAT(page.html, HasSubstr("Run &amp; <code>--check</code> (again)"));
}

TEST(Markdown, SectionsHaveTheTextWithoutMarkup) {
  const auto page = readMarkdown(
      "before\n\n# One\nSome *text* with\na [link](x.md).\n\n- first\n- second\n\n# Two\n| a | b "
      "|\n|---|---|\n"
      "| c | d |\n",
      same);
  ASSERT_EQ(page.sections.size(), 2U);
  EXPECT_EQ(page.sections[0].text, "Some text with\na link.\nfirst\nsecond\n");
  EXPECT_THAT(page.sections[1].text, HasSubstr("c\nd\n"));
}

TEST(Markdown, LinksAndPicturesAreMapped) {
  const auto page =
      readMarkdown("[a](b.md#c) [*gone*](none.md) ![*alt* text](p.png \"title\") ![x](none.md)",
                   [](const std::string& target) -> std::optional<std::string> {
                     if (target == "none.md") return std::nullopt;
                     return "to/" + target;
                   });
  EXPECT_EQ(page.html,
            "<p><a href=\"to/b.md#c\">a</a> <em>gone</em> <img src=\"to/p.png\" alt=\"alt text\"> "
            "x</p>\n");
}

TEST(Markdown, ReservedCharactersAndHtmlAreText) {
  EXPECT_EQ(htmlOf("a < b & <b>c</b> &copy;"),
            "<p>a &lt; b &amp; &lt;b&gt;c&lt;/b&gt; &copy;</p>\n");
  EXPECT_EQ(htmlOf("[a](x\"y)"), "<p><a href=\"x&quot;y\">a</a></p>\n");
}

TEST(Markdown, BlocksHaveTheirTags) {
  EXPECT_EQ(htmlOf("```sh not-run: needs a GPU\na && b\n```\n"),
            "<pre><code class=\"language-sh\">a &amp;&amp; b\n</code></pre>\n");
  EXPECT_THAT(htmlOf("3. three\n4. four\n"), HasSubstr("<ol start=\"3\">"));
  EXPECT_THAT(htmlOf("| a |\n|---|\n| `b` |\n"), HasSubstr("<th>a</th>"));
  EXPECT_THAT(htmlOf("| a |\n|---|\n| `b` |\n"), HasSubstr("<td><code>b</code></td>"));
}

}  // namespace
}  // namespace shardlens
