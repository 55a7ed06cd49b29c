#include "app/cli/ink.h"

#include <cstdlib>
#include <unistd.h>

namespace shardlens::cli {
namespace {

Colours colourMode = Colours::Auto;

bool terminalShowsColours() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  return isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

}  // namespace

void setColours(Colours colours) { colourMode = colours; }

Ink Ink::forTerminal() {
  const bool shown =
      colourMode == Colours::Always || (colourMode == Colours::Auto && terminalShowsColours());
  return Ink(shown ? Kind::Colour : Kind::Plain);
}

std::string Ink::text(const view::StyledText& styled) const {
  std::string text;
  for (const auto& span : styled.spans) {
    switch (span.tone) {
      case view::Tone::Plain:
        text += span.text;
        break;
      case view::Tone::Quiet:
        text += dim(span.text);
        break;
      case view::Tone::Good:
        text += good(span.text);
        break;
      case view::Tone::Warn:
        text += notice(span.text);
        break;
      case view::Tone::Bad:
        text += alarm(span.text);
        break;
      case view::Tone::Strong:
        text += bold(span.text);
        break;
      case view::Tone::Traffic:
        text += traffic(span.text);
        break;
      case view::Tone::Value:
        text += value(span.text);
        break;
    }
  }
  return text;
}

std::string Ink::in(std::string_view code, std::string_view text) const {
  if (kind_ == Kind::Plain) return std::string(text);
  return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

}  // namespace shardlens::cli
