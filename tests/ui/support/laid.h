#pragma once

#include "core/trace/snapshot/state_index.h"
#include "tests/ui/support/lookup_run.h"
#include "ui/scenes/assembled.h"
#include "ui/scenes/shards_scene.h"

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace shardlens {

inline constexpr QSizeF kArea(800, 400);

// The layout of one tensor's shards at a position, and the assembled whole tensor.
struct Laid {
  Journal journal;
  std::unique_ptr<StateIndex> states;
  TensorView view;
  ShardsScene scene;
  Assembled whole;

  void at(EventId position, TensorId tensor, QSizeF area = kArea) {
    states = std::make_unique<StateIndex>(journal);
    const Snapshot& snapshot = states->at(position);
    view = viewTensor(journal, snapshot, tensor);
    const ShardsSource source(journal, snapshot, view, firstSlice(*view.record), false);
    scene = layoutShards(source, area);
    layCells(source, scene, QRectF(QPointF(), scene.size));
    whole = assemble(journal, snapshot, view);
  }
};

// Returns the layout of a recorded tensor with these placements, see recordTensor().
inline Laid tensor(const char* mesh, Shape shape, Placements placements,
                   const Recorded& recorded = {}) {
  Laid laid;
  recordTensor(laid.journal, mesh, std::move(shape), std::move(placements), recorded);
  laid.at(laid.journal.size(), 1);
  return laid;
}

// Returns the layout of a tensor of the lookup's recording, at its nth event of a kind.
inline Laid lookup(EventKind kind, int nth, const char* name) {
  Laid laid;
  recordLookup(laid.journal);
  laid.at(LookupRun::find(laid.journal, kind, nth), LookupRun::tensor(laid.journal, name));
  return laid;
}

// Replaces the value of the tensor on one rank, for the same event.
inline void overwrite(Journal& journal, int rank, const std::vector<float>& values) {
  ValueRecord other = *journal.value(1, rank, journal.size());
  auto bytes = std::make_shared<std::vector<std::byte>>(values.size() * sizeof(float));
  std::memcpy(bytes->data(), values.data(), bytes->size());
  other.statistics = statisticsOf(DType::Float32, *bytes);
  other.data = std::move(bytes);
  journal.onValue(other);
}

// Return the texts of a card's cells, and its row labels.
inline std::vector<QString> textsOf(const ShardCard& card) {
  std::vector<QString> texts;
  for (const ShardCell& cell : card.cells) {
    texts.push_back(cell.text);
  }
  return texts;
}

inline std::vector<QString> labelsOf(const ShardCard& card) {
  std::vector<QString> labels;
  for (const RowLabel& label : card.labels) {
    labels.push_back(label.text);
  }
  return labels;
}

}  // namespace shardlens
