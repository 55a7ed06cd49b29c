#include "core/ops/view_algebra.h"

#include "core/model/shard_geometry.h"
#include "core/model/spec.h"
#include "tests/model/written.h"

#include <gtest/gtest.h>

#include <functional>

namespace shardlens {
namespace {

using Elements = std::vector<std::int64_t>;

// Returns the elements of a rank, in local order, as linear indices into the whole tensor.
Elements elementsOf(const Shape& shape, const DeviceMesh& mesh, const Placements& placements,
                    int rank) {
  Elements elements{0};
  const Block block = ownedRuns(shape, mesh, placements, rank);
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    Elements longer;
    for (const auto before : elements) {
      for (const auto& run : block[dim]) {
        for (std::int64_t i = 0; i < run.length; ++i) {
          longer.push_back(before * shape[dim] + run.begin + i);
        }
      }
    }
    elements = std::move(longer);
  }
  return elements;
}

bool sameElements(const DeviceMesh& mesh, const Shape& from, const Placements& input,
                  const Shape& to, const Placements& output) {
  for (int rank = 0; rank < mesh.size(); ++rank) {
    if (elementsOf(from, mesh, input, rank) != elementsOf(to, mesh, output, rank)) return false;
  }
  return true;
}

std::vector<Placement> cutsOf(const Shape& shape, int mostPieces) {
  std::vector<Placement> cuts;
  for (int dim = 0; dim < static_cast<int>(shape.size()); ++dim) {
    cuts.push_back(Shard{dim});
    for (int factor = 2; factor <= mostPieces; ++factor) cuts.push_back(StridedShard{dim, factor});
  }
  return cuts;
}

void forEachLayout(const Shape& shape, std::size_t meshDims, int mostPieces,
                   const std::function<void(const Placements&)>& fn, Placements layout = {}) {
  if (layout.size() == meshDims) return fn(layout);
  auto choices = cutsOf(shape, mostPieces);
  choices.push_back(Replicate{});
  for (const auto& choice : choices) {
    layout.push_back(choice);
    forEachLayout(shape, meshDims, mostPieces, fn, layout);
    layout.pop_back();
  }
}

// Returns true if every sharding mesh dimension has several ranks and leaves none of them empty.
bool allHold(const Shape& shape, const DeviceMesh& mesh, const Placements& placements) {
  Shape most = shape;
  for (std::size_t dim = 0; dim < placements.size(); ++dim) {
    const auto tensorDim = shardedDim(placements[dim]);
    if (!tensorDim) continue;
    const auto* strided = std::get_if<StridedShard>(&placements[dim]);
    const int parts = mesh.size(static_cast<int>(dim));
    auto& n = most[static_cast<std::size_t>(*tensorDim)];
    if (parts == 1 || n < parts * (strided != nullptr ? strided->splitFactor : 1)) return false;
    n = (n + parts - 1) / parts;
  }
  return true;
}

// Returns an output that keeps the first shard that `through` gave up, with the placements left of
// it unchanged. Empty if there is none.
std::string missed(const DeviceMesh& mesh, const Shape& from, const Placements& before,
                   const Shape& to, const ViewPlacements& through) {
  const auto differs = std::mismatch(before.begin(), before.end(), through.input.begin());
  if (differs.first == before.end()) return "";
  const auto dim = static_cast<std::size_t>(differs.first - before.begin());
  Placements input = through.input, output = through.output;
  std::fill(input.begin() + static_cast<std::ptrdiff_t>(dim), input.end(), Replicate{});
  std::fill(output.begin() + static_cast<std::ptrdiff_t>(dim), output.end(), Replicate{});
  input[dim] = before[dim];
  for (const auto& cut : cutsOf(to, 6)) {
    output[dim] = cut;
    if (sameElements(mesh, from, input, to, output)) return toText(output);
  }
  return "";
}

struct Views {
  Shape from;
  std::vector<Shape> to;
};

const std::vector<Views> kViews = {
    {{2, 3}, {{6}, {3, 2}, {2, 3, 1}, {1, 6}}}, {{3, 4}, {{12}, {2, 6}, {6, 2}, {3, 2, 2}, {4, 3}}},
    {{6, 2}, {{12}, {2, 3, 2}, {3, 4}}},        {{2, 2, 3}, {{12}, {4, 3}, {2, 6}, {3, 4}}},
    {{2, 1, 4}, {{8}, {2, 4}, {4, 2}}},         {{8}, {{2, 4}, {2, 2, 2}, {8, 1}, {1, 8}}},
    {{5, 2}, {{10}, {2, 5}, {5, 1, 2}}},        {{0, 3}, {{0}, {3, 0}}},
};

template <class Fn>
void forEachView(Fn fn) {
  for (const std::vector<int>& shape : {std::vector{2}, {3}, {4}, {2, 2}, {3, 2}, {1, 2}}) {
    const auto mesh = meshOf(shape);
    for (const auto& [from, all] : kViews) {
      for (const auto& to : all) {
        forEachLayout(from, shape.size(), 4, [&](const Placements& before) {
          SCOPED_TRACE(toText(Shape(shape.begin(), shape.end())) + " " + toText(from) +
                       toText(before) + " -> " + toText(to));
          fn(*mesh, from, to, before, placementsThrough(from, to, *mesh, before));
        });
      }
    }
  }
}

TEST(ViewAlgebra, ALocalViewEqualsTheShardOfTheGlobalView) {
  forEachView(
      [](const auto& mesh, const auto& from, const auto& to, const auto&, const auto& through) {
        EXPECT_TRUE(sameElements(mesh, from, through.input, to, through.output))
            << toText(through.output);
      });
}

// Skips layouts with empty ranks, because the view does not search equivalent shards for them.
TEST(ViewAlgebra, KeepsEveryShardThatHasANotation) {
  forEachView([](const auto& mesh, const auto& from, const auto& to, const auto& before,
                 const auto& through) {
    if (!allHold(from, mesh, before)) return;
    EXPECT_EQ(missed(mesh, from, before, to, through), "");
  });
}

// An input placement is kept or becomes Replicate.
TEST(ViewAlgebra, OtherPlacementsStay) {
  forEachView([](const auto&, const auto&, const auto&, const auto& before, const auto& through) {
    for (std::size_t dim = 0; dim < before.size(); ++dim) {
      EXPECT_TRUE(through.input[dim] == before[dim] || isReplicate(through.input[dim]));
    }
  });
}

std::string groupsText(const Shape& from, const Shape& to) {
  std::string text;
  for (const auto& [inputs, outputs] : dimGroups(from, to)) {
    text += toText(Shape(inputs.begin(), inputs.end())) + "->" +
            toText(Shape(outputs.begin(), outputs.end())) + " ";
  }
  return text;
}

TEST(DimGroups, AreTheSmallestThatCountTheSameElements) {
  EXPECT_EQ(groupsText({2, 3, 4}, {6, 2, 2}), "[0, 1]->[0] [2]->[1, 2] ");
  EXPECT_EQ(groupsText({2, 3}, {3, 2}), "[0, 1]->[0, 1] ");
  EXPECT_EQ(groupsText({}, {1, 1}), "[]->[0] []->[1] ");
  EXPECT_EQ(groupsText({1, 3, 1}, {3}), "[0]->[] [1]->[0] [2]->[] ");
  EXPECT_EQ(groupsText({2, 1, 3}, {2, 3}), "[0]->[0] [1]->[] [2]->[1] ");
  EXPECT_EQ(groupsText({2, 1, 3}, {6}), "[0, 1, 2]->[0] ");
  EXPECT_EQ(groupsText({3, 2}, {1, 3, 1, 2}), "[]->[0] [0]->[1] []->[2] [1]->[3] ");
}

TEST(DimGroups, RejectOtherElements) {
  EXPECT_THROW(dimGroups({3, 4}, {3, 16}), std::out_of_range);
  EXPECT_THROW(dimGroups({16}, {4}), std::out_of_range);
}

}  // namespace
}  // namespace shardlens
