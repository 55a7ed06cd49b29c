#include "core/query/problems/expectations.h"

#include "core/model/step_number.h"
#include "core/query/language/event_filter.h"
#include "core/trace/merge/merged_parts.h"
#include "core/trace/records/site_record.h"

#include <fmt/core.h>

#include <charconv>
#include <map>
#include <unordered_map>
#include <utility>

namespace shardlens {

namespace {

using Per = Expectation::Per;

constexpr std::size_t kMostEvents = 10;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Removes `word` and a blank from the beginning of `text`. Returns false if it is not there.
bool takeWord(std::string_view& text, std::string_view word) {
  const bool isThere =
      text.starts_with(word) && (text.size() == word.size() || text[word.size()] == ' ');
  if (isThere) text = trimmed(text.substr(word.size()));
  return isThere;
}

std::optional<std::int64_t> takeNumber(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  return number;
}

// Removes "no", "at most 2", "at least 1" or "exactly 3". Returns false for other text.
bool takeBounds(std::string_view& text, Expectation& into) {
  if (takeWord(text, "no")) {
    into.most = 0;
    return true;
  }
  const bool isMost = takeWord(text, "at most");
  const bool isLeast = !isMost && takeWord(text, "at least");
  if (!isMost && !isLeast && !takeWord(text, "exactly")) return false;
  const auto number = takeNumber(text);
  if (!number) return false;
  if (!isMost) into.least = *number;
  if (!isLeast) into.most = *number;
  return true;
}

// Removes "per step", "per module" or "per group" from the end. Returns false for another "per".
bool takePer(std::string_view& text, Expectation& into) {
  constexpr std::string_view kPer = " per ";
  const auto at = text.rfind(kPer);
  if (at == std::string_view::npos) return true;
  const std::string_view what = text.substr(at + kPer.size());
  static const std::map<std::string_view, Per> kKinds = {
      {"step", Per::Step}, {"module", Per::Module}, {"group", Per::Group}};
  const auto kind = kKinds.find(what);
  if (kind == kKinds.end()) return false;
  into.per = kind->second;
  text = trimmed(text.substr(0, at));
  return true;
}

Result<Expectation> parseLine(std::string_view text, std::size_t number) {
  Expectation expectation{.line = number, .text = std::string(text)};
  const auto refuse = [&](const std::string& what) {
    return fail(fmt::format("line {}: {}", number, what));
  };
  if (!takeBounds(text, expectation)) {
    return refuse("got " + expectation.text + ", expected no, at most N, at least N or exactly N");
  }
  if (!takePer(text, expectation)) return refuse("expected per step, per module or per group");
  if (text.empty()) return refuse("expected a query after the number");
  auto query = parseQuery(text);
  if (!query) return refuse(query.error().message);
  expectation.query = std::move(*query);
  return expectation;
}

// Counts the events of one expectation.
class Counter {
 public:
  Counter(const Journal& journal, const Expectation& expectation)
      : journal_(journal), expectation_(expectation), filter_(journal, expectation.query) {
    if (expectation.per == Per::All) groups_[{}];
  }

  // With a lower bound, every group that has any event is counted. Without one, groups without
  // matching events need not be created.
  std::vector<Unmet> unmet() {
    for (EventId id = 1; id <= journal_.size(); ++id) {
      const bool isCounted = filter_.matches(id);
      if (!isCounted && expectation_.least == 0) continue;
      const auto where = whereOf(journal_.at(id));
      if (!where) continue;
      Unmet& group = groups_[*where];
      if (!isCounted) continue;
      ++group.count;
      if (group.events.size() < kMostEvents) group.events.push_back(id);
    }
    std::vector<Unmet> all;
    for (auto& [where, group] : groups_) {
      const bool isMet = group.count >= expectation_.least &&
                         (!expectation_.most || group.count <= *expectation_.most);
      if (isMet) continue;
      group.expectation = &expectation_;
      group.where = where.second;
      all.push_back(std::move(group));
    }
    return all;
  }

 private:
  // Sort key and name of a group. Steps sort by number, others alphabetically.
  using Where = std::pair<int, std::string>;

  // Returns the group of an event; nullopt if it has no step, module or process group.
  std::optional<Where> whereOf(const Event& event) {
    switch (expectation_.per) {
      case Per::All:
        return Where();
      case Per::Step:
        if (event.step < 0) return std::nullopt;
        return Where(event.step, "step " + std::to_string(stepNumber(event.step)));
      case Per::Module:
        return named("module ", moduleOf(event.site));
      case Per::Group:
        return named("group ", std::string(journal_.text(groupOf(journal_, event))));
    }
    return std::nullopt;
  }
  static std::optional<Where> named(const char* what, const std::string& name) {
    return name.empty() ? std::nullopt : std::optional(Where(0, what + name));
  }
  const std::string& moduleOf(StringId site) {
    const auto [place, isNew] = modules_.try_emplace(site);
    if (isNew) place->second = readSite(journal_.text(site)).module;
    return place->second;
  }

  const Journal& journal_;
  const Expectation& expectation_;
  EventFilter filter_;
  std::map<Where, Unmet> groups_;
  std::unordered_map<StringId, std::string> modules_;
};

}  // namespace

Result<std::vector<Expectation>> parseExpectations(std::string_view text) {
  std::vector<Expectation> all;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    auto expectation = parseLine(line, number);
    if (!expectation) return tl::unexpected(expectation.error());
    all.push_back(std::move(*expectation));
  }
  return all;
}

std::vector<Unmet> findUnmet(const Journal& journal, const std::vector<Expectation>& expectations) {
  std::vector<Unmet> all;
  for (const Expectation& expectation : expectations) {
    for (auto& unmet : Counter(journal, expectation).unmet()) all.push_back(std::move(unmet));
  }
  return all;
}

}  // namespace shardlens
