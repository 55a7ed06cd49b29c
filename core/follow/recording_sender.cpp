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
  const std::string head = jsonText(json{{"event", value.event},
                                         {"tensor", value.tensor},
                                         {"rank", value.rank},
                                         {"shape", shapeJson(value.shape)},
                                         {"whole", elements != nullptr}});
  std::string body = bytesOf(static_cast<std::uint32_t>(head.size())) + head;
  body += bytesOf(value.statistics);
  if (elements) body.append(reinterpret_cast<const char*>(elements->data()), elements->size());
  return body;
}

}  // namespace

// Sends frames until one cannot be sent. Nothing is held in memory, so a slow follower of a large
// recording costs its server nothing.
class RecordingSender::Connection {
 public:
  explicit Connection(const Send& send) : send_(send) {}

  void send(FrameKind kind, std::string_view body = {}) {
    if (isLost_) return;
    hasSent_ = true;
    isLost_ = !send_(packed(kind, body));
  }
  bool hasSent() const { return hasSent_; }
  bool isLost() const { return isLost_; }

 private:
  const Send& send_;
  bool hasSent_ = false;
  bool isLost_ = false;
};

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

Result<RecordingSender> RecordingSender::open(const std::filesystem::path& path,
                                              ReceivedSoFar had) {
  auto recording = Recording::open(path);
  if (!recording) return tl::unexpected(recording.error());
  const Journal& journal = (*recording)->journal();
  if (had.strings > journal.strings() || had.specs > journal.specs() ||
      had.routes > journal.routes() || had.tensors > journal.tensors() ||
      had.events > journal.size() || had.values > journal.values().size()) {
    const auto counts = [](std::size_t strings, std::size_t tensors, std::size_t events,
                           std::size_t values) {
      return fmt::format("{} texts, {} tensors, {} events and {} values", strings, tensors, events,
                         values);
    };
    return fail(
        path.string() + " was replaced: got " +
        counts(journal.strings(), journal.tensors(), journal.size(), journal.values().size()) +
        ", expected at least the follower's " +
        counts(had.strings, had.tensors, had.events, had.values));
  }
  std::erase_if(had.running, [&](EventId id) { return id < 1 || id > had.events; });
  std::sort(had.running.begin(), had.running.end());
  return RecordingSender(std::move(*recording), std::move(had));
}

Result<RecordingSender::Sent> RecordingSender::sendNew(const Send& send) {
  if (ended_) return Sent::Nothing;
  const auto loaded = recording_->load();
  if (!loaded) return tl::unexpected(loaded.error());
  ended_ = !recording_->mayGrow();
  Connection connection(send);
  sendAll(connection);
  if (connection.isLost()) return Sent::Disconnected;
  return connection.hasSent() ? Sent::Data : Sent::Nothing;
}

void RecordingSender::sendAll(Connection& connection) {
  const Journal& journal = recording_->journal();
  sendMeta(connection);
  while (!connection.isLost() && had_.strings < journal.strings()) {
    connection.send(FrameKind::Text, journal.text(++had_.strings));
  }
  while (!connection.isLost() && had_.specs < journal.specs()) {
    connection.send(FrameKind::Spec, specBody(journal.spec(++had_.specs)));
  }
  while (!connection.isLost() && had_.routes < journal.routes()) {
    connection.send(FrameKind::Route, routeJson(journal.route(++had_.routes)));
  }
  sendTensors(connection);
  sendEvents(connection);
  sendValues(connection);
  sendBookmarks(connection);
  if (ended_) connection.send(FrameKind::FileEnd);
}

void RecordingSender::sendValues(Connection& connection) {
  const Journal& journal = recording_->journal();
  while (!connection.isLost() && had_.values < journal.values().size()) {
    const auto value = journal.values().at(had_.values++);
    if (!value) continue;  // damaged in the recording
    connection.send(FrameKind::Value, valueBody(*value, journal.elements(*value)));
  }
}

// Sends new or changed metadata. "hosted" is last, because a reader takes the metadata for complete
// once it has "hosted".
void RecordingSender::sendMeta(Connection& connection) {
  const auto add = [&](const std::string& key, const std::string& value) {
    const auto known = sentMeta_.find(key);
    if (known != sentMeta_.end() && known->second == value) return;
    sentMeta_[key] = value;
    connection.send(FrameKind::Meta, jsonText(json{key, value}));
  };
  const auto& meta = recording_->journal().meta();
  for (const auto& [key, value] : meta) {
    if (key != "format" && key != "hosted") add(key, value);
  }
  if (const auto hosted = meta.find("hosted"); hosted != meta.end()) add("hosted", hosted->second);
}

void RecordingSender::sendBookmarks(Connection& connection) {
  const Bookmarks& now = recording_->journal().bookmarks();
  if (now == sentBookmarks_) return;
  json all = json::array();
  for (const auto& [event, note] : now) all.push_back(json::array({event, note}));
  connection.send(FrameKind::Bookmarks, jsonText(all));
  sentBookmarks_ = now;
}

void RecordingSender::sendTensors(Connection& connection) {
  const Journal& journal = recording_->journal();
  constexpr TensorId kTogether = 4096;
  while (!connection.isLost() && had_.tensors < journal.tensors()) {
    std::string body;
    for (TensorId i = 0; i < kTogether && had_.tensors < journal.tensors(); ++i) {
      const TensorId id = ++had_.tensors;
      body += bytesOf(PackedTensor{journal.nameOf(id), journal.specOf(id)});
    }
    connection.send(FrameKind::Tensors, body);
  }
}

void RecordingSender::sendEvents(Connection& connection) {
  const Journal& journal = recording_->journal();
  std::erase_if(had_.running, [&](EventId id) {
    const Event event = journal.at(id);
    if (event.duration == Event::kRunning) return false;
    connection.send(FrameKind::SpanEnd, bytesOf(id) + bytesOf(event.duration) +
                                            (event.exposed == 0 ? "" : bytesOf(event.exposed)));
    return true;
  });
  while (!connection.isLost() && had_.events < journal.size()) {
    EventBlock block{.first = had_.events + 1};
    while (block.events.size() < kBlockEvents && had_.events < journal.size()) {
      const Event event = journal.at(++had_.events);
      block.add(event, journal.inputs(had_.events));
      if (event.duration == Event::kRunning) had_.running.push_back(had_.events);
    }
    const auto bytes = packEvents(block);
    connection.send(FrameKind::Events,
                    bytesOf(static_cast<std::uint32_t>(block.events.size())) +
                        std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
}

}  // namespace shardlens
