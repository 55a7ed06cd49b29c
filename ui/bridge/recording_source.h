#pragma once

#include "core/model/rank_ranges.h"
#include "core/trace/merge/trace_reader.h"
#include "ui/bridge/named_paths.h"

#include <QStringList>
#include <memory>
#include <utility>
#include <vector>

namespace shardlens {

// The recordings of one run, or some of its steps.
struct RecordingSource {
  // Not explicit, because most sources are all steps of some paths.
  RecordingSource(QStringList paths, std::vector<RankRange> steps = {})  // NOLINT(*explicit*)
      : paths(std::move(paths)), steps(std::move(steps)) {}

  bool operator==(const RecordingSource&) const = default;

  QStringList paths;             // a file, a folder, or the files of the run; not empty
  std::vector<RankRange> steps;  // indexes, ascending and disjoint; empty: all steps
};

// Reads the recordings. Called on any thread.
inline Result<std::unique_ptr<TraceReader>> openSource(const RecordingSource& source,
                                                       const Progress& progress) {
  return TraceReader::open(toPaths(source.paths), source.steps, progress);
}

}  // namespace shardlens
