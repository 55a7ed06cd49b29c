#include "core/handbook/handbook_site.h"

#include "core/handbook/handbook.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <system_error>

namespace shardlens {
namespace fs = std::filesystem;
namespace {

// Writes the pages and remembers which files they link to. All paths are relative to the root of
// the handbook or to the site.
class SiteWriter {
 public:
  SiteWriter(fs::path root, fs::path to, const std::vector<GalleryPage>& gallery)
      : root_(std::move(root)), to_(std::move(to)), gallery_(gallery) {}

  Result<HandbookSite> write() {
    const auto pages = readHandbook(root_);
    if (!pages) return tl::unexpected(pages.error());
    pages_ = *pages;
    for (const auto& page : pages_) {
      const auto source = fs::path(kHandbookFolder) / (page.name + ".md");
      if (auto written = writePage(source, page.name + ".html", page.title); !written) {
        return tl::unexpected(written.error());
      }
    }
    areExtrasClosed_ = true;
    for (const auto& [source, target] : extras_) {
      auto written = source.extension() == ".md"
                         ? writePage(source, target, source.filename().string())
                         : copy(source, target);
      if (!written) return tl::unexpected(written.error());
    }
    if (auto copied = copy(fs::path(kHandbookFolder) / "style.css", "style.css"); !copied) {
      return tl::unexpected(copied.error());
    }
    if (auto written = writeGalleryIndex(); !written) return tl::unexpected(written.error());
    return HandbookSite{static_cast<int>(pages_.size()), leftOut_};
  }

 private:
  Result<void> writePage(const fs::path& source, const fs::path& target, const std::string& title) {
    const auto markdown = readPage(root_ / source);
    if (!markdown) return tl::unexpected(markdown.error());
    const auto page = readMarkdown(
        *markdown, [&](const std::string& link) { return mapped(link, source, target); });
    return writeHtml(target, title, page.html);
  }

  // Maps a link of the page `source`, which is written to `target`. A file outside the handbook is
  // noted in extras_, if a page of the handbook links to it.
  std::optional<std::string> mapped(const std::string& link, const fs::path& source,
                                    const fs::path& target) {
    if (const auto scheme = schemeOf(link)) return mappedScheme(*scheme, link, source, target);
    const auto hash = std::min(link.find('#'), link.size());
    const std::string anchor = link.substr(hash);
    if (hash == 0) return anchor;
    const auto file = (source.parent_path() / link.substr(0, hash)).lexically_normal();
    const auto to = targetOf(file);
    if (!to) {
      if (!areExtrasClosed_) leftOut_.push_back(source.filename().string() + ": " + link);
      return std::nullopt;
    }
    return to->lexically_relative(target.parent_path()).generic_string() + anchor;
  }

  std::optional<std::string> mappedScheme(std::string_view scheme, const std::string& link,
                                          const fs::path& source, const fs::path& target) {
    if (scheme == "command") return std::nullopt;
    if (scheme != "gallery") return link;
    const std::string name = link.substr(scheme.size() + 1);
    const bool isWritten = std::any_of(gallery_.begin(), gallery_.end(),
                                       [&](const GalleryPage& page) { return page.name == name; });
    if (!isWritten) {
      if (!gallery_.empty()) leftOut_.push_back(source.filename().string() + ": " + link);
      return std::nullopt;
    }
    const auto page = fs::path("gallery") / (name + ".html");
    return page.lexically_relative(target.parent_path()).generic_string();
  }

  // Returns where the file is written in the site, or nullopt if it is not part of the site.
  std::optional<fs::path> targetOf(const fs::path& file) {
    if (file.parent_path() == fs::path(kHandbookFolder) && file.extension() == ".md") {
      const auto name = file.stem().string();
      const bool isPage = std::any_of(pages_.begin(), pages_.end(),
                                      [&](const HandbookPage& page) { return page.name == name; });
      return isPage ? std::optional<fs::path>(name + ".html") : std::nullopt;
    }
    if (const auto found = extras_.find(file); found != extras_.end()) return found->second;
    std::error_code failed;
    const bool isInside = !file.empty() && *file.begin() != "..";
    if (areExtrasClosed_ || !isInside || !fs::is_regular_file(root_ / file, failed)) {
      return std::nullopt;
    }
    fs::path target = file.parent_path() == fs::path("resources/pictures")
                          ? "pictures" / file.filename()
                          : "more" / file;
    if (target.extension() == ".md") target.replace_extension(".html");
    return extras_.emplace(file, target).first->second;
  }

  Result<void> writeHtml(const fs::path& target, const std::string& title,
                         const std::string& content) {
    const auto depth = std::distance(target.begin(), target.end()) - 1;
    std::string up;
    for (auto level = depth; level > 0; --level) up += "../";
    std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    html += "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
            escapedHtml(title) + " - Shardlens</title>\n<link rel=\"stylesheet\" href=\"" + up +
            "style.css\">\n";
    html += "</head>\n<body>\n<nav>\n";
    for (const auto& page : pages_) {
      const bool isThis = target == fs::path(page.name + ".html");
      html += "<a href=\"" + up + page.name + ".html\"" + (isThis ? " aria-current=\"page\"" : "") +
              ">" + escapedHtml(page.title) + "</a>\n";
    }
    if (!gallery_.empty()) html += "<a href=\"" + up + "gallery/index.html\">Gallery</a>\n";
    html += "</nav>\n<main>\n" + content + "</main>\n</body>\n</html>\n";
    return writeFile(target, html);
  }

  Result<void> writeGalleryIndex() {
    if (gallery_.empty()) return {};
    std::string content =
        "<h1>Gallery</h1>\n<p>Each page steps through the recording of a scenario.</p>\n<ul>\n";
    for (const auto& page : gallery_) {
      content +=
          "<li><a href=\"" + page.name + ".html\">" + escapedHtml(page.title) + "</a></li>\n";
    }
    return writeHtml("gallery/index.html", "Gallery", content + "</ul>\n");
  }

  Result<void> writeFile(const fs::path& target, const std::string& text) {
    std::error_code failed;
    fs::create_directories((to_ / target).parent_path(), failed);
    std::ofstream out(to_ / target, std::ios::binary);
    out << text;
    out.close();
    if (!out) return fail((to_ / target).string() + ": cannot be written");
    return {};
  }

  Result<void> copy(const fs::path& source, const fs::path& target) {
    const auto text = readPage(root_ / source);
    if (!text) return tl::unexpected(text.error());
    return writeFile(target, *text);
  }

  fs::path root_;
  fs::path to_;
  const std::vector<GalleryPage>& gallery_;
  std::vector<HandbookPage> pages_;
  std::map<fs::path, fs::path> extras_;  // files outside the handbook: their targets
  bool areExtrasClosed_ = false;         // true while the extras themselves are written
  std::vector<std::string> leftOut_;
};

}  // namespace

Result<HandbookSite> writeHandbookSite(const fs::path& root, const fs::path& to,
                                       const std::vector<GalleryPage>& gallery) {
  return SiteWriter(root, to, gallery).write();
}

}  // namespace shardlens
