#include "tests/fuzz/targets.h"

#include "core/base/json_text.h"
#include "core/follow/recording_receiver.h"
#include "core/session/scenario/scenario.h"
#include "core/trace/follow_report.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/protocol.h"
#include "core/trace/snapshot/snapshot_json.h"
#include "core/trace/snapshot/state_index.h"
#include "core/view/event_sentences.h"
#include "core/view/event_words.h"
#include "core/view/snapshot_text.h"
#include "tests/support/scratch_folder.h"

#include <fstream>

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
  (*reader)->settle();
  const Journal& journal = (*reader)->journal();
  StateIndex states(journal);
  for (const EventId position : {journal.size(), journal.size() / 2, EventId{0}}) {
    const Snapshot& snapshot = states.at(position);
    (void)view::snapshotText(journal, snapshot);
    (void)jsonText(snapshotJson(journal, snapshot));
  }
  const view::EventSentences sentences(journal);
  for (EventId id = 1; id <= journal.size(); ++id) {
    (void)view::eventWords(journal, id);
    (void)sentences.text(id);
    (void)sentences.more(id);
  }
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

void fuzzScenario(std::string_view bytes) { (void)parseScenario(bytes, "fuzz.json"); }

void fuzzProtocol(std::string_view bytes) {
  (void)parseRequest(bytes);
  (void)parseReport(bytes);
  (void)parseFollowReport(bytes);
}

}  // namespace shardlens
