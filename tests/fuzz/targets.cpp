#include "tests/fuzz/targets.h"

#include "core/base/check.h"
#include "core/base/json_text.h"
#include "core/checkpoints/checkpoint_check.h"
#include "core/checkpoints/checkpoint_json.h"
#include "core/follow/recording_receiver.h"
#include "core/imports/import_dumps.h"
#include "core/protocol/engine_protocol.h"
#include "core/protocol/follow_report.h"
#include "core/query/language/completer.h"
#include "core/query/language/event_filter.h"
#include "core/query/problems/problems.h"
#include "core/session/scenario/scenario.h"
#include "core/trace/events/packed_events.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/snapshot/snapshot_json.h"
#include "core/trace/snapshot/state_index.h"
#include "core/view/words/event_sentences.h"
#include "core/view/words/event_words.h"
#include "core/view/words/snapshot_text.h"
#include "tests/support/scratch_folder.h"

#include <zstd.h>

#include <array>
#include <fstream>
#include <optional>
#include <vector>

namespace shardlens {
namespace {

const std::filesystem::path& scratchFile() {
  static const ScratchFolder kFolder;
  static const std::filesystem::path kFile = kFolder / "run.shardlens";
  return kFile;
}

void show(const std::filesystem::path& path) {
  const auto reader = TraceReader::open(path);
  if (!reader) return;
  while ((*reader)->settle()) continue;
  const Journal& journal = (*reader)->journal();
  StateIndex states(journal);
  for (const EventId position : {journal.size(), journal.size() / 2, EventId{0}}) {
    const Snapshot& snapshot = states.at(position);
    (void)view::snapshotText(journal, snapshot);
    (void)jsonText(snapshotJson(journal, snapshot));
  }
  (void)findProblems(journal);
  Completer completer(journal);
  while (completer.look()) {
  }
  (void)completer.complete("name:", 5);
  (void)EventFilter(journal, parseQuery("x -op:y placement:S rank:0 nan axis:tp module:m").value())
      .next(0);
  const view::EventSentences sentences(journal);
  for (EventId id = 1; id <= journal.size(); ++id) {
    (void)view::eventWords(journal, id);
    (void)sentences.text(id);
    (void)sentences.more(id);
  }
}

// Returns a well-formed recording. Fuzzed events take their texts, specs and tensors from it.
const Journal& others() {
  static const auto kReader =
      TraceReader::open(SHARDLENS_SOURCE_DIR "/tests/fuzz/corpus/recording/01.shardlens").value();
  return kReader->journal();
}

bool record(const std::filesystem::path& path, std::string_view hosted, const EventBlock& block) {
  const auto writer = TraceWriter::create(path);
  if (!writer) return false;
  EventSink& sink = **writer;
  for (const auto& [key, value] : others().meta()) {
    if (key != "hosted") sink.onMeta(key, value);
  }
  sink.onMeta("hosted", hosted);
  for (StringId id = 1; id <= others().strings(); ++id) sink.onString(id, others().text(id));
  for (SpecId id = 1; id <= others().specs(); ++id) sink.onSpec(id, others().spec(id));
  for (RouteId id = 1; id <= others().routes(); ++id) sink.onRoute(id, others().route(id));
  for (TensorId id = 1; id <= others().tensors(); ++id) {
    sink.onTensor(id, others().nameOf(id), others().specOf(id));
  }
  block.forEach([&](EventId id, const Event& event, std::span<const TensorId> inputs) {
    sink.onEvent(id, event, inputs);
  });
  return (*writer)->close().has_value();
}

EventBlock othersEvents() {
  EventBlock block{.first = 1};
  for (EventId id = 1; id <= others().size(); ++id) block.add(others().at(id), others().inputs(id));
  return block;
}

// Returns the number of events that the first two bytes declare, or nullopt if there are fewer.
std::optional<std::size_t> countOf(std::string_view bytes) {
  if (bytes.size() < 2) return std::nullopt;
  return static_cast<std::uint8_t>(bytes[0]) | static_cast<std::uint8_t>(bytes[1]) << 8U;
}

// Compresses the bytes into a frame and unpacks it. Returns nullopt if they are no valid events.
std::optional<EventBlock> contentOf(std::string_view bytes) {
  const auto count = countOf(bytes);
  if (!count) return std::nullopt;
  std::vector<std::byte> frame(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), /*level=*/1);
  SL_CHECK(ZSTD_isError(size) == 0, "zstd has room for what it may need");
  EventBlock block{.events = std::vector<Event>(*count)};
  if (!unpackEvents(std::span(frame).first(size), 1, block)) return std::nullopt;
  return block;
}

}  // namespace

void fuzzRecording(std::string_view bytes) {
  std::ofstream(scratchFile(), std::ios::binary | std::ios::trunc) << bytes;
  show(scratchFile());
}

void fuzzFrames(std::string_view bytes) {
  std::error_code gone;
  std::filesystem::remove(scratchFile(), gone);
  {
    auto receiver = RecordingReceiver::create(scratchFile());
    if (!receiver) return;
    while (bytes.size() >= kFrameHead) {
      const auto kind = static_cast<FrameKind>(bytes[kFrameHead - 1]);
      const std::size_t size = bodySize(bytes.substr(0, kFrameHead));
      bytes.remove_prefix(kFrameHead);
      if (size > bytes.size()) break;
      if (!receiver->take({kind, std::string(bytes.substr(0, size))})) break;
      bytes.remove_prefix(size);
    }
    (void)receiver->flush();
  }
  show(scratchFile());
}

void fuzzEvents(std::string_view bytes) {
  const auto count = countOf(bytes);
  if (!count) return;
  EventBlock framed{.events = std::vector<Event>(*count)};
  (void)unpackEvents(std::as_bytes(std::span(bytes.substr(2))), 1, framed);
  const auto block = contentOf(bytes);
  if (!block) return;
  EventBlock again{.events = std::vector<Event>(*count)};
  const bool isSame = unpackEvents(packEvents(*block), 1, again) && again.events == block->events &&
                      again.inputs == block->inputs;
  SL_CHECK(isSame, "events that are packed are the same when they are unpacked");
  if (record(scratchFile(), "0-3", *block)) show(scratchFile());
}

void fuzzMerge(std::string_view bytes) {
  static const ScratchFolder kFolder;
  static const bool kIsThere = record(kFolder / "rank-0.shardlens", "0", othersEvents());
  const auto block = contentOf(bytes);
  if (kIsThere && block && record(kFolder / "rank-1.shardlens", "1", *block)) show(kFolder.path());
}

void fuzzImport(std::string_view bytes) {
  static const ScratchFolder kFolder;
  const auto into = kFolder / "into";
  std::ofstream(kFolder / "dump", std::ios::binary | std::ios::trunc) << bytes;
  if (importDumps({kFolder / "dump"}, into)) show(into);
  std::filesystem::remove_all(into);
}

void fuzzCheckpoint(std::string_view bytes) {
  static const ScratchFolder kFolder;
  static const std::filesystem::path kSample =
      SHARDLENS_SOURCE_DIR "/tests/checkpoints/samples/dcp-2";
  static const Checkpoint kWhole = openCheckpoint(kSample).value();
  if (bytes.empty()) return;
  static constexpr std::array<const char*, 3> kNames = {".metadata", "__0_0.distcp",
                                                        "a.safetensors"};
  const std::string name = kNames.at(static_cast<unsigned char>(bytes[0]) % kNames.size());
  const auto overwrite = std::filesystem::copy_options::overwrite_existing;
  std::filesystem::copy(kSample, kFolder.path(), overwrite);
  std::ofstream(kFolder / name, std::ios::binary | std::ios::trunc) << bytes.substr(1);
  auto checkpoint = openCheckpoint(name == kNames[2] ? kFolder / name : kFolder.path());
  if (!checkpoint) return;
  checkCheckpoint(*checkpoint);
  (void)compareCheckpoints(*checkpoint, kWhole);
  (void)jsonText(checkpointJson(*checkpoint));
}

void fuzzScenario(std::string_view bytes) { (void)parseScenario(bytes, "fuzz.json"); }

void fuzzProtocol(std::string_view bytes) {
  (void)parseRequest(bytes);
  (void)parseReport(bytes);
  (void)parseFollowReport(bytes);
}

}  // namespace shardlens
