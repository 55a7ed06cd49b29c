#include "core/exports/chrome_trace.h"

#include "core/base/json_text.h"
#include "core/trace/events/event_names.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/view/words/event_words.h"
#include "core/view/words/names.h"

#include <fmt/core.h>

#include <algorithm>
#include <ostream>

namespace shardlens {
namespace {

using nlohmann::ordered_json;

enum Lane { Program, Collectives };

bool hasTimes(const Journal& journal) {
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    if (event.time != 0 || event.duration > 0) return true;
  }
  return false;
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
                               .in(view::tensorText(tensor) + toText(tensor.placements));
  }
  return texts;
}

ordered_json argumentsOf(const Journal& journal, EventId id, const Event& event,
                         view::Notation notation) {
  ordered_json arguments = {{"event", id}, {"kind", kindName(event.kind)}};
  addText(arguments, "verdict", verdictName(event.verdict));
  if (event.step >= 0) arguments["step"] = event.step;
  if (event.line > 0) arguments["line"] = event.line;
  if (event.kind == EventKind::Redistribute) {
    arguments["tensor"] = view::tensorName(journal, event.subject);
    arguments["change"] =
        view::PlacementWords(journal, event.subject, notation).in(journal.name(event));
  }
  if (event.inputs > 0) arguments["inputs"] = inputsOf(journal, id, notation);
  if (event.bytes > 0 && !isOfCache(event.kind)) arguments["bytes"] = event.bytes;
  addText(arguments, "ranks", journal.text(event.ranks));
  addText(arguments, "group", journal.text(event.group));
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
  TraceEvents(const Journal& journal, std::ostream& out, view::Notation notation)
      : journal_(journal), notation_(notation), out_(out), ranks_(hostedRanges(journal)) {
    if (isDry(journal) && !ranks_.empty()) ranks_ = {{ranks_.front().first, ranks_.front().first}};
  }

  void write() {
    for (const RankRange& range : ranks_) {
      for (int rank = range.first; rank <= range.last; ++rank) name(rank);
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
        if (!named.empty() && !contains(named, rank)) continue;
        const auto timing = journal_.part(id, rank);
        if (timing) put(fmt::format(R"({{{},"pid":{},{}}})", whenText(*timing), rank, what));
      }
    }
  }

  void put(const std::string& object) {
    out_ << (first_ ? "\n" : ",\n") << object;
    first_ = false;
  }

  const Journal& journal_;
  view::Notation notation_;
  std::ostream& out_;
  std::vector<RankRange> ranks_;
  bool first_ = true;
};

}  // namespace

Result<void> writeChromeTrace(const Journal& journal, std::ostream& out, view::Notation notation) {
  if (!hasTimes(journal)) {
    return fail("trace: the recording has no times, only the order of its events");
  }
  ordered_json about;
  for (const char* key : {"title", "path", "mesh", "backend", "masking", "planner"}) {
    addText(about, key, journal.meta(key));
  }
  out << R"({"displayTimeUnit":"ns","otherData":)" << jsonText(about) << R"(,"traceEvents":[)";
  TraceEvents(journal, out, notation).write();
  out << "\n]}\n";
  return {};
}

}  // namespace shardlens
