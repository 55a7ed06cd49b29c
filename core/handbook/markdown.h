#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// A heading of a Markdown page and the text below it, up to the next heading.
struct PageSection {
  std::string title;   // without markup
  std::string anchor;  // as GitHub forms it: "mask-buffers"
  int level = 0;       // 1 to 6
  std::string text;    // without markup, one line per block
};

// A Markdown page as HTML.
struct MarkdownPage {
  std::string html;  // the content of <body>; each heading has its anchor as id and name
  std::vector<PageSection> sections;  // in the order of the page
};

// Maps the target of a link or picture to its target in the HTML. Returns nullopt for a link that
// cannot be followed: only its text is written.
using LinkTarget = std::function<std::optional<std::string>(const std::string& target)>;

// Converts GitHub's Markdown with tables. Raw HTML in the page is written as text. Calls
// `linkTarget` for each link and picture, in the order of the page. A repeated anchor gets a
// number: "mask-buffers-1".
MarkdownPage readMarkdown(std::string_view markdown, const LinkTarget& linkTarget);

// Returns the text with the characters that HTML reserves replaced by entities.
std::string escapedHtml(std::string_view text);

}  // namespace shardlens
