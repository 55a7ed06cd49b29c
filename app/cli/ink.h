#pragma once

#include "core/view/words/styled_text.h"

#include <string>
#include <string_view>

namespace shardlens::cli {

enum class Colours { Auto, Always, Never };

// Sets the colour mode of this process, which is Auto initially.
void setColours(Colours colours);

// Adds terminal colours to text, or returns it unchanged for Kind::Plain.
class Ink {
 public:
  enum class Kind { Plain, Colour };
  explicit Ink(Kind kind) : kind_(kind) {}

  // Colours as setColours() says. Auto colours if standard output is a terminal, unless NO_COLOR is
  // set (no-color.org) or TERM is "dumb".
  static Ink forTerminal();

  std::string text(const view::StyledText& text) const;
  std::string bold(std::string_view text) const { return in("1", text); }
  std::string dim(std::string_view text) const { return in("2", text); }
  std::string alarm(std::string_view text) const { return in("1;31", text); }
  std::string traffic(std::string_view text) const { return in("35", text); }
  std::string good(std::string_view text) const { return in("32", text); }
  std::string notice(std::string_view text) const { return in("33", text); }
  std::string value(std::string_view text) const { return in("36", text); }

 private:
  std::string in(std::string_view code, std::string_view text) const;

  Kind kind_;
};

}  // namespace shardlens::cli
