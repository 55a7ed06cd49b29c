#pragma once

#include <iosfwd>
#include <streambuf>
#include <string>

namespace shardlens::cli {

// Filters what a program writes to a terminal, because names, titles and notes of a recording may
// contain control characters that would change the terminal: it prints each as "\x1b". Passes line
// ends, tabs and the sequences that set colours ("ESC [ numbers m").
class TerminalFilter final : public std::streambuf {
 public:
  // Writes to `terminal`, which must outlive the filter.
  explicit TerminalFilter(std::streambuf& terminal) : terminal_(terminal) {}
  ~TerminalFilter() override { release(); }

 protected:
  int_type overflow(int_type letter) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;

 private:
  void take(char letter);
  void takeAfterEscape(char letter);
  void print(char letter);  // escaped if it is a control character
  void escape(unsigned char code);
  void release();  // prints the bytes of held_

  std::streambuf& terminal_;
  std::string held_;  // the beginning of a sequence, or the first byte of a character U+0080-U+00BF
};

// Filters standard output and standard error in the scope of this object, as far as each is a
// terminal.
class FilteredTerminal {
 public:
  FilteredTerminal();
  ~FilteredTerminal();
  FilteredTerminal(const FilteredTerminal&) = delete;
  FilteredTerminal& operator=(const FilteredTerminal&) = delete;

 private:
  std::streambuf* out_;
  std::streambuf* error_;
  TerminalFilter outFilter_;
  TerminalFilter errorFilter_;
};

}  // namespace shardlens::cli
