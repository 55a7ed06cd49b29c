#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// "x', y"
inline std::string joined(const std::vector<std::string>& texts) {
  std::string text;
  for (const auto& one : texts) text += (text.empty() ? "" : ", ") + one;
  return text;
}

// "1+2j", of its parts, as Python writes it without its brackets.
inline std::string complexText(const std::string& real, const std::string& imaginary) {
  return real + (imaginary.starts_with('-') ? "" : "+") + imaginary + "j";
}

// The first bytes of a longer text, without a character of UTF-8 that they have a part of.
inline std::string_view beginning(std::string_view text, std::size_t bytes) {
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) --bytes;
  return text.substr(0, bytes);
}

}  // namespace shardlens
