#pragma once

#include "core/model/rank_ranges.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/merge/program_roles.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/records/site_record.h"
#include "tests/support/scratch_folder.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// Records jobs of four ranks. A letter is an operator, at a line of its own. "!" and "?" are the
// calls all_reduce and reduce_scatter of all ranks. "/" begins a step. "~" at the end leaves the
// step running.
class JobOfRanks {
 public:
  explicit JobOfRanks(const std::vector<std::string>& programs) {
    int rank = 0;
    for (const auto& program : programs) record(rank++, program);
    reader_ = TraceReader::open(folder_.path()).value();
    while (reader_->settle()) continue;
  }
  const Journal& journal() const { return reader_->journal(); }

  std::vector<std::string> roles() const {
    std::vector<std::string> all;
    for (const auto& role : programRoles(journal())) all.push_back(rangesText(role.ranks));
    return all;
  }
  // "2: b of 3, a of 0-2": in step 2.
  std::vector<std::string> divergences() const {
    std::vector<std::string> all;
    for (const auto& each : shardlens::divergences(journal())) {
      all.push_back(std::to_string(each.step) + ": " + text(each.other) + ", " + text(each.most));
    }
    return all;
  }

 private:
  std::string text(const Divergence::Side& side) const {
    const Event event = journal().at(side.event);
    return std::string(journal().name(event)) + " of " + rangesText(side.ranks);
  }

  void record(int rank, const std::string& program) {
    const auto writer =
        TraceWriter::create(folder_ / ("rank-" + std::to_string(rank) + ".shardlens")).value();
    Recorder recorder;
    recorder.addSink(*writer);
    recorder.meta("mesh", "4:dp");
    recorder.meta("hosted", std::to_string(rank));
    recorder.setRanks(std::to_string(rank));
    const auto calls = collectiveTexts(recorder, "0-3", {}, "dp");
    EventId step = 0;
    int steps = 0;
    for (const char letter : program) {
      recorder.setSite({.file = "a.py", .line = letter, .module = "m"});
      if (letter == '/') {
        if (step != 0) recorder.end(step);
        recorder.setStep(++steps, 1);
        step = recorder.begin(makeStep(recorder, "step"));
      } else if (letter == '!' || letter == '?') {
        const auto kind = letter == '!' ? CollectiveKind::AllReduce : CollectiveKind::ReduceScatter;
        recorder.end(recorder.begin(makeCollective(recorder, kind, calls, 0, 4)));
      } else if (letter != '~') {
        recorder.end(recorder.begin(makeOperator(recorder, std::string(1, letter))));
      }
    }
    if (step != 0 && !program.ends_with('~')) recorder.end(step);
    ASSERT_TRUE(writer->close());
  }

  ScratchFolder folder_;
  std::unique_ptr<TraceReader> reader_;
};

}  // namespace shardlens
