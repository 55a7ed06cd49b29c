#include "app/cli/terminal_filter.h"

#include <fmt/core.h>

#include <iostream>
#include <unistd.h>
#include <utility>

namespace shardlens::cli {

namespace {

constexpr char kEscape = '\x1b';
constexpr char kBeforeC1 = '\xc2';  // UTF-8 of U+0080 to U+009F, control characters too

bool isControl(char letter) {
  const auto code = static_cast<unsigned char>(letter);
  return (code < 0x20 && letter != '\n' && letter != '\t') || code == 0x7f;
}

}  // namespace

TerminalFilter::int_type TerminalFilter::overflow(int_type letter) {
  if (!traits_type::eq_int_type(letter, traits_type::eof())) {
    take(traits_type::to_char_type(letter));
  }
  return traits_type::not_eof(letter);
}

std::streamsize TerminalFilter::xsputn(const char* text, std::streamsize count) {
  for (std::streamsize i = 0; i < count; ++i) take(text[i]);
  return count;
}

int TerminalFilter::sync() { return terminal_.pubsync(); }

void TerminalFilter::take(char letter) {
  if (!held_.empty()) return takeAfterEscape(letter);
  if (letter == kEscape || letter == kBeforeC1) {
    held_ = letter;
  } else {
    print(letter);
  }
}

void TerminalFilter::takeAfterEscape(char letter) {
  constexpr std::size_t kLongest = 16;
  if (held_.front() == kBeforeC1) {
    const auto code = static_cast<unsigned char>(letter);
    if (code < 0x80 || code >= 0xa0) {
      release();
      return take(letter);
    }
    held_.clear();
    return escape(code);
  }
  const bool isNumber = (letter >= '0' && letter <= '9') || letter == ';';
  const bool isBegun = held_.size() == 1 ? letter == '[' : isNumber && held_.size() < kLongest;
  if (isBegun) {
    held_ += letter;
  } else if (held_.size() > 1 && letter == 'm') {
    held_ += letter;
    terminal_.sputn(held_.data(), static_cast<std::streamsize>(held_.size()));
    held_.clear();
  } else {
    release();
    take(letter);
  }
}

void TerminalFilter::print(char letter) {
  if (!isControl(letter)) {
    terminal_.sputc(letter);
  } else {
    escape(static_cast<unsigned char>(letter));
  }
}

void TerminalFilter::escape(unsigned char code) {
  const std::string text = fmt::format("\\x{:02x}", code);
  terminal_.sputn(text.data(), static_cast<std::streamsize>(text.size()));
}

void TerminalFilter::release() {
  for (const char letter : std::exchange(held_, {})) print(letter);
}

FilteredTerminal::FilteredTerminal()
    : out_(std::cout.rdbuf()), error_(std::cerr.rdbuf()), outFilter_(*out_), errorFilter_(*error_) {
  if (::isatty(STDOUT_FILENO) != 0) std::cout.rdbuf(&outFilter_);
  if (::isatty(STDERR_FILENO) != 0) std::cerr.rdbuf(&errorFilter_);
}

FilteredTerminal::~FilteredTerminal() {
  std::cout.rdbuf(out_);
  std::cerr.rdbuf(error_);
}

}  // namespace shardlens::cli
