#pragma once

#include "tests/tensor/collectives.h"
#include "tests/tensor/ranks.h"

#include <string>
#include <vector>

namespace shardlens {

// Placements of a table, with one chunk per rank, and of ids, as arguments of a legacy lookup.
struct LegacyLayout {
  int ranks = 4;
  std::vector<int> order;  // ranks that own the table's chunks, in chunk order; empty: ascending
  std::string table;       // "S(0)"
  std::string ids;         // "R"
};

// Returns all placements with 1, 3 and 4 ranks; those with 4 ranks have a table in another order.
inline std::vector<LegacyLayout> everyLegacyLayout() {
  std::vector<LegacyLayout> all;
  for (const auto* table : {"S(0)", "S(1)"}) {
    for (const auto* ids : {"R", "S(0)"}) {
      all.push_back({1, {}, table, ids});
      all.push_back({3, {}, table, ids});
      all.push_back({4, {2, 0, 3, 1}, table, ids});
    }
  }
  return all;
}

inline std::string textOf(const LegacyLayout& layout) {
  return std::to_string(layout.ranks) + (layout.order.empty() ? "" : " in another order") +
         " table " + layout.table + " ids " + layout.ids;
}

// The runtimes of the ids and of the table. They differ only if the layout has an order.
struct LegacyRanks {
  explicit LegacyRanks(const LegacyLayout& layout)
      : ids(ranks({layout.ranks})),
        table(layout.order.empty()
                  ? ids
                  : ids->over(*DeviceMesh::make({layout.ranks}, {}, layout.order))) {}

  std::shared_ptr<Runtime> ids;
  std::shared_ptr<Runtime> table;
};

}  // namespace shardlens
