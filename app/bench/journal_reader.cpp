#include "app/bench/journal_reader.h"

#include "app/bench/clocks.h"
#include "app/bench/peer.h"
#include "app/bench/process_memory.h"
#include "app/bench/samples.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/snapshot/state_index.h"

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <random>

namespace shardlens {
namespace {

using nlohmann::json;

constexpr int kPositions = 2000;  // of snapshots

// Reads `count` consecutive entries, as a table that is scrolled to `first` does.
template <class State>
void look(const States<State>& all, std::size_t count, std::uint32_t first) {
  for (std::size_t i = 0; i < count && i < all.size(); ++i) {
    benchmark::DoNotOptimize(all[(first + i) % all.size()]);
  }
}

// Measures snapshots at random positions, with reads of a screenful of each table.
json lookAnywhere(StateIndex& states, EventId events) {
  Samples wall, processor;
  std::minstd_rand random;
  for (int i = 0; i < kPositions; ++i) {
    const auto position = static_cast<EventId>(random() % events + 1);
    const auto first = static_cast<std::uint32_t>(random());
    const CallTimer watch;
    const Snapshot snapshot = states.at(position);
    look(snapshot.tensors, 30, first);
    look(snapshot.buffers, 10, first);
    look(snapshot.strategyCache.entries, 20, first);
    const Taken taken = watch.taken();
    wall.add(taken.wall);
    processor.add(taken.processor);
  }
  return {{"median", Taken{wall.median(), processor.median()}},
          {"p95", Taken{wall.quantile(0.95), processor.quantile(0.95)}}};
}

// Reads all events, to sum the bytes of collectives.
Taken readAll(const Journal& journal) {
  const CallTimer watch;
  std::int64_t sent = 0;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    if (event.kind == EventKind::Collective) sent += event.bytes;
  }
  benchmark::DoNotOptimize(sent);
  return watch.taken();
}

}  // namespace

Result<void> runJournalReader(const JournalReaderOptions& options) {
  const double before = residentMiB();
  CallTimer opening;
  const auto reader = TraceReader::open(options.path);
  const Taken open = opening.taken();
  if (!reader) return tl::unexpected(reader.error());
  const int files = openFiles();
  const Journal& journal = (*reader)->journal();
  StateIndex states(journal);
  const CallTimer indexing;
  const Snapshot end = states.at(journal.size());
  const Taken index = indexing.taken();
  json found = lookAnywhere(states, journal.size());
  found.update({{"open", open},
                {"index", index},
                {"all", readAll(journal)},
                {"MiB", peakMiB() - before},
                {"MiB before", before},
                {"files", files},
                {"events", journal.size()},
                {"tensors", journal.tensors()},
                {"buffers", end.buffers.size()},
                {"hits", end.strategyCache.hits + end.planCache.hits},
                {"misses", end.strategyCache.misses + end.planCache.misses}});
  std::cout << found << std::endl;
  return {};
}

Result<json> readJournal(const std::filesystem::path& path) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
  auto reader = Peer::spawn({self, "--read", path.string()}, {});
  if (!reader) return tl::unexpected(reader.error());
  return reader->answer();
}

}  // namespace shardlens
