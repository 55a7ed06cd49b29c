#pragma once

#include <string_view>

namespace shardlens {

// Returns "mm" for "aten.mm" and "aten.mm.out"; "" for an operator of another namespace.
inline std::string_view wordOf(std::string_view name) {
  constexpr std::string_view kAten = "aten.";
  if (!name.starts_with(kAten)) return {};
  name.remove_prefix(kAten.size());
  return name.substr(0, name.find('.'));
}

}  // namespace shardlens
