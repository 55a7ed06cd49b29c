#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// Joins the texts with ", ": "x', y". Returns "" for no texts. Empty texts at the beginning add no
// separator.
inline std::string joined(const std::vector<std::string>& texts) {
  std::string text;
  for (const auto& one : texts) text += (text.empty() ? "" : ", ") + one;
  return text;
}

// Returns "1+2j" for the parts "1" and "2": Python's notation without parentheses.
inline std::string complexText(const std::string& real, const std::string& imaginary) {
  return real + (imaginary.starts_with('-') ? "" : "+") + imaginary + "j";
}

// Returns the first `bytes` bytes of `text`, or fewer so that no UTF-8 character is split. Requires
// bytes < text.size().
inline std::string_view beginning(std::string_view text, std::size_t bytes) {
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) --bytes;
  return text.substr(0, bytes);
}

}  // namespace shardlens
