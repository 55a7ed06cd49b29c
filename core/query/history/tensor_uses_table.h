#pragma once

#include "core/query/history/tensor_uses.h"
#include "core/view/tables/table.h"
#include "core/view/words/placement_words.h"

#include <memory>

namespace shardlens {

struct TensorColumn {
  enum Place : std::uint8_t { Module, Name, Type, Placement, Made, Uses, LastUse };
};
// A table of all tensors, one row each, in the order of creation. A row refers to the event that
// made the tensor. Marks `marked`. Rows are built on access; the journal must outlive the table.
view::Table tensorsTable(const Journal& journal, std::shared_ptr<const TensorUses> uses,
                         TensorId marked, view::Notation notation = view::Notation::DTensor);

// A table of the uses of a tensor, one row per event, with the sentence of the event. Marks the
// last use at or before `position`. Rows are built on access; the journal must outlive the table.
view::Table tensorUsesTable(const Journal& journal, std::shared_ptr<const TensorUses> uses,
                            TensorId tensor, EventId position,
                            view::Notation notation = view::Notation::DTensor);

}  // namespace shardlens
