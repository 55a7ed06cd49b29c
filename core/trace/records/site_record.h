#pragma once

#include "core/model/event.h"

#include <string>
#include <string_view>

namespace shardlens {

// The place in the user's program that called an operator. Unknown members are empty or 0.
struct SiteRecord {
  std::string file = {};
  int line = 0;             // from 1
  std::string module = {};  // "layers.3.attention"
  std::string pass = {};    // "forward" or "backward"
  std::string caller = {};  // "train_step"
  bool operator==(const SiteRecord&) const = default;
};

// Convert a site to and from JSON; "" if nothing is known. Malformed text reads as an unknown site.
std::string siteText(const SiteRecord& site);
SiteRecord readSite(std::string_view text);

// Returns the line of an event: that of its site, else that of the program, which is 0 if unknown.
inline int lineOf(const SiteRecord& site, const Event& event) {
  return site.line > 0 ? site.line : event.line;
}

}  // namespace shardlens
