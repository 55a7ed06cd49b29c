#include "core/exports/page_shards.h"

#include "core/model/shard_geometry.h"
#include "core/model/spec.h"
#include "core/trace/journal/tensor_ranks.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace shardlens {
namespace {

using nlohmann::ordered_json;

constexpr int kMostRanks = 64;
constexpr std::int64_t kMostRows = 24, kMostColumns = 12;

// Returns index / (count - 1), rounded to 1/1000, which is enough for a colour; 0 if count <= 1.
double share(std::int64_t index, std::int64_t count) {
  return count > 1
             ? std::round(1000.0 * static_cast<double>(index) / static_cast<double>(count - 1)) /
                   1000
             : 0;
}

// A shard as a sheet of rows and columns: all dimensions but the last form the rows. A vector is
// one row, but its elements are limited, masked and labelled as rows.
struct Sheet {
  std::int64_t rows = 1;
  std::int64_t columns = 1;

  explicit Sheet(const Shape& shape) {
    if (shape.empty()) return;
    columns = shape.back();
    for (std::size_t dim = 0; dim + 1 < shape.size(); ++dim) rows *= shape[dim];
  }
};

// Returns the row of the whole tensor that corresponds to a row of the shard.
std::int64_t globalRow(const Block& block, const Shape& local, const Shape& whole,
                       std::int64_t row) {
  const std::size_t dims = local.size() > 1 ? local.size() - 1 : 1;
  std::int64_t rest = 1, place = 0;
  for (std::size_t dim = 0; dim < dims; ++dim) rest *= local[dim];
  for (std::size_t dim = 0; dim < dims; ++dim) {
    rest /= std::max<std::int64_t>(local[dim], 1);
    place = place * whole[dim] + globalIndex(block[dim], row / rest);
    row %= rest;
  }
  return place;
}

std::int64_t rowsOf(const Shape& whole) {
  const Sheet sheet(whole);
  return whole.size() < 2 ? sheet.columns : sheet.rows;
}

}  // namespace

ordered_json PageShards::at(TensorId tensor, TensorId mask, EventId position) {
  ordered_json parts = ordered_json::array();
  const TensorRanks ranks(journal_, tensor);
  for (const int rank : ranks.first(kMostRanks)) {
    const auto value = journal_.value(tensor, rank, position);
    ordered_json part;
    if (value) {
      part = partOf(tensor, mask, *value, position);
    } else {
      part["why"] = ranks.of(rank) == RankLocation::NotInMesh ? "not in the tensor's mesh"
                    : ranks.of(rank) == RankLocation::OtherProcess
                        ? "in another process's recording"
                        : "no values were recorded";
    }
    const auto same = std::find_if(parts.begin(), parts.end(),
                                   [&](const auto& known) { return known["part"] == part; });
    if (same != parts.end()) {
      (*same)["ranks"].push_back(rank);
    } else {
      if (part.contains("text")) cells_ += static_cast<std::int64_t>(part["text"].size());
      parts.push_back({{"ranks", {rank}}, {"part", std::move(part)}});
    }
  }
  for (auto& part : parts) {
    ordered_json flat = std::move(part["part"]);
    flat["ranks"] = part["ranks"];
    part = std::move(flat);
  }
  return parts;
}

ordered_json PageShards::partOf(TensorId id, TensorId mask, const ValueRecord& value,
                                EventId position) {
  const TensorRecord tensor = journal_.tensor(id);
  const Shape& local = value.shape;
  const Sheet sheet(local);
  ordered_json part = {{"shape", local}};
  const Content elements = journal_.elements(value);
  if (elements == nullptr) {
    const Statistics& statistics = value.statistics;
    part["why"] = fmt::format(
        "only statistics: min {:.6g}, max {:.6g}, mean {:.6g}, {} zeros, {} nans", statistics.min,
        statistics.max, statistics.mean, statistics.zeros, statistics.nans);
    return part;
  }
  const std::int64_t most = local.size() < 2 ? kMostRows : kMostColumns;
  const std::int64_t rows = std::min(sheet.rows, kMostRows);
  const std::int64_t columns = std::min(sheet.columns, most);
  part["rows"] = rows;
  part["columns"] = columns;
  if (rows < sheet.rows || columns < sheet.columns) {
    part["more"] = local.size() < 2
                       ? fmt::format("the first {} of {} elements", columns, sheet.columns)
                       : fmt::format("the first {} of {} rows, {} of {} columns", rows, sheet.rows,
                                     columns, sheet.columns);
  }
  ordered_json text = ordered_json::array();
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      text.push_back(elementText(tensor.dtype, elements->data(), row * sheet.columns + column));
    }
  }
  part["text"] = std::move(text);

  const auto bits = mask == 0 ? std::nullopt : journal_.value(mask, value.rank, position);
  const Content masked = bits ? journal_.elements(*bits) : nullptr;
  const std::int64_t lines = local.size() < 2 ? columns : rows;
  if (masked != nullptr && static_cast<std::int64_t>(masked->size()) >= lines) {
    for (std::int64_t i = 0; i < lines; ++i) {
      part["masked"].push_back((*masked)[static_cast<std::size_t>(i)] == std::byte{0} ? 0 : 1);
    }
  }

  const std::optional<DeviceMesh> mesh = TensorRanks(journal_, id).mesh();
  if (!mesh || !mesh->has(value.rank) || local.empty()) return part;
  const Block block = ownedRuns(tensor.shape, *mesh, tensor.placements, value.rank);
  for (std::size_t dim = 0; dim < local.size(); ++dim) {
    if (totalLength(block[dim]) != local[dim]) return part;
  }
  const auto* lookup = rows_.of(id);
  for (std::int64_t i = 0; i < lines; ++i) {
    const std::int64_t row = globalRow(block, local, tensor.shape, i);
    const bool isKnown =
        lookup != nullptr && row >= 0 && row < static_cast<std::int64_t>(lookup->of.size());
    const std::int64_t fetched = isKnown ? lookup->of[static_cast<std::size_t>(row)] : -1;
    part["along"].push_back(fetched >= 0 ? share(fetched, lookup->table)
                                         : share(row, rowsOf(tensor.shape)));
    part["labels"].push_back(std::to_string(fetched >= 0 && !lookup->isIds ? fetched : row));
  }
  if (local.size() < 2) return part;
  for (std::int64_t i = 0; i < columns; ++i) {
    part["across"].push_back(share(globalIndex(block.back(), i), tensor.shape.back()));
  }
  return part;
}

}  // namespace shardlens
