#include "app/cli/terminal_filter.h"

#include <gtest/gtest.h>

#include <ostream>
#include <sstream>

namespace shardlens::cli {
namespace {

std::string shown(const std::string& text) {
  std::stringbuf terminal;
  {
    TerminalFilter filter(terminal);
    std::ostream(&filter) << text;
  }
  return terminal.str();
}

TEST(TerminalFilter, PassesTextLinesTabsAndColours) {
  for (const std::string text :
       {"a\tb\n", "\x1b[1;31merror\x1b[0m", "\x1b[m", "ä é · ✓", "\xc2\xa0", ""}) {
    EXPECT_EQ(shown(text), text);
  }
}

TEST(TerminalFilter, EscapesControlCharacters) {
  EXPECT_EQ(shown("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
  EXPECT_EQ(shown("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(shown("\x1b[1;\x1b[2J"), "\\x1b[1;\\x1b[2J");
  EXPECT_EQ(shown("\x1b[" + std::string(20, '1') + "m"), "\\x1b[" + std::string(20, '1') + "m");
  EXPECT_EQ(shown("a\rb\x7f"), "a\\x0db\\x7f");
  EXPECT_EQ(shown("\xc2\x9b"
                  "2J"),
            "\\x9b"
            "2J");                                  // CSI in one character
  EXPECT_EQ(shown("\xc2\x1b[2J"), "\xc2\\x1b[2J");  // no character at all
}

TEST(TerminalFilter, PrintsASequenceThatDoesNotEnd) {
  EXPECT_EQ(shown("\x1b"), "\\x1b");
  EXPECT_EQ(shown("\x1b[1;"), "\\x1b[1;");
  EXPECT_EQ(shown("\xc2"), "\xc2");
}

TEST(TerminalFilter, FlushesToTheTerminal) {
  std::stringbuf terminal;
  TerminalFilter filter(terminal);
  std::ostream out(&filter);
  out << "a" << 1 << std::flush;
  EXPECT_EQ(terminal.str(), "a1");
  EXPECT_TRUE(out);
}

}  // namespace
}  // namespace shardlens::cli
