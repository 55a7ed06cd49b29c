#include "app/cli/ink.h"

#include <cstdlib>
#include <unistd.h>

namespace shardlens::cli {

Ink Ink::forTerminal() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  const bool shown =
      isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  return Ink(shown ? Kind::Colour : Kind::Plain);
}

std::string Ink::in(std::string_view code, std::string_view text) const {
  if (kind_ == Kind::Plain) return std::string(text);
  return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

}  // namespace shardlens::cli
