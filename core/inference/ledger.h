#pragma once

#include "core/inference/axes.h"
#include "core/inference/placed_contents.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// An entry of the ledger of a gradient: an event that changed what the gradient means.
struct LedgerEntry {
  enum class Kind {
    Computed,     // by the operator `what`; the first entry, if it was recorded
    Reduced,      // by the collective `what`, over `axes`
    Moved,        // by another collective `what`, over `axes`
    Scaled,       // multiplied by `factor`
    Accumulated,  // another value was added
    Read          // by the optimizer
  };
  Kind kind = Kind::Computed;
  EventId event = 0;
  std::string what = {};                      // "all_reduce", "aten.mm"
  std::string reduction = {};                 // Reduced: "sum"
  bool makesSlices = false;                   // Reduced: by a reduce_scatter
  std::vector<std::size_t> axes = {};         // indices of the axes that the collective spans
  std::vector<std::vector<int>> groups = {};  // of a collective
  std::optional<double> factor = {};  // Scaled; nullopt: a tensor, whose value is not recorded
  std::vector<InferredPlacement> placements = {};  // after the event, for each axis
  std::size_t operation = kNoIndex;                // of the graph; none for Read
  std::size_t variable = kNoIndex;                 // what the gradient contains after the event
  std::size_t from = kNoIndex;  // what the operation read, if the entry is not Computed

  static constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);
};

// What happened to a gradient from its computation until an optimizer read it, in order. Reductions
// of the same contents that came too late follow the entry Read.
struct GradientLedger {
  std::string name;  // "0.weight.grad"
  TensorId tensor = 0;
  EventId read = 0;
  std::vector<LedgerEntry> entries;
  std::vector<int> ranks = {};  // of the stage of a pipeline that has it; empty: all ranks
};

// Returns a ledger, without placements, for each gradient that an optimizer read, in that order.
// Gradients that were copied through a flat bucket are followed through it.
std::vector<GradientLedger> gradientLedgers(const PlainGraph& graph,
                                            const std::vector<RankAxis>& axes);
// Sets the placements of all entries.
void placeLedgers(const PlacedContents& contents, std::size_t axes,
                  std::vector<GradientLedger>& ledgers);

}  // namespace shardlens
