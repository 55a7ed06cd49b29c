#pragma once

#include "core/model/dtype.h"
#include "core/model/event.h"
#include "core/model/mesh.h"
#include "core/model/placement.h"

#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardlens {

// How a tensor lies: the same for all its ranks and all its life. Many tensors of a recording share
// one.
struct SpecRecord {
  DType dtype = DType::Float32;
  Shape shape = {};                     // of the whole
  Placements placements = {};           // none for a mask: its ranks' bits lie side by side
  std::optional<DeviceMesh> mesh = {};  // where it is not the recording's
  bool operator==(const SpecRecord&) const = default;
};
struct SpecRecordHash {
  std::size_t operator()(const SpecRecord& spec) const;
};

// What a journal says of a tensor once. It refers to the journal, and is good for its life.
struct TensorRecord {
  TensorId id;
  const std::string& name;  // "w", "y", "x'" for one that was made on the way
  DType dtype;
  const Shape& shape;
  const Placements& placements;
  const std::optional<DeviceMesh>& mesh;
};

enum class CaptureLevel : std::uint8_t { None, Statistics, All };

// Of the elements that are numbers; all 0 where there is none.
struct Statistics {
  double min = 0, max = 0, mean = 0;
  std::int64_t nans = 0, zeros = 0;
  bool operator==(const Statistics&) const = default;
};

// Elements: row-major bytes of their dtype. Replicas hold the same ones, and so do weights from
// step to step, so many values share them.
using Content = std::shared_ptr<const std::vector<std::byte>>;

// What one rank held of a tensor when an event had happened.
struct ValueRecord {
  EventId event = 0;
  TensorId tensor = 0;
  int rank = 0;
  Shape shape;
  Statistics statistics;
  CaptureLevel level = CaptureLevel::All;
  Content data = {};         // null where only statistics were captured, or they are in a file:
  std::int64_t content = 0;  // under this id; see ShardValues::elements()
};

// One element as a number, whatever the dtype; of a complex one its magnitude.
double elementAt(DType dtype, const std::byte* data, std::int64_t index);

// A complex number is that; any other lies on the real axis.
std::complex<double> complexAt(DType dtype, const std::byte* data, std::int64_t index);

// One element as it is written: "0.1", "-3", "true", "nan", "-inf", "1+2j". Whole numbers keep all
// digits.
std::string elementText(DType dtype, const std::byte* data, std::int64_t index);

// Of complex numbers those of their magnitudes.
Statistics statisticsOf(DType dtype, std::span<const std::byte> data);

}  // namespace shardlens
