#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/merge/run_summary.h"

#include <QString>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace shardlens {

// Returns the bytes that the hosted ranks sent in collectives, by mesh axis; "" for collectives
// without one.
std::map<std::string, std::int64_t> bytesByAxis(const Journal& journal);
// The same by the summaries of the recordings of a run.
std::map<std::string, std::int64_t> bytesByAxis(const RunSummary& run);
// Returns the sum, `where` ("in 135 collectives", or empty) and the bytes of each axis:
// "204 KiB in 135 collectives: data 2.4 KiB, model 97 KiB, other 105 KiB". Without axes, the sum.
QString sentText(const std::map<std::string, std::int64_t>& bytes, const QString& where = {});

// The size of all tensors that the recording names on its mesh, of the ranks with the least and the
// most.
struct TensorMemory {
  std::int64_t least = 0;
  std::int64_t most = 0;
  int rank = 0;  // the first one with the most
};
// Returns nullopt without a recorded mesh or tensors, or beyond 64 ranks or 4096 tensors.
std::optional<TensorMemory> tensorMemory(const Journal& journal);

}  // namespace shardlens
