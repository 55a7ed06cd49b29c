// Compares every rule with the plain operator, under all placements of small tensors on small
// meshes.

#include "tests/tensor/ranks.h"
#include "tests/tensor/rules/samples.h"

#include <ATen/Parallel.h>

#include <random>

namespace shardlens {
namespace {

using Layouts = std::vector<Placements>;  // one per tensor

// Returns the placements that one mesh dimension may have. If `inner`, the size of the next mesh
// dimension, is above 1, this includes shards that are strided for it.
std::vector<Placement> possible(const Sample& sample, const at::Tensor& tensor, int inner) {
  std::vector<Placement> all{Replicate{}};
  for (int dim = 0; dim < tensor.dim(); ++dim) {
    all.push_back(Shard{dim});
    if (inner > 1) all.push_back(StridedShard{dim, inner});
  }
  if (sample.terms == Sample::Terms::None) return all;
  const bool ordered = tensor.is_floating_point();
  if (ordered || tensor.is_complex()) {
    for (const auto op : {ReduceOp::Sum, ReduceOp::Avg}) all.push_back(Partial{op});
  }
  if (ordered) all.push_back(Partial{ReduceOp::Max});
  return all;
}

std::vector<Placements> layoutsOf(const Sample& sample, const at::Tensor& tensor,
                                  const DeviceMesh& mesh) {
  std::vector<Placements> layouts{{}};
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    const int inner = dim + 1 < mesh.ndim() ? mesh.size(dim + 1) : 1;
    std::vector<Placements> longer;
    for (const auto& placement : possible(sample, tensor, inner)) {
      for (auto layout : layouts) {
        layout.push_back(placement);
        if (verifyPlacements(layout, mesh, static_cast<int>(tensor.dim())) ||
            static_cast<int>(layout.size()) < mesh.ndim()) {
          longer.push_back(std::move(layout));
        }
      }
    }
    layouts = std::move(longer);
  }
  return layouts;
}

// Calls fn with each combination of placements of the sample's tensors, or with kMost pseudo-random
// ones if there are more.
template <class Fn>
void forEachLayout(const Sample& sample, const DeviceMesh& mesh, Fn fn) {
  constexpr std::size_t kMost = 400;
  std::vector<std::vector<Placements>> choices;
  std::size_t count = 1;
  for (const auto& tensor : sample.tensors) {
    choices.push_back(layoutsOf(sample, tensor, mesh));
    count *= choices.back().size();
  }
  std::mt19937_64 random(7);
  for (std::size_t n = 0; n < std::min(count, kMost); ++n) {
    std::size_t number = count <= kMost ? n : random() % count;
    Layouts layouts;
    for (const auto& each : choices) {
      layouts.push_back(each[number % each.size()]);
      number /= each.size();
    }
    fn(layouts);
  }
}

std::string textOf(const Layouts& layouts) {
  std::string text;
  for (const auto& layout : layouts) text += toText(layout) + " ";
  return text;
}

Sample::Tensors laid(const std::shared_ptr<Runtime>& runtime, const Sample& sample,
                     const Layouts& layouts) {
  Sample::Tensors sharded;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    sharded.push_back(distribute(runtime, sample.tensors[i].clone(), layouts[i]));
  }
  return sharded;
}

// One thread, because the tensors are too small for several.
class Rules : public testing::TestWithParam<Sample> {
 protected:
  Rules() { at::set_num_threads(1); }
};

TEST_P(Rules, GiveThePlainResultUnderEveryPlacement) {
  const auto& sample = GetParam();
  const auto expected = plainResults(sample);
  for (const std::vector<int>& shape : {std::vector{2}, {3}, {2, 2}, {3, 2}}) {
    const auto runtime = ranks(shape);
    forEachLayout(sample, *runtime->mesh(), [&](const Layouts& layouts) {
      if (HasFailure()) return;  // one failing layout suffices
      SCOPED_TRACE(toText(Shape(shape.begin(), shape.end())) + " " + textOf(layouts));
      Sample::Tensors results;
      try {
        results = sample.call(laid(runtime, sample, layouts));
      } catch (const std::exception& error) {
        const std::string message = error.what();
        // An in-place operator cannot redistribute its output.
        if (message.find("in-place operations that require") == std::string::npos) {
          ADD_FAILURE() << message.substr(0, message.find('\n'));
        }
        return;
      }
      ASSERT_EQ(results.size(), expected.size());
      for (std::size_t i = 0; i < results.size(); ++i) {
        const auto got = whole(results[i]);
        EXPECT_TRUE(matches(sample, got, expected[i]))
            << "result " << i << " " << placementsOf(results[i]) << "\n"
            << got << "\nexpected\n"
            << expected[i];
      }
    });
  }
}

std::string nameOf(const testing::TestParamInfo<Sample>& info) {
  std::string name = info.param.name;
  for (auto& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Every, Rules, testing::ValuesIn(allSamples()), nameOf);

}  // namespace
}  // namespace shardlens
