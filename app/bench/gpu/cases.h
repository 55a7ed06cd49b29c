#pragma once

#include "app/bench/gpu/copy_clock.h"
#include "app/bench/gpu/figure.h"

#include <cstdint>
#include <vector>

namespace shardlens::bench {

// Measures groups of kernels and reports each figure beside a copy of as many bytes. The functions
// throw std::runtime_error if CUDA fails.
class Cases {
 public:
  explicit Cases(Report report) : report_(std::move(report)) {}

  // Lookups of ids in a table of 1M rows, without and with row-wise sharding. Bytes are those of
  // the rows read and written.
  void lookups();
  // Gradients of such lookups, for even and Zipf ids.
  void gradients();
  // Copies of matrices into parts of their columns.
  void pieces();
  // Sums of 2, 4 and 8 addends of 64 MiB, for each element type.
  void reductions();
  // Cross-entropy of 4096 rows and 32768 classes: loss, gradient, and both.
  void losses();

 private:
  // How often ids occur: all equally, or as words in text, where the n-th most frequent id occurs
  // 1/n times as often as the first.
  enum class Ids { Even, Zipf };

  static std::vector<std::int64_t> drawnIds(std::int64_t count, Ids kind);
  // Measures a lookup in a table of 1M rows, as the first of `ranks` ranks does it in its part.
  void lookup(std::int64_t ids, std::int64_t width, std::int64_t ranks);
  void gradient(std::int64_t ids, std::int64_t width, Ids kind);
  void pack(std::int64_t rows, std::int64_t columns, std::int64_t parts);
  void report(std::string name, double nanoseconds, std::int64_t bytes) {
    report_({std::move(name), nanoseconds, bytes, copies_.nanosecondsOf(bytes)});
  }

  Report report_;
  CopyClock copies_;
};

// Returns the number of rounds so that each works on other memory, of about 1 GiB in total. No
// cache keeps the data of a round until the same round of the next queue.
int roundsFor(std::int64_t bytes);

}  // namespace shardlens::bench
