#pragma once

#include <string>
#include <string_view>

namespace shardlens {

// Where in the user's program something was called; what is not known is empty, or 0.
struct SiteRecord {
  std::string file = {};
  int line = 0;             // in the file, from 1
  std::string module = {};  // "layers.3.attention"
  std::string pass = {};    // "forward" or "backward"
  std::string caller = {};  // "train_step"
  bool operator==(const SiteRecord&) const = default;
};

// Nothing where nothing is known.
std::string siteText(const SiteRecord& site);
SiteRecord readSite(std::string_view text);

}  // namespace shardlens
