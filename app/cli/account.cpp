#include "app/cli/account.h"

#include "core/base/json_text.h"
#include "core/base/wrapped_sum.h"
#include "core/model/byte_count.h"
#include "core/model/rank_ranges.h"
#include "core/model/step_number.h"
#include "core/trace/events/event_names.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/view/tables/bookmarks_table.h"
#include "core/view/words/event_words.h"
#include "core/view/words/names.h"
#include "core/view/words/place_text.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

#include <map>
#include <sstream>

namespace shardlens::cli {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kTextColumn = 20;
constexpr std::size_t kStepIndent = 2;

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size() + 1, width), ' ');
  return text;
}

// Breaks the text between words into lines of at most `width` bytes. A longer word gets its own
// line.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (lines.empty() || lines.back().size() + 1 + word.size() > width) {
      lines.push_back(word);
    } else {
      lines.back() += ' ' + word;
    }
  }
  return lines;
}

std::string cacheSummary(int hits, int misses) {
  return fmt::format("{}, {} {}", view::plural(hits, "hit"), misses,
                     misses == 1 ? "miss" : "misses");
}

}  // namespace

std::string Account::newText() {
  std::string text;
  while (printed_ < journal_.size()) text += textWithParents(printed_ + 1);
  return text;
}

std::string Account::textWithParents(EventId id) {
  std::vector<EventId> around;
  for (; id > printed_; id = journal_.at(id).parent) around.push_back(id);
  std::string text = printed_ == 0 ? head() : std::string();
  for (; !around.empty(); around.pop_back()) {
    printed_ = around.back();
    const Event event = journal_.at(printed_);
    text += event.kind == EventKind::Step ? stepLines(event) + bookmarkLine(printed_, kStepIndent)
                                          : eventLine(printed_);
  }
  return text;
}

std::string Account::head() {
  sentences_.emplace(journal_, notation_);
  const auto scenario = parsedJson(journal_.meta("scenario"), Comments::Allowed);
  const std::string title(journal_.meta("title"));
  if (scenario.is_object()) {
    for (const auto& step : scenario.value("steps", nlohmann::json::array())) {
      notes_.push_back(step.is_object() ? textOf(step, "note") : "");
    }
  }
  std::string where(journal_.meta("path"));
  if (const auto given = journal_.meta("arguments"); !given.empty()) {
    where += " " + std::string(given);
  }
  if (const auto& mesh = sentences_->mesh()) {
    where += ", mesh " + view::axesText(*mesh) + ", " + view::plural(mesh->size(), "rank");
  }
  if (isImported(journal_)) {
    where += ", ranks " + rangesText(hostedRanges(journal_));
    return ink_.bold(std::string(journal_.meta("imported")) + where) + "\n";
  }
  where += " (" + std::string(journal_.meta("backend"));
  if (!sentences_->hosted().empty())
    where += ", ranks " + sentences_->hosted() + " in this process";
  where += ")";
  if (const auto masking = journal_.meta("masking"); !masking.empty()) {
    where += ", masking " + std::string(masking);
  }
  const std::string emulated(journal_.meta("emulate"));
  if (!emulated.empty()) where += ", emulates " + emulated;
  if (title.empty()) return ink_.bold(where) + "\n";
  return ink_.bold(title) + "\n" + ink_.dim(where) + "\n";
}

std::string Account::stepLines(const Event& event) const {
  const std::string line = view::placeText(journal_, event);
  const std::string what = fmt::format("{}  {}", stepNumber(event.step), journal_.name(event));
  std::string text = "\n" + ink_.bold(what);
  const std::size_t used = what.size() + line.size();
  const std::string gap(used + 2 < kWidth ? kWidth - used : 2, ' ');
  text += (line.empty() ? "" : gap + ink_.dim(line)) + "\n";
  const auto step = static_cast<std::size_t>(event.step);
  if (event.step < 0 || step >= notes_.size()) return text;
  for (const auto& row : wrapped(notes_[step], kWidth - kStepIndent)) {
    text += std::string(kStepIndent, ' ') + ink_.dim(row) + "\n";
  }
  return text;
}

std::string Account::eventLine(EventId id) const {
  const Event& event = journal_.at(id);
  const int depth = depthOf(event);
  const auto indent = kStepIndent * static_cast<std::size_t>(1 + depth);
  const auto label = std::string(indent, ' ') + std::string(kindLabel(event.kind));
  std::string text = padded(label, kTextColumn) + ink_.text(sentences_->text(id));
  // Nested events have the place of the event around them. A scenario has its line at the step.
  const bool hasPlace = depth == 0 && event.site != 0 && journal_.meta("scenario").empty();
  if (const auto place = hasPlace ? view::placeText(journal_, event) : ""; !place.empty()) {
    text += "  " + ink_.dim(place);
  }
  text += "\n";
  for (const auto& line : sentences_->more(id)) {
    text += std::string(kTextColumn + kStepIndent, ' ') + ink_.text(line) + "\n";
  }
  return text + bookmarkLine(id, kTextColumn + kStepIndent);
}

std::string Account::bookmarkLine(EventId id, std::size_t indent) const {
  const auto bookmark = view::bookmarkText(journal_, id);
  return bookmark ? std::string(indent, ' ') + ink_.notice(*bookmark) + "\n" : std::string();
}

int Account::depthOf(const Event& event) const {
  int depth = 0;
  for (EventId parent = event.parent; parent != 0; parent = journal_.at(parent).parent) {
    if (journal_.at(parent).kind != EventKind::Step) ++depth;
  }
  return depth;
}

// Names the hosted ranks if the process hosts only some: the other recordings contain the rest.
std::string Account::sentBytesText(std::int64_t bytes) const {
  const std::string text = byteCountText(bytes) + " sent";
  const bool isPart = sentences_ && !sentences_->hosted().empty();
  return isPart ? text + " by ranks " + sentences_->hosted() : text;
}

// Returns an empty string if nothing was checked.
std::string Account::checkSummary() const {
  int results = 0, differing = 0, unchecked = 0;
  std::string first;
  for (EventId id = 1; id <= journal_.size(); ++id) {
    const Event& event = journal_.at(id);
    if (event.kind != EventKind::Check) continue;
    ++(event.verdict == Verdict::None ? unchecked : results);
    if (event.verdict != Verdict::Differs || ++differing > 1) continue;
    first = fmt::format("{} of step {}", journal_.name(event), stepNumber(event.step));
    if (event.line > 0) first += fmt::format(", line {}", event.line);
  }
  if (results + unchecked == 0) return {};
  std::string text = differing == 0 ? ink_.good("checked: ") + "no difference in " +
                                          view::plural(results, "result")
                                    : ink_.alarm("first bad result: ") +
                                          fmt::format("{}; {} of {} differ from plain torch", first,
                                                      differing, view::plural(results, "result"));
  if (unchecked > 0) text += fmt::format("; {} not checked", unchecked);
  return text + "\n";
}

std::string Account::summary() const {
  int steps = 0;
  std::int64_t bytes = 0, nanoseconds = 0;
  std::map<std::string_view, int> collectives;
  std::map<std::string_view, std::pair<int, int>> lookups{{"strategy", {}}, {"plan", {}}};
  std::string error;
  for (EventId id = 1; id <= journal_.size(); ++id) {
    const Event& event = journal_.at(id);
    if (event.kind == EventKind::Step) ++steps;
    if (event.kind == EventKind::Error) error = journal_.name(event);
    if (event.kind == EventKind::Collective) {
      ++collectives[journal_.name(event)];
      increase(bytes, event.bytes);
      increase(nanoseconds, event.duration);
    }
    if (event.kind == EventKind::CacheLookup) {
      auto& [hits, misses] = lookups[journal_.name(event)];
      ++(event.verdict == Verdict::Hit ? hits : misses);
    }
  }
  std::string moved;
  for (const auto& [kind, count] : collectives) {
    moved += fmt::format("{}{} {}", moved.empty() ? "" : ", ", count, kind);
  }
  std::string text = "\n";
  text += error.empty() ? ink_.good(view::plural(steps, "step") + " ran")
                        : ink_.alarm("refused: ") + error;
  text += moved.empty() ? "; nothing was sent" : "; " + moved + ", " + sentBytesText(bytes);
  if (isDry(journal_)) {
    text += "; estimated: " + view::durationText(nanoseconds);
  }
  for (const auto& [table, verdicts] : lookups) {
    if (isImported(journal_)) break;  // imported recordings have no cache events
    text += "; " + std::string(table) + " cache " + cacheSummary(verdicts.first, verdicts.second);
  }
  return text + "\n" + checkSummary();
}

}  // namespace shardlens::cli
