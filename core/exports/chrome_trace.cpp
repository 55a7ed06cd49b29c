#include "core/exports/chrome_trace.h"

#include "core/base/json_text.h"
#include "core/model/step_number.h"
#include "core/trace/events/event_names.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/merged_parts.h"
#include "core/view/words/event_words.h"
#include "core/view/words/names.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <ostream>
#include <utility>

namespace shardlens {
namespace {

using nlohmann::ordered_json;

enum Lane { Program, Collectives };

// Returns the earliest time; nullopt if the recording has none.
std::optional<std::int64_t> earliestTime(const Journal& journal) {
  bool hasTimes = false;
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    hasTimes |= event.time != 0 || event.duration > 0;
    earliest = std::min(earliest, event.time);
  }
  return hasTimes ? std::optional(earliest) : std::nullopt;
}

void addText(ordered_json& object, const char* key, std::string_view text) {
  if (!text.empty()) object[key] = text;
}

std::vector<std::string> inputsOf(const Journal& journal, EventId id, view::Notation notation) {
  std::vector<std::string> texts;
  for (const TensorId input : journal.inputs(id)) {
    texts.push_back(view::tensorName(journal, input));
    if (input == 0) continue;
    const TensorRecord tensor = journal.tensor(input);
    texts.back() += ": " + view::PlacementWords(journal, input, notation)
                               .placed(tensor.dtype, tensor.shape, tensor.placements);
  }
  return texts;
}

ordered_json argumentsOf(const Journal& journal, EventId id, const Event& event,
                         view::Notation notation) {
  ordered_json arguments = {{"event", id}, {"kind", kindName(event.kind)}};
  addText(arguments, "verdict", verdictName(event.verdict));
  if (event.step >= 0) arguments["step"] = stepNumber(event.step);
  if (event.line > 0) arguments["line"] = event.line;
  if (event.kind == EventKind::Redistribute) {
    arguments["tensor"] = view::tensorName(journal, event.subject);
    arguments["change"] =
        view::PlacementWords(journal, event.subject, notation).route(journal, event);
  }
  if (event.inputs > 0) arguments["inputs"] = inputsOf(journal, id, notation);
  if (event.bytes > 0 && !isOfCache(event.kind)) arguments["bytes"] = event.bytes;
  addText(arguments, "ranks", journal.text(event.ranks));
  addText(arguments, "group", journal.text(groupOf(journal, event)));
  if (event.sequence > 0) arguments["sequence"] = event.sequence;
  addText(arguments, "device", journal.text(event.device));
  addText(arguments, "site", journal.text(event.site));
  return arguments;
}

// Formats nanoseconds as microseconds, the unit of the format. Negative values give 0.
std::string microseconds(std::int64_t nanoseconds) {
  nanoseconds = std::max<std::int64_t>(nanoseconds, 0);
  return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

// Returns true if the program did other things while the collective was in progress.
bool isOverlapped(const EventPart& timing) {
  return timing.exposed > 0 && timing.exposed < timing.duration;
}

// Returns the phase and the times: "B" for a span that has not ended, "i" for a duration of 0, "X"
// otherwise.
std::string whenText(const EventPart& timing) {
  const std::string time = microseconds(timing.time);
  if (timing.duration < 0) return R"("ph":"B","ts":)" + time;
  if (timing.duration == 0) return R"("ph":"i","s":"t","ts":)" + time;
  return R"("ph":"X","ts":)" + time + R"(,"dur":)" + microseconds(timing.duration);
}

class TraceEvents {
 public:
  // `earliest`: the time of the first event. Times are written relative to it if it is negative,
  // as it may be on the clock of another machine.
  TraceEvents(const Journal& journal, std::int64_t earliest, std::ostream& out,
              view::Notation notation, const std::vector<RankRange>& ranks)
      : journal_(journal),
        notation_(notation),
        out_(out),
        shift_(std::max<std::int64_t>(-earliest, 0)),
        ranks_(hostedRanges(journal)),
        shown_(ranks.empty() ? ranks_ : ranks) {
    if (isDry(journal) && !ranks_.empty()) ranks_ = {{ranks_.front().first, ranks_.front().first}};
  }

  void write() {
    for (const RankRange& range : ranks_) {
      for (int rank = range.first; rank <= range.last; ++rank) {
        if (contains(shown_, rank)) name(rank);
      }
    }
    for (EventId id = 1; id <= journal_.size(); ++id) write(id);
  }

 private:
  void name(int rank) {
    const auto metadata = [&](const char* what, int lane, const ordered_json& arguments) {
      put(jsonText(ordered_json{
          {"ph", "M"}, {"pid", rank}, {"tid", lane}, {"name", what}, {"args", arguments}}));
    };
    metadata("process_name", Program, {{"name", fmt::format("rank {}", rank)}});
    metadata("process_sort_index", Program, {{"sort_index", rank}});
    metadata("thread_name", Program, {{"name", "program"}});
    metadata("thread_name", Collectives, {{"name", "collectives"}});
  }

  void write(EventId id) {
    const Event event = journal_.at(id);
    const auto named = parseRankRanges(journal_.text(event.ranks));
    const int lane = event.kind == EventKind::Collective ? Collectives : Program;
    const std::string what =
        fmt::format(R"("tid":{},"name":{},"cat":"{}","args":{})", lane,
                    jsonText(ordered_json(view::eventWords(journal_, id, notation_).title)),
                    kindLabel(event.kind), jsonText(argumentsOf(journal_, id, event, notation_)));
    for (const RankRange& range : ranks_) {
      for (int rank = range.first; rank <= range.last; ++rank) {
        if (!contains(shown_, rank) || (!named.empty() && !contains(named, rank))) continue;
        if (auto timing = journal_.part(id, rank)) {
          timing->time += shift_;
          write(id, rank, *timing, what);
        }
      }
    }
  }

  // Collectives that overlap other events are asynchronous, because the spans of a thread nest.
  void write(EventId id, int rank, const EventPart& timing, const std::string& what) {
    if (!isOverlapped(timing)) {
      return put(fmt::format(R"({{{},"pid":{},{}}})", whenText(timing), rank, what));
    }
    const std::pair<char, std::int64_t> ends[] = {{'b', timing.time},
                                                  {'e', timing.time + timing.duration}};
    for (const auto& [phase, time] : ends) {
      put(fmt::format(R"({{"ph":"{}","id":{},"ts":{},"pid":{},{}}})", phase, id, microseconds(time),
                      rank, what));
    }
  }

  void put(const std::string& object) {
    out_ << (first_ ? "\n" : ",\n") << object;
    first_ = false;
  }

  const Journal& journal_;
  view::Notation notation_;
  std::ostream& out_;
  std::int64_t shift_;
  std::vector<RankRange> ranks_;  // all
  std::vector<RankRange> shown_;
  bool first_ = true;
};

}  // namespace

Result<void> writeChromeTrace(const Journal& journal, std::ostream& out, view::Notation notation,
                              const std::vector<RankRange>& ranks) {
  const auto earliest = earliestTime(journal);
  if (!earliest) {
    return fail("trace: the recording has no times, only the order of its events");
  }
  ordered_json about;
  for (const char* key : {"title", "path", "mesh", "backend", "masking", "planner"}) {
    addText(about, key, journal.meta(key));
  }
  out << R"({"displayTimeUnit":"ns","otherData":)" << jsonText(about) << R"(,"traceEvents":[)";
  TraceEvents(journal, *earliest, out, notation, ranks).write();
  out << "\n]}\n";
  return {};
}

}  // namespace shardlens
