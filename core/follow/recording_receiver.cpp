#include "core/follow/recording_receiver.h"

#include "core/base/json_text.h"
#include "core/trace/events/packed_events.h"
#include "core/trace/file/bookmark_file.h"
#include "core/trace/file/trace_schema.h"
#include "core/trace/records/trace_rows.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace shardlens {

using nlohmann::json;

namespace {

// Spans of a run nest, so that few are running at a time.
constexpr std::size_t kMostRunning = std::size_t{1} << 16;

tl::unexpected<Error> bad(const char* what) {
  return fail(std::string("the server sent ") + what + " that is malformed");
}

}  // namespace

Result<RecordingReceiver> RecordingReceiver::create(const std::filesystem::path& path) {
  auto writer = TraceWriter::create(path);
  if (!writer) return tl::unexpected(writer.error());
  return RecordingReceiver(path, std::move(*writer));
}

Result<void> RecordingReceiver::take(const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::Meta:
      return takeMeta(frame.body);
    case FrameKind::Text:
      writer_->onString(++had_.strings, frame.body);
      return {};
    case FrameKind::Spec:
      return takeSpec(frame.body);
    case FrameKind::Route:
      return takeRoute(frame.body);
    case FrameKind::Tensors:
      return takeTensors(frame.body);
    case FrameKind::Events:
      return takeEvents(frame.body);
    case FrameKind::SpanEnd:
      return takeSpanEnd(frame.body);
    case FrameKind::Value:
      return takeValue(frame.body);
    case FrameKind::Bookmarks:
      return takeBookmarks(frame.body);
    case FrameKind::FileEnd:
      return writer_->close();
    default:
      return bad("a frame");
  }
}

Result<void> RecordingReceiver::takeMeta(const std::string& body) {
  const json pair = parsedJson(body);
  if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string()) {
    return bad("a key with its value");
  }
  writer_->onMeta(pair[0].get<std::string>(), pair[1].get<std::string>());
  return {};
}

Result<void> RecordingReceiver::takeSpec(const std::string& body) {
  const json fields = parsedJson(body);
  try {
    const auto dtype = parseDType(fields.at("dtype").get<std::string>());
    auto shape = parseShapeJson(fields.at("shape").get<std::string>());
    auto placements = parsePlacementsJson(fields.at("placements").get<std::string>());
    if (!dtype || !shape || !placements) return bad("a spec");
    Spec spec(*dtype, std::move(*shape), std::move(*placements));
    if (fields.contains("mesh")) {
      auto mesh = parseMeshJson(fields["mesh"].get<std::string>());
      if (!mesh) return bad("a spec");
      spec.mesh = shared(std::move(*mesh));
    }
    writer_->onSpec(++had_.specs, spec);
    return {};
  } catch (const json::exception&) {
    return bad("a spec");
  }
}

Result<void> RecordingReceiver::takeRoute(const std::string& body) {
  const auto route = parseRouteJson(body);
  if (!route) return bad("a route");
  writer_->onRoute(++had_.routes, *route);
  return {};
}

Result<void> RecordingReceiver::takeTensors(const std::string& body) {
  if (body.size() % sizeof(PackedTensor) != 0) return bad("tensors");
  for (std::size_t at = 0; at < body.size(); at += sizeof(PackedTensor)) {
    PackedTensor tensor;
    std::memcpy(&tensor, body.data() + at, sizeof(tensor));
    writer_->onTensor(++had_.tensors, tensor.name, tensor.spec);
  }
  return {};
}

Result<void> RecordingReceiver::takeEvents(const std::string& body) {
  std::uint32_t count = 0;
  if (body.size() < sizeof(count)) return bad("events");
  std::memcpy(&count, body.data(), sizeof(count));
  if (count > kBlockEvents) return bad("events");
  EventBlock block{.events = std::vector<Event>(count)};
  const auto packed = std::as_bytes(std::span(body)).subspan(sizeof(count));
  if (!unpackEvents(packed, had_.events + 1, block)) return bad("events");
  block.forEach([this](EventId id, const Event& event, std::span<const TensorId> inputs) {
    writer_->onEvent(id, event, inputs);
    if (event.duration == Event::kRunning) had_.running.push_back(id);
  });
  had_.events += count;
  if (had_.running.size() > kMostRunning) return bad("a number of running spans");
  return {};
}

Result<void> RecordingReceiver::takeSpanEnd(const std::string& body) {
  EventId id = 0;
  std::int64_t duration = 0, exposed = 0;
  const std::size_t least = sizeof(id) + sizeof(duration);
  const bool isExposed = body.size() == least + sizeof(exposed);
  if (body.size() != least && !isExposed) return bad("the end of a span");
  std::memcpy(&id, body.data(), sizeof(id));
  std::memcpy(&duration, body.data() + sizeof(id), sizeof(duration));
  if (isExposed) std::memcpy(&exposed, body.data() + least, sizeof(exposed));
  if (duration < 0 || exposed < 0) return bad("the end of a span");
  const auto span = std::lower_bound(had_.running.begin(), had_.running.end(), id);
  if (span == had_.running.end() || *span != id) return bad("the end of a span");
  had_.running.erase(span);
  if (exposed > 0) writer_->onExposed(id, exposed);
  writer_->onEnd(id, duration);
  return {};
}

Result<void> RecordingReceiver::takeValue(const std::string& body) {
  std::uint32_t size = 0;
  ValueRecord value;
  if (body.size() < sizeof(size)) return bad("a value");
  std::memcpy(&size, body.data(), sizeof(size));
  if (body.size() - sizeof(size) < size + sizeof(Statistics)) return bad("a value");
  const std::string_view rest = std::string_view(body).substr(sizeof(size));
  const json head = parsedJson(rest.substr(0, size));
  try {
    value.event = head.at("event");
    value.tensor = head.at("tensor");
    value.rank = head.at("rank");
    auto shape = parseShapeJson(head.at("shape").get<std::string>());
    if (!shape) return bad("a value");
    value.shape = std::move(*shape);
    std::memcpy(&value.statistics, rest.data() + size, sizeof(Statistics));
    const auto data = rest.substr(size + sizeof(Statistics));
    value.level = head.at("whole").get<bool>() ? CaptureLevel::All : CaptureLevel::Statistics;
    if (value.level == CaptureLevel::All) {
      const auto* first = reinterpret_cast<const std::byte*>(data.data());
      value.data = std::make_shared<const std::vector<std::byte>>(first, first + data.size());
    } else if (head.contains("hash")) {
      value.level = CaptureLevel::Hashes;
      value.hash = head.at("hash");
    }
  } catch (const json::exception&) {
    return bad("a value");
  }
  writer_->onValue(value);
  ++had_.values;
  return {};
}

Result<void> RecordingReceiver::takeBookmarks(const std::string& body) {
  Bookmarks now;
  try {
    for (const json& each : parsedJson(body)) {
      const std::int64_t event = each.at(0);
      if (event < 1 || event > std::numeric_limits<EventId>::max()) return bad("bookmarks");
      now.insert_or_assign(static_cast<EventId>(event), each.at(1).get<std::string>());
    }
  } catch (const json::exception&) {
    return bad("bookmarks");
  }
  std::vector<BookmarkChange> changes;
  for (const auto& [event, note] : bookmarks_) {
    if (!now.contains(event)) changes.push_back({event, std::nullopt});
  }
  for (const auto& [event, note] : now) {
    const auto before = bookmarks_.find(event);
    if (before == bookmarks_.end() || before->second != note) changes.push_back({event, note});
  }
  bookmarks_ = std::move(now);
  return keepBookmarks(path_, changes);
}

}  // namespace shardlens
