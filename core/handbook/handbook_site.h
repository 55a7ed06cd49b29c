#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace shardlens {

// A page that steps through a recording of the gallery, in the folder "gallery" of the site.
struct GalleryPage {
  std::string name;   // of the file, without .html: "05-pending-lookups-and-their-masks"
  std::string title;  // of the scenario
};

// The result of writeHandbookSite().
struct HandbookSite {
  int pages = 0;  // pages of the handbook
  // The links that lead nowhere, each as "page.md: target": to missing files, to files outside of
  // `root`, to pages of the handbook that its index does not link to, and to gallery pages that are
  // not in `gallery` (unless that is empty). They are written as text. Links from copied pages to
  // files are not listed.
  std::vector<std::string> leftOut;  // links to missing files, each as "page: target"
};

// Writes the handbook of `root` as HTML to the folder `to`, which may exist: a file per page,
// style.css, the pictures and the files that pages link to. A link gallery:NAME leads to the
// gallery page; links of the scheme "command" work in the window only and are written as text.
// Writes gallery/index.html if `gallery` is not empty; the caller writes the pages of it. Returns
// an error if a page cannot be read or a file cannot be written.
Result<HandbookSite> writeHandbookSite(const std::filesystem::path& root,
                                       const std::filesystem::path& to,
                                       const std::vector<GalleryPage>& gallery);

}  // namespace shardlens
