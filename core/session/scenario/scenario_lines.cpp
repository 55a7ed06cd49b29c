#include "core/session/scenario/scenario_lines.h"

#include "core/base/json_comment.h"

#include <nlohmann/json.hpp>

namespace shardlens {
namespace {

// Scans the text once and counts lines and nesting. Skips numbers, literals and colons without
// checks, because the text was parsed before.
class Scanner {
 public:
  Scanner(std::string_view text, int line) : text_(text), line_(line) {}

  ScenarioLines run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        ++at_;
      } else if (c == '/') {
        skipComment();
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else {
        token(c);
      }
    }
    return std::move(lines_);
  }

 private:
  void token(char c) {
    if (stepBegins_ && depth_ == kInSteps && c != ']') {
      lines_.steps.push_back(line_);
      stepBegins_ = false;
    }
    if (c == '"') return string();
    ++at_;
    if (c == '{' || c == '[') {
      if (++depth_ == kInScenario) lines_.object = line_;
      if (depth_ == kInSteps && inSteps_) {
        stepBegins_ = c == '[';
        lines_.steps.clear();
      }
    } else if (c == '}' || c == ']') {
      if (depth_-- == kInSteps) stepBegins_ = false;
    } else if (c == ',' && depth_ == kInSteps && inSteps_) {
      stepBegins_ = true;
    } else if (c == ',' && depth_ == kInScenario) {
      keyFollows_ = true;
    }
  }

  void string() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    ++at_;
    if (depth_ != kInScenario || !keyFollows_) return;
    keyFollows_ = false;
    const auto key = nlohmann::json::parse(text_.substr(begin, at_ - begin)).get<std::string>();
    lines_.keys[key] = line_;
    inSteps_ = key == "steps";
  }

  void skipComment() {
    const std::size_t stop = afterComment(text_, at_);
    for (; at_ < stop; ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
  }

  static constexpr int kInScenario = 1;
  static constexpr int kInSteps = 2;

  std::string_view text_;
  std::size_t at_ = 0;
  int line_;
  int depth_ = 0;
  bool keyFollows_ = true;
  bool inSteps_ = false;
  bool stepBegins_ = false;
  ScenarioLines lines_;
};

}  // namespace

int ScenarioLines::of(const std::string& key) const {
  const auto found = keys.find(key);
  return found == keys.end() ? object : found->second;
}

ScenarioLines locateLines(std::string_view text, int firstLine) {
  return Scanner(text, firstLine).run();
}

}  // namespace shardlens
