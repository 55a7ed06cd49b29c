#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace shardlens {

// Returns "mm" for "aten.mm" and "aten.mm.out"; "" for an operator of another namespace.
inline std::string_view wordOf(std::string_view name) {
  constexpr std::string_view kAten = "aten.";
  if (!name.starts_with(kAten)) return {};
  name.remove_prefix(kAten.size());
  return name.substr(0, name.find('.'));
}

// Returns true for operators whose result depends on no tensor and on no random number: "zeros".
inline bool isCreation(std::string_view word) {
  constexpr std::array<std::string_view, 10> kWords{
      "zeros", "ones",          "full",  "empty", "arange",
      "eye",   "scalar_tensor", "zero_", "fill_", "empty_strided"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end() ||
         word.starts_with("new_") || (word.ends_with("_like") && !word.starts_with("rand"));
}

}  // namespace shardlens
