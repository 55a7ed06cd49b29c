#pragma once

#include "core/view/words/tone.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardlens::view {

// A line of text in spans with different tones.
struct StyledText {
  struct Span {
    std::string text;
    Tone tone = Tone::Plain;
    bool operator==(const Span&) const = default;
  };
  std::vector<Span> spans;

  StyledText& add(std::string_view text, Tone tone = Tone::Plain) {
    if (!text.empty()) spans.push_back({std::string(text), tone});
    return *this;
  }
  // Returns the text without tones.
  std::string plain() const {
    std::string all;
    for (const Span& span : spans) all += span.text;
    return all;
  }
  bool operator==(const StyledText&) const = default;
};

}  // namespace shardlens::view
