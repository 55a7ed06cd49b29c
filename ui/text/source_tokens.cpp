#include "ui/text/source_tokens.h"

#include <QStringView>
#include <algorithm>
#include <array>

namespace shardlens {
namespace {

bool isWordLetter(QChar letter) { return letter.isLetterOrNumber() || letter == u'_'; }

bool isKeyword(QStringView word, SourceLanguage language) {
  constexpr std::array<QStringView, 3> kScenario = {u"false", u"null", u"true"};
  constexpr std::array<QStringView, 35> kPython = {
      u"False",  u"None",   u"True",    u"and",      u"as",       u"assert", u"async",
      u"await",  u"break",  u"class",   u"continue", u"def",      u"del",    u"elif",
      u"else",   u"except", u"finally", u"for",      u"from",     u"global", u"if",
      u"import", u"in",     u"is",      u"lambda",   u"nonlocal", u"not",    u"or",
      u"pass",   u"raise",  u"return",  u"try",      u"while",    u"with",   u"yield"};
  const auto has = [&](const auto& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  return language == SourceLanguage::Scenario ? has(kScenario) : has(kPython);
}

// Reads the lines of a file in order, because a comment or a string may begin in an earlier line.
class SourceScanner {
 public:
  explicit SourceScanner(SourceLanguage language) : language_(language) {}

  std::vector<SourceSpan> read(QStringView line) {
    line_ = line;
    at_ = 0;
    spans_.clear();
    if (!closing_.isEmpty()) {
      readToClosing(0, 0);
    }
    while (at_ < line_.size()) {
      readToken();
    }
    return std::move(spans_);
  }

 private:
  bool isScenario() const { return language_ == SourceLanguage::Scenario; }
  bool startsWith(QStringView text) const { return line_.sliced(at_).startsWith(text); }
  void add(qsizetype start, SourceToken token) { spans_.push_back({start, at_ - start, token}); }

  void readToken() {
    const qsizetype start = at_;
    const QChar letter = line_[at_];
    if (startsWith(isScenario() ? u"//" : u"#")) {
      at_ = line_.size();
      add(start, SourceToken::Comment);
    } else if (isScenario() && startsWith(u"/*")) {
      closing_ = u"*/";
      readToClosing(start, start + 2);
    } else if (!isScenario() && (startsWith(u"\"\"\"") || startsWith(u"'''"))) {
      closing_ = letter == u'"' ? u"\"\"\"" : u"'''";
      readToClosing(start, start + 3);
    } else if (letter == u'"' || (!isScenario() && letter == u'\'')) {
      readString(letter);
    } else if (letter.isDigit()) {
      readNumber();
    } else if (isWordLetter(letter)) {
      readWord();
    } else {
      ++at_;
    }
  }

  // Ends at the delimiter that closes a comment or a string, or at the end of the line.
  void readToClosing(qsizetype start, qsizetype from) {
    const auto token = closing_ == u"*/" ? SourceToken::Comment : SourceToken::String;
    const qsizetype end = line_.indexOf(closing_, from);
    at_ = end < 0 ? line_.size() : end + closing_.size();
    if (end >= 0) {
      closing_ = {};
    }
    if (at_ > start) {
      add(start, token);
    }
  }

  void readString(QChar quote) {
    const qsizetype start = at_++;
    while (at_ < line_.size() && line_[at_] != quote) {
      at_ += line_[at_] == u'\\' ? 2 : 1;
    }
    at_ = std::min(at_ + 1, line_.size());
    const bool isKey = isScenario() && line_.sliced(at_).trimmed().startsWith(u':');
    add(start, isKey ? SourceToken::Key : SourceToken::String);
  }

  void readNumber() {
    const qsizetype start = at_;
    const auto isPart = [&] {
      const bool isSign = line_[at_] == u'-' || line_[at_] == u'+';
      return isWordLetter(line_[at_]) || line_[at_] == u'.' ||
             (isSign && line_[at_ - 1].toLower() == u'e');
    };
    while (at_ < line_.size() && isPart()) {
      ++at_;
    }
    add(start, SourceToken::Number);
  }

  void readWord() {
    const qsizetype start = at_;
    while (at_ < line_.size() && isWordLetter(line_[at_])) {
      ++at_;
    }
    if (isKeyword(line_.sliced(start, at_ - start), language_)) {
      add(start, SourceToken::Keyword);
    }
  }

  SourceLanguage language_;
  QStringView line_;
  qsizetype at_ = 0;
  QStringView closing_;  // ends the comment or string that is being read; empty: none
  std::vector<SourceSpan> spans_;
};

}  // namespace

std::vector<std::vector<SourceSpan>> sourceTokens(const std::vector<ProgramLine>& lines,
                                                  SourceLanguage language) {
  std::vector<std::vector<SourceSpan>> tokens;
  tokens.reserve(lines.size());
  SourceScanner scanner(language);
  for (const ProgramLine& line : lines) {
    tokens.push_back(scanner.read(line.text));
  }
  return tokens;
}

}  // namespace shardlens
