#pragma once

#include "core/base/result.h"
#include "core/handbook/markdown.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// The folder of the handbook's pages, relative to the root of a checkout. An installation has a
// copy of the pages, and of the files that they link to, in the same relative places.
inline constexpr std::string_view kHandbookFolder = "resources/handbook";

// A page of the handbook.
struct HandbookPage {
  std::string name;   // of its file, without the extension: "window"
  std::string title;  // its first heading; the name if it has none
  std::vector<PageSection> sections;
};

// Returns the pages, index first and the remaining ones in the order of its links. Returns an error
// if the root has no handbook or a page cannot be read.
Result<std::vector<HandbookPage>> readHandbook(const std::filesystem::path& root);

// A section that contains all words of a query.
struct HandbookMatch {
  const HandbookPage* page;
  const PageSection* section;
  std::string line;  // the first line of the section with one of the words; may be empty
};

// Returns the sections with all words of the query, ignoring case: those with a word in the heading
// first. Returns nothing for a query without words. The result refers to `pages`.
std::vector<HandbookMatch> searchHandbook(const std::vector<HandbookPage>& pages,
                                          std::string_view query);

// Returns the content of a file of the handbook. Returns an error that names the file if it cannot
// be read.
Result<std::string> readPage(const std::filesystem::path& file);

// Returns the scheme of a link ("https", "command", "gallery"), or nullopt if it is a path.
std::optional<std::string_view> schemeOf(std::string_view target);

}  // namespace shardlens
