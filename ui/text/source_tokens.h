#pragma once

#include "ui/text/program_text.h"

#include <vector>

namespace shardlens {

enum class SourceLanguage { Scenario, Python };  // Scenario: JSON with comments
enum class SourceToken { Key, String, Number, Keyword, Comment };

// A part of a line that is drawn in the colour of its token.
struct SourceSpan {
  qsizetype start = 0;
  qsizetype length = 0;
  SourceToken token = SourceToken::String;

  bool operator==(const SourceSpan&) const = default;
};

// Returns the tokens of each line, in ascending order. Comments and strings may continue over
// several lines. Names, operators and brackets are no tokens. An unterminated string on one line
// ends with the line.
std::vector<std::vector<SourceSpan>> sourceTokens(const std::vector<ProgramLine>& lines,
                                                  SourceLanguage language);

}  // namespace shardlens
