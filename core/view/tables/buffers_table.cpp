#include "core/view/tables/buffers_table.h"

#include "core/view/words/detail_words.h"
#include "core/view/words/event_words.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace shardlens::view {
namespace {

using Kind = BufferAlarm::Kind;

Cell numberCell(std::int64_t number) {
  return {.text = std::to_string(number), .number = static_cast<double>(number)};
}

Row rowOf(const BufferState& buffer, const BufferHistory::Counts& counts, const BufferAlarm& alarm,
          EventId position) {
  const std::string wrong = alarmText(alarm, buffer);
  const std::string name = "#" + std::to_string(buffer.id);
  const std::string holders = buffer.refcount > 0 ? holdersText(buffer) : "released";
  return {.cells = {{.text = name, .number = buffer.id},
                    numberCell(buffer.refcount),
                    {.text = holders, .tone = buffer.refcount > 0 ? Tone::Plain : Tone::Quiet},
                    {.text = wrong, .tone = alarm.kind == Kind::Leak ? Tone::Warn : Tone::Bad},
                    numberCell(static_cast<std::int64_t>(counts.made)),
                    numberCell(counts.hits),
                    numberCell(counts.applied),
                    numberCell(counts.released)},
          .tooltip = name + ": " + holders + (wrong.empty() ? "" : "\n" + wrong),
          .event = buffer.changed,
          .marked = buffer.changed == position};
}

// Returns the row of the buffer that the current event changed.
std::optional<std::size_t> markedPlace(const Snapshot& snapshot) {
  const auto newest = snapshot.buffer(snapshot.newestBuffer);
  if (!newest || newest->changed != snapshot.position) return std::nullopt;
  return snapshot.histories->buffers.placeOf(newest->id);
}

const char* whatWasDone(EventKind kind, bool isFirst) {
  switch (kind) {
    case EventKind::MaskMaterialized:
      return isFirst ? "made" : "hit";
    case EventKind::MaskApplied:
      return "applied";
    case EventKind::MaskReleased:
      return "released";
    default:
      return "";
  }
}

// Returns the buffer of a masked tensor that the refused event, or an ancestor of it, reads; 0 if
// there is none.
BufferId bufferRead(const Journal& journal, const Snapshot& snapshot) {
  const auto ofTensor = [&](TensorId id) -> BufferId {
    const auto tensor = snapshot.tensor(id);
    if (!tensor) return 0;
    if (tensor->buffer != 0) return tensor->buffer;
    for (const BufferState& buffer : snapshot.buffers) {
      if (tensor->mask != 0 && buffer.mask == tensor->mask) return buffer.id;
    }
    return 0;
  };
  for (EventId id = snapshot.newestError; id != 0; id = journal.at(id).parent) {
    std::vector<TensorId> read = journal.inputs(id);
    if (journal.at(id).kind == EventKind::Redistribute) read.push_back(journal.at(id).subject);
    for (const TensorId tensor : read) {
      if (const BufferId buffer = ofTensor(tensor); buffer != 0) return buffer;
    }
  }
  return 0;
}

// Returns the held buffer if there is exactly one, else 0.
BufferId onlyLive(const Snapshot& snapshot) {
  if (snapshot.liveBuffers != 1) return 0;
  for (const BufferState& buffer : snapshot.buffers) {
    if (buffer.refcount > 0) return buffer.id;
  }
  return 0;
}

}  // namespace

Table buffersTable(const Journal& journal, const Snapshot& snapshot, const BufferAlarm& alarm) {
  const auto at = [buffers = snapshot.buffers, histories = snapshot.histories, alarm,
                   position = snapshot.position](std::size_t place) {
    const BufferState buffer = buffers[place];
    return rowOf(buffer, histories->buffers.countsAt(buffer.id, position), alarm, position);
  };
  const auto newest = snapshot.buffer(snapshot.newestBuffer);
  const bool isWrong = alarm.kind != Kind::None;
  return {.columns = {{"buffer"},
                      {"refcount", Align::Right},
                      {"held by"},
                      {"alarm"},
                      {"made at", Align::Right},
                      {"hits", Align::Right},
                      {"applied", Align::Right},
                      {"released", Align::Right}},
          .rows = Rows(Rows::Source{
              .size = snapshot.buffers.size(),
              .at = at,
              .marked = markedPlace(snapshot),
              .version = {reinterpret_cast<std::uintptr_t>(&journal), snapshot.buffers.size(),
                          newest ? newest->changed : 0, isWrong ? snapshot.position : 0}})};
}

Table bufferEventsTable(const Journal& journal, const Snapshot& snapshot, BufferId id) {
  using Changes = std::vector<BufferHistory::Change>;
  const auto changes = std::make_shared<Changes>(
      snapshot.histories == nullptr ? Changes() : snapshot.histories->buffers.changesOf(id));
  const auto rowAt = [&journal, changes](std::size_t place) -> Row {
    const auto& [at, refcount] = (*changes)[place];
    const Event event = journal.at(at);
    return {.cells = {numberCell(static_cast<std::int64_t>(at)),
                      {whatWasDone(event.kind, place == 0)},
                      numberCell(refcount),
                      {event.parent == 0 ? "" : eventWords(journal, event.parent).title}},
            .tooltip = eventWords(journal, at).title,
            .event = at};
  };
  const auto here = std::find_if(changes->begin(), changes->end(), [&](const auto& change) {
    return change.at == snapshot.position;
  });
  const auto place = static_cast<std::size_t>(here - changes->begin());
  return {.columns = {{"event", Align::Right}, {"what"}, {"refcount", Align::Right}, {"inside"}},
          .rows = Rows(Rows::Source{
              .size = changes->size(),
              .at = rowAt,
              .marked = here == changes->end() ? std::nullopt : std::optional(place),
              .version = {reinterpret_cast<std::uintptr_t>(&journal), id, changes->size()}})};
}

BufferAlarm bufferAlarm(const Journal& journal, const Snapshot& snapshot, ProgramState program) {
  if (snapshot.error.starts_with("MaskBuffer has not been materialized")) {
    return {Kind::Drained, bufferRead(journal, snapshot)};
  }
  if (snapshot.error.starts_with("MaskBuffer has ")) {
    return {Kind::Conflict, onlyLive(snapshot)};
  }
  return {snapshot.liveBuffers > 0 && program == ProgramState::Ended ? Kind::Leak : Kind::None};
}

std::string alarmText(const BufferAlarm& alarm, const BufferState& buffer) {
  switch (alarm.kind) {
    case Kind::Conflict:
      return alarm.buffer == buffer.id ? "conflict" : "";
    case Kind::Drained:
      return alarm.buffer == buffer.id ? "used after its release" : "";
    case Kind::Leak:
      return buffer.refcount > 0 ? "not released" : "";
    case Kind::None:
      break;
  }
  return "";
}

}  // namespace shardlens::view
