#pragma once

#include "core/model/event.h"
#include "core/model/spec.h"

#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardlens {

// A view of one tensor of a journal: its name, and its spec, which is the same for all ranks and
// never changes. The references point into the journal and are valid while it lives.
struct TensorRecord {
  TensorId id;
  const std::string& name;  // "w", "y"; "x'" for an intermediate result
  DType dtype;
  const Shape& shape;
  const Placements& placements;
  const MeshPtr& mesh;  // null: the recording's mesh
};

// How much of a value is recorded: nothing, its Statistics, these and a hash of its elements, or
// Statistics and all elements.
enum class CaptureLevel : std::uint8_t { None, Statistics, Hashes, All };

// Statistics of the elements of one value. min, max and mean ignore NaN, and are 0 if no element is
// a number.
struct Statistics {
  double min = 0, max = 0, mean = 0;
  std::int64_t nans = 0, zeros = 0;
  bool operator==(const Statistics&) const = default;
};

// The elements of a value: row-major bytes of its dtype, immutable and reference-counted. Values
// with equal elements (replicas, unchanged weights) may share one Content.
using Content = std::shared_ptr<const std::vector<std::byte>>;

// The value that one rank had of a tensor after an event.
struct ValueRecord {
  EventId event = 0;
  TensorId tensor = 0;
  int rank = 0;
  Shape shape;  // of the local shard
  Statistics statistics;
  CaptureLevel level = CaptureLevel::All;
  std::uint64_t hash = 0;  // at the level Hashes: elementHash() of the elements
  // The elements if they are in memory, else null; see ShardValues::elements().
  Content data = {};
  std::int64_t content = 0;  // id of the elements in the recording's file, if `data` is null
};

// Returns element `index` as a double; the magnitude of a complex element. Does not check bounds.
// `data` need not be aligned.
double elementAt(DType dtype, const std::byte* data, std::int64_t index);

// Returns element `index` as a complex number; the imaginary part of a real element is 0.
std::complex<double> complexAt(DType dtype, const std::byte* data, std::int64_t index);

// Returns element `index` as text: "0.1", "-3", "true", "nan", "-inf", "1+2j". Integers keep all
// digits; floating values have the shortest text that reads back as the same value.
std::string elementText(DType dtype, const std::byte* data, std::int64_t index);

// Returns the statistics of `data`, elements of `dtype`. Complex elements count by their
// magnitudes. Empty data gives zeros. An incomplete last element is ignored.
Statistics statisticsOf(DType dtype, std::span<const std::byte> data);

}  // namespace shardlens
