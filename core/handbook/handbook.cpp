#include "core/handbook/handbook.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <sstream>

namespace shardlens {
namespace fs = std::filesystem;
namespace {

std::string lowered(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return lower;
}

std::vector<std::string> wordsOf(std::string_view query) {
  std::istringstream stream(lowered(query));
  return {std::istream_iterator<std::string>(stream), {}};
}

bool contains(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

// Returns the names of the pages that the index links to, without repetitions.
std::vector<std::string> pagesOf(std::string_view index) {
  std::vector<std::string> names;
  readMarkdown(index, [&](const std::string& target) {
    const fs::path path(target.substr(0, target.find('#')));
    const auto name = path.stem().string();
    const bool isPage = !schemeOf(target) && path.extension() == ".md" && !path.has_parent_path();
    if (isPage && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
    return target;
  });
  return names;
}

std::string firstLineWith(const std::vector<std::string>& words, const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto lower = lowered(line);
    for (const auto& word : words) {
      if (contains(lower, word)) return line;
    }
  }
  return {};
}

}  // namespace

Result<std::string> readPage(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) return fail(file.string() + ": cannot be read");
  return text;
}

std::optional<std::string_view> schemeOf(std::string_view target) {
  const auto colon = target.find(':');
  if (colon == std::string_view::npos || target.find('/') < colon || target.find('#') < colon) {
    return std::nullopt;
  }
  return target.substr(0, colon);
}

Result<std::vector<HandbookPage>> readHandbook(const fs::path& root) {
  const fs::path folder = root / kHandbookFolder;
  std::vector<HandbookPage> pages;
  std::vector<std::string> names = {"index"};
  for (std::size_t at = 0; at < names.size(); ++at) {
    const auto markdown = readPage(folder / (names[at] + ".md"));
    if (!markdown) return tl::unexpected(markdown.error());
    if (at == 0) {
      const auto linked = pagesOf(*markdown);
      names.insert(names.end(), linked.begin(), linked.end());
    }
    auto page = readMarkdown(*markdown, [](const std::string& target) { return target; });
    const auto title = page.sections.empty() ? names[at] : page.sections.front().title;
    pages.push_back({names[at], title, std::move(page.sections)});
  }
  return pages;
}

std::vector<HandbookMatch> searchHandbook(const std::vector<HandbookPage>& pages,
                                          std::string_view query) {
  const auto words = wordsOf(query);
  std::vector<HandbookMatch> matches;
  if (words.empty()) return matches;
  for (const auto& page : pages) {
    for (const auto& section : page.sections) {
      const auto all = lowered(section.title + "\n" + section.text);
      if (std::all_of(words.begin(), words.end(),
                      [&](const std::string& word) { return contains(all, word); })) {
        matches.push_back({&page, &section, firstLineWith(words, section.text)});
      }
    }
  }
  std::stable_partition(matches.begin(), matches.end(), [&](const HandbookMatch& match) {
    const auto title = lowered(match.section->title);
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return contains(title, word); });
  });
  return matches;
}

}  // namespace shardlens
