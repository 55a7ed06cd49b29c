#pragma once

#include "core/model/rank_ranges.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/program_roles.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/records/site_record.h"
#include "tests/support/scratch_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace shardlens {

// Records jobs of four ranks. A letter is an operator, at a line of its own. "!" and "?" are the
// calls all_reduce and reduce_scatter of all ranks. "/" begins a step. "~" at the end leaves the
// step running.
class JobOfRanks {
 public:
  enum class Writers { Close, StayOpen };

  explicit JobOfRanks(const std::vector<std::string>& programs, Writers writers = Writers::Close) {
    for (std::size_t rank = 0; rank < programs.size(); ++rank) {
      ranks_.push_back(std::make_unique<Rank>(folder_.path(), std::to_string(rank)));
    }
    record(programs);
    if (writers == Writers::Close) close();
    reader_ = TraceReader::open(folder_.path()).value();
    if (writers == Writers::Close) settle();
  }

  // Continues programs of which the writers stayed open.
  void grow(const std::vector<std::string>& programs) {
    record(programs);
    while (reader_->refresh().value()) continue;
  }
  void close() {
    for (const auto& rank : ranks_) ASSERT_TRUE(rank->writer->close());
  }
  // Merges also what the end of the recordings could change.
  void settle() {
    while (reader_->refresh().value() || reader_->settle()) continue;
  }

  const Journal& journal() const { return reader_->journal(); }

  std::vector<std::string> roles() const {
    std::vector<std::string> all;
    for (const auto& role : programRoles(journal())) all.push_back(rangesText(role.ranks));
    return all;
  }
  // "2: b of 3, a of 0-2": in step 2.
  std::vector<std::string> divergences() const { return texts(shardlens::divergences(journal())); }
  std::vector<std::string> texts(const std::vector<Divergence>& divergences) const {
    std::vector<std::string> all;
    for (const auto& each : divergences) {
      all.push_back(std::to_string(each.step) + ": " + text(each.other) + ", " + text(each.most));
    }
    return all;
  }

 private:
  struct Rank {
    Rank(const std::filesystem::path& folder, const std::string& rank)
        : writer(TraceWriter::create(folder / ("rank-" + rank + ".shardlens")).value()) {
      recorder.addSink(*writer);
      recorder.meta("mesh", "4:dp");
      recorder.meta("hosted", rank);
      recorder.setRanks(rank);
    }

    std::unique_ptr<TraceWriter> writer;
    Recorder recorder;
    EventId step = 0;
    int steps = 0;
  };

  std::string text(const Divergence::Side& side) const {
    const Event event = journal().at(side.event);
    return std::string(journal().name(event)) + " of " + rangesText(side.ranks);
  }

  void record(const std::vector<std::string>& programs) {
    for (std::size_t rank = 0; rank < programs.size(); ++rank) {
      record(*ranks_[rank], programs[rank]);
      ASSERT_TRUE(ranks_[rank]->writer->flush());
    }
  }
  static void record(Rank& rank, const std::string& program) {
    Recorder& recorder = rank.recorder;
    const auto calls = collectiveTexts(recorder, "0-3", {}, "dp");
    for (const char letter : program) {
      recorder.setSite({.file = "a.py", .line = letter, .module = "m"});
      if (letter == '/') {
        endStep(rank);
        recorder.setStep(++rank.steps, 1);
        rank.step = recorder.begin(makeStep(recorder, "step"));
      } else if (letter == '!' || letter == '?') {
        const auto kind = letter == '!' ? CollectiveKind::AllReduce : CollectiveKind::ReduceScatter;
        recorder.end(recorder.begin(makeCollective(recorder, kind, calls, 0, 4)));
      } else if (letter != '~') {
        recorder.end(recorder.begin(makeOperator(recorder, std::string(1, letter))));
      }
    }
    if (!program.ends_with('~')) endStep(rank);
  }
  static void endStep(Rank& rank) {
    if (rank.step != 0) rank.recorder.end(std::exchange(rank.step, 0));
  }

  const ScratchFolder folder_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::unique_ptr<TraceReader> reader_;
};

}  // namespace shardlens
