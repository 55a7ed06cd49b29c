#include "app/cli/event_rows.h"

#include "core/model/step_number.h"
#include "core/trace/events/event_names.h"
#include "core/view/words/event_words.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace shardlens::cli {

std::string eventRow(const Journal& journal, EventId id) {
  const Event event = journal.at(id);
  const auto words = view::eventWords(journal, id);
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", journal.numberOf(id), stepNumber(event.step),
                     event.line, kindLabel(event.kind), words.title, words.note);
}

nlohmann::ordered_json eventJson(const Journal& journal, EventId id, view::Notation notation) {
  const Event event = journal.at(id);
  const auto words = view::eventWords(journal, id, notation);
  nlohmann::ordered_json object = {{"id", eventNumber(journal, id)},
                                   {"parent", eventNumber(journal, event.parent)},
                                   {"step", stepNumber(event.step)},
                                   {"line", event.line},
                                   {"kind", kindName(event.kind)},
                                   {"verdict", verdictName(event.verdict)},
                                   {"name", journal.name(event)},
                                   {"title", words.title},
                                   {"note", words.note},
                                   {"ranks", journal.text(event.ranks)},
                                   {"bytes", event.bytes},
                                   {"time", event.time},
                                   {"duration", nullptr}};
  if (event.duration != Event::kRunning) object["duration"] = event.duration;
  const auto mark = journal.bookmarks().find(id);
  if (mark != journal.bookmarks().end()) object["bookmark"] = mark->second;
  return object;
}

nlohmann::ordered_json eventNumber(const Journal& journal, EventId id) {
  const std::string number = journal.numberOf(id);
  if (number.find(':') != std::string::npos) return number;
  return std::stoull(number);
}

}  // namespace shardlens::cli
