#include "core/exports/lookup_rows.h"

#include "core/model/shard_geometry.h"
#include "core/model/spec.h"
#include "core/trace/journal/tensor_ranks.h"

namespace shardlens {
namespace {

constexpr std::int64_t kMostIds = 100'000;

// Assembles the ids of the whole tensor from the recorded shards; -1 where no shard is recorded.
// Empty if the mesh is unknown or there are more than kMostIds ids.
std::vector<std::int64_t> wholeIds(const Journal& journal, TensorId id, EventId position) {
  const TensorRecord tensor = journal.tensor(id);
  const auto mesh = TensorRanks(journal, id).mesh();
  const std::int64_t count = elementCount(tensor.shape);
  if (!mesh || count > kMostIds) return {};
  std::vector<std::int64_t> whole(static_cast<std::size_t>(count), -1);
  for (const int rank : journal.ranksOf(id)) {
    const auto value = journal.value(id, rank, position);
    const auto elements = value && mesh->has(rank) ? journal.elements(*value) : nullptr;
    if (elements == nullptr) continue;
    const Block block = ownedRuns(tensor.shape, *mesh, tensor.placements, rank);
    Shape local;
    for (const Runs& runs : block) local.push_back(totalLength(runs));
    if (local != value->shape) continue;
    const std::int64_t held = elementCount(local);
    for (std::int64_t flat = 0; flat < held; ++flat) {
      std::int64_t place = 0, left = flat, rest = held;
      for (std::size_t dim = 0; dim < local.size(); ++dim) {
        rest /= local[dim];
        place = place * tensor.shape[dim] + globalIndex(block[dim], left / rest);
        left %= rest;
      }
      whole[static_cast<std::size_t>(place)] =
          static_cast<std::int64_t>(elementAt(tensor.dtype, elements->data(), flat));
    }
  }
  return whole;
}

}  // namespace

LookupRows::LookupRows(const Journal& journal, EventId last) {
  for (EventId id = 1; id <= last; ++id) {
    const Event event = journal.at(id);
    if (event.kind == EventKind::Operator &&
        journal.name(event).find("embedding") != std::string_view::npos) {
      lookUp(journal, id, last);
    }
    if (event.kind != EventKind::Result || event.subject == 0 || event.parent == 0) continue;
    const Event around = journal.at(event.parent);
    const auto source =
        around.kind == EventKind::Redistribute ? rows_.find(around.subject) : rows_.end();
    // Skips redistributed ids: masked ids are relative to the first row of their rank.
    if (source != rows_.end() && !source->second->isIds) rows_[event.subject] = source->second;
  }
}

void LookupRows::lookUp(const Journal& journal, EventId op, EventId last) {
  const auto inputs = journal.inputs(op);
  if (inputs.size() < 2 || inputs[0] == 0 || inputs[1] == 0) return;
  const TensorRecord table = journal.tensor(inputs[0]);
  const TensorRecord ids = journal.tensor(inputs[1]);
  if (!isWhole(ids.dtype) || table.shape.size() != 2) return;
  auto rows = std::make_shared<Rows>(
      Rows{.table = table.shape[0], .of = wholeIds(journal, ids.id, op), .isIds = true});
  rows_[ids.id] = rows;
  auto found = std::make_shared<Rows>(*rows);
  found->isIds = false;
  for (EventId id = op + 1; id <= last && journal.at(id).parent >= op; ++id) {
    const Event event = journal.at(id);
    if (event.kind != EventKind::Result || event.parent != op || event.subject == 0) continue;
    Shape expected = ids.shape;
    expected.push_back(table.shape[1]);
    if (journal.tensor(event.subject).shape == expected) rows_[event.subject] = found;
  }
}

const LookupRows::Rows* LookupRows::of(TensorId tensor) const {
  const auto found = rows_.find(tensor);
  return found == rows_.end() ? nullptr : found->second.get();
}

}  // namespace shardlens
