#include "core/follow/recording_sender.h"

#include "core/base/json_text.h"
#include "core/follow/frames.h"
#include "core/trace/events/packed_events.h"
#include "core/trace/file/trace_schema.h"
#include "core/trace/records/trace_rows.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>

namespace shardlens {

using nlohmann::json;

namespace {

template <class T>
std::string bytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

std::string specBody(const Spec& spec) {
  json body = {{"dtype", dtypeName(spec.meta.dtype)},
               {"shape", shapeJson(spec.meta.shape)},
               {"placements", placementsJson(spec.placements)}};
  if (spec.mesh) body["mesh"] = meshJson(*spec.mesh);
  return jsonText(body);
}

// Statistics are sent as raw bytes, because JSON cannot represent NaN.
std::string valueBody(const ValueRecord& value, const Content& elements) {
  json fields{{"event", value.event},
              {"tensor", value.tensor},
              {"rank", value.rank},
              {"shape", shapeJson(value.shape)},
              {"whole", elements != nullptr}};
  if (value.level == CaptureLevel::Hashes) fields["hash"] = value.hash;
  const std::string head = jsonText(fields);
  std::string body = bytesOf(static_cast<std::uint32_t>(head.size())) + head;
  body += bytesOf(value.statistics);
  if (elements) body.append(reinterpret_cast<const char*>(elements->data()), elements->size());
  return body;
}

// Returns an error unless the recording has at least what the follower has.
Result<void> hasAll(const Recording& recording, const ReceivedSoFar& had) {
  const Journal& journal = recording.journal();
  const std::size_t values = journal.values().size();
  if (had.strings <= journal.strings() && had.specs <= journal.specs() &&
      had.routes <= journal.routes() && had.tensors <= journal.tensors() &&
      had.events <= journal.size() && had.values <= values) {
    return {};
  }
  return fail(fmt::format(
      "{} was replaced: got {} texts, {} tensors, {} events and {} values, expected at least the "
      "follower's {} texts, {} tensors, {} events and {} values",
      recording.path().string(), journal.strings(), journal.tensors(), journal.size(), values,
      had.strings, had.tensors, had.events, had.values));
}

// Frames are made in portions of this size, and sent without the lock. A slow follower costs its
// server one portion of memory.
constexpr std::size_t kPortion = std::size_t{64} << 10;

}  // namespace

json receivedJson(const ReceivedSoFar& had) {
  return {{"strings", had.strings}, {"specs", had.specs},   {"routes", had.routes},
          {"tensors", had.tensors}, {"events", had.events}, {"values", had.values},
          {"running", had.running}};
}

ReceivedSoFar receivedFrom(const json& body) {
  try {
    return {body.at("strings"), body.at("specs"),  body.at("routes"), body.at("tensors"),
            body.at("events"),  body.at("values"), body.at("running")};
  } catch (const json::exception&) {
    return {};
  }
}

Result<RecordingSender> RecordingSender::make(std::shared_ptr<ServedRecording> recording,
                                              ReceivedSoFar had) {
  const auto fits = recording->use([&](const Recording& each) { return hasAll(each, had); });
  if (!fits) return tl::unexpected(fits.error());
  std::erase_if(had.running, [&](EventId id) { return id < 1 || id > had.events; });
  std::sort(had.running.begin(), had.running.end());
  return RecordingSender(std::move(recording), std::move(had));
}

Result<RecordingSender::Sent> RecordingSender::sendNew(const Send& send) {
  if (ended_) return Sent::Nothing;
  const auto loaded = recording_->use([](Recording& recording) { return recording.load(); });
  if (!loaded) return tl::unexpected(loaded.error());
  for (auto sent = Sent::Nothing;; sent = Sent::Data) {
    const std::string frames =
        recording_->use([this](Recording& recording) { return nextFrames(recording); });
    if (frames.empty()) return sent;
    if (!send(frames)) return Sent::Disconnected;
  }
}

std::string RecordingSender::nextFrames(Recording& recording) {
  std::string frames;
  if (ended_) return frames;
  appendMeta(recording.journal(), frames);
  appendSpanEnds(recording.journal(), frames);
  while (frames.size() < kPortion && appendNext(recording, frames)) {
  }
  return frames;
}

// Appends frames in the order of references: an event refers to texts, specs, routes and tensors.
bool RecordingSender::appendNext(Recording& recording, std::string& frames) {
  const Journal& journal = recording.journal();
  if (had_.strings < journal.strings()) {
    frames += packed(FrameKind::Text, journal.text(++had_.strings));
  } else if (had_.specs < journal.specs()) {
    frames += packed(FrameKind::Spec, specBody(journal.spec(++had_.specs)));
  } else if (had_.routes < journal.routes()) {
    frames += packed(FrameKind::Route, routeJson(journal.route(++had_.routes)));
  } else if (had_.tensors < journal.tensors()) {
    appendTensors(journal, frames);
  } else if (had_.events < journal.size()) {
    appendEvents(journal, frames);
  } else if (had_.values < journal.values().size()) {
    appendValue(journal, frames);
  } else if (sentBookmarks_ != journal.bookmarks()) {
    appendBookmarks(journal.bookmarks(), frames);
  } else if (!ended_ && !recording.mayGrow()) {
    ended_ = true;
    frames += packed(FrameKind::FileEnd, {});
  } else {
    return false;
  }
  return true;
}

// Appends new or changed metadata. "hosted" is last, because a reader takes the metadata for
// complete once it has "hosted".
void RecordingSender::appendMeta(const Journal& journal, std::string& frames) {
  const auto add = [&](const std::string& key, const std::string& value) {
    const auto known = sentMeta_.find(key);
    if (known != sentMeta_.end() && known->second == value) return;
    sentMeta_[key] = value;
    frames += packed(FrameKind::Meta, jsonText(json{key, value}));
  };
  const auto& meta = journal.meta();
  for (const auto& [key, value] : meta) {
    if (key != "format" && key != "hosted") add(key, value);
  }
  if (const auto hosted = meta.find("hosted"); hosted != meta.end()) add("hosted", hosted->second);
}

void RecordingSender::appendSpanEnds(const Journal& journal, std::string& frames) {
  std::erase_if(had_.running, [&](EventId id) {
    const Event event = journal.at(id);
    if (event.duration == Event::kRunning) return false;
    frames += packed(FrameKind::SpanEnd, bytesOf(id) + bytesOf(event.duration) +
                                             (event.exposed == 0 ? "" : bytesOf(event.exposed)));
    return true;
  });
}

void RecordingSender::appendTensors(const Journal& journal, std::string& frames) {
  constexpr TensorId kTogether = 4096;
  std::string body;
  for (TensorId i = 0; i < kTogether && had_.tensors < journal.tensors(); ++i) {
    const TensorId id = ++had_.tensors;
    body += bytesOf(PackedTensor{journal.nameOf(id), journal.specOf(id)});
  }
  frames += packed(FrameKind::Tensors, body);
}

void RecordingSender::appendEvents(const Journal& journal, std::string& frames) {
  EventBlock block{.first = had_.events + 1};
  while (block.events.size() < kBlockEvents && had_.events < journal.size()) {
    const Event event = journal.at(++had_.events);
    block.add(event, journal.inputs(had_.events));
    if (event.duration == Event::kRunning) had_.running.push_back(had_.events);
  }
  const auto bytes = packEvents(block);
  frames += packed(FrameKind::Events,
                   bytesOf(static_cast<std::uint32_t>(block.events.size())) +
                       std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void RecordingSender::appendValue(const Journal& journal, std::string& frames) {
  const auto value = journal.values().at(had_.values++);
  if (!value) return;  // damaged in the recording
  frames += packed(FrameKind::Value, valueBody(*value, journal.elements(*value)));
}

void RecordingSender::appendBookmarks(const Bookmarks& bookmarks, std::string& frames) {
  json all = json::array();
  for (const auto& [event, note] : bookmarks) all.push_back(json::array({event, note}));
  frames += packed(FrameKind::Bookmarks, jsonText(all));
  sentBookmarks_ = bookmarks;
}

}  // namespace shardlens
