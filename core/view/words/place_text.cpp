#include "core/view/words/place_text.h"

#include "core/trace/records/site_record.h"

#include <fmt/core.h>

#include <filesystem>
#include <string_view>

namespace shardlens::view {

std::string placeText(const Journal& journal, const Event& event) {
  const SiteRecord site = readSite(journal.text(event.site));
  if (site.file.empty() || site.line == 0) {
    return event.line > 0 ? fmt::format("line {}", event.line) : std::string();
  }
  std::string_view file = site.file;
  const auto folder = std::filesystem::path(journal.meta("path")).parent_path() / "";
  if (file.starts_with(folder.native())) file.remove_prefix(folder.native().size());
  return fmt::format("{}:{}", file, site.line);
}

}  // namespace shardlens::view
