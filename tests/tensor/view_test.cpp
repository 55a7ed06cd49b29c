// Views of sharded tensors: memory, gradients, collectives.

#include "core/trace/journal/journal.h"
#include "tests/tensor/ranks.h"

#include <functional>

namespace shardlens {
namespace {

int collectivesOf(const Journal& journal) {
  int count = 0;
  for (EventId id = 1; id <= journal.size(); ++id) {
    if (journal.at(id).kind == EventKind::Collective) ++count;
  }
  return count;
}

TEST(Views, AreOfTheSameMemory) {
  const auto runtime = ranks({2});
  const auto base = distribute(runtime, numbered({4, 6}), placed({"S(1)"}));
  const auto flat = base.view({24});
  EXPECT_EQ(placementsOf(flat), "(SS(0, 4))");
  flat.mul_(2);
  EXPECT_TRUE(at::equal(whole(base), numbered({4, 6}).mul(2)));
  base.t().add_(1);
  EXPECT_TRUE(at::equal(whole(flat), numbered({24}).mul(2).add(1)));
}

// An in-place view operator changes only its own tensor, not the aliases of it.
TEST(Views, InPlaceLeaveAliasesAsTheyAre) {
  const auto runtime = ranks({2});
  const auto base = distribute(runtime, numbered({1, 4, 6}), placed({"S(1)"}));
  auto other = base.alias();
  other.squeeze_().t_();
  EXPECT_EQ(placementsOf(other), "(S(1))");
  EXPECT_EQ(other.sizes(), at::IntArrayRef({6, 4}));
  other.mul_(3);
  EXPECT_TRUE(at::equal(whole(base), numbered({1, 4, 6}).mul(3)));
  EXPECT_TRUE(at::equal(whole(other), numbered({4, 6}).t().mul(3)));
}

// Local tensors may have other strides than the whole.
TEST(Views, NeedNoContiguousParts) {
  const auto runtime = ranks({2});
  Buffers parts;
  for (int rank = 0; rank < 2; ++rank) parts.push_back(numbered({3, 4}).add(rank).t());
  const auto tensor = fromLocals(runtime, parts, placed({"S(0)"}), Shape{8, 3});
  const auto expected = at::cat({parts[0], parts[1]}).flatten();
  EXPECT_TRUE(at::equal(whole(tensor.view({24})), expected));
}

template <class... Sizes>
Shape dims(Sizes... sizes) {
  return {sizes...};
}

using Call = std::function<at::Tensor(const at::Tensor&)>;

struct Case {
  std::string name;
  Call call;
};

const std::vector<Case> kCases = {
    {"view", [](auto& x) { return x.view(dims(3, 8)); }},
    {"reshape of transposed", [](auto& x) { return x.transpose(0, 2).reshape(dims(3, 8)); }},
    {"flatten", [](auto& x) { return x.flatten(); }},
    {"permute", [](auto& x) { return x.permute(dims(2, 0, 1)); }},
    {"expand", [](auto& x) { return x.unsqueeze(1).expand(dims(4, 5, 3, 2)); }},
    {"select", [](auto& x) { return x.select(1, 1); }},
    {"slice", [](auto& x) { return x.slice(0, 1, 4, 2); }},
    {"split", [](auto& x) { return x.split(3)[0] * 2; }},
    {"unbind", [](auto& x) { return x.unbind(1)[2] + x.unbind(1)[0]; }},
    {"cat",
     [](auto& x) {
       return at::cat({x, x * 2}, 1);
     }},
    {"stack",
     [](auto& x) {
       return at::stack({x, x * 2}, 1);
     }},
    {"diagonal", [](auto& x) { return x.diagonal(0, 0, 1); }},
    {"unfold", [](auto& x) { return x.unfold(0, 3, 1); }},
    {"repeat", [](auto& x) { return x.repeat(dims(2, 1, 1)); }},
    {"flip", [](auto& x) { return x.flip(dims(0)); }},
    {"roll", [](auto& x) { return x.roll(1, 1); }},
    {"tril", [](auto& x) { return x.tril(); }},
    {"squeeze", [](auto& x) { return x.slice(1, 0, 1).squeeze(1); }},
    {"pad", [](auto& x) { return at::constant_pad_nd(x, dims(1, 2, 0, 1)); }},
};

TEST(Views, GradientsAreThePlainOnes) {
  for (const auto& [mesh, layout] :
       std::vector<std::pair<std::vector<int>, std::vector<std::string>>>{
           {{2}, {"S(0)"}},
           {{2}, {"S(1)"}},
           {{3}, {"S(0)"}},
           {{2, 2}, {"S(0)", "S(2)"}},
           {{2, 2}, {"S(1)", "S(0)"}}}) {
    const auto runtime = ranks(mesh);
    for (const auto& each : kCases) {
      SCOPED_TRACE(each.name + " " + toText(placed(layout)));
      const auto plain = numbered({4, 3, 2}, 13).requires_grad_();
      const auto sharded =
          distribute(runtime, plain.detach().clone(), placed(layout)).requires_grad_();
      const auto expected = each.call(plain);
      const auto got = each.call(sharded);
      EXPECT_TRUE(at::equal(whole(got.detach()), expected));
      (expected * expected).sum().backward();
      (got * got).sum().backward();
      EXPECT_TRUE(at::equal(whole(sharded.grad()), plain.grad()));
    }
  }
}

// The two views differ only in their offset, which only the calls that made them record.
TEST(Views, WritesOnThemHaveGradients) {
  const auto written = [](const at::Tensor& x) {
    const auto y = x * 1;
    y.slice(1, 3, 5).mul_(2);
    y.slice(1, 0, 2).copy_(y.slice(1, 4, 6));
    (y * y).sum().backward();
    return x.grad();
  };
  const auto expected = written(numbered({4, 6}).requires_grad_());
  for (const char* layout : {"R", "S(0)"}) {
    const auto x = distribute(ranks({2}), numbered({4, 6}), placed({layout})).requires_grad_();
    EXPECT_TRUE(at::equal(whole(written(x)), expected)) << layout;
  }
}

TEST(Views, RefuseDimensionsThatAreNotThere) {
  const auto tensor = distribute(ranks({2}), numbered({4, 6}), placed({"S(0)"}));
  EXPECT_ANY_THROW(tensor.flip({2}));
  EXPECT_ANY_THROW(tensor.flip({0, 0}));
  EXPECT_ANY_THROW(tensor.roll({1, 2}, {0}));
  EXPECT_ANY_THROW(tensor.permute({0, 2}));
  EXPECT_ANY_THROW(tensor.view({5}));
  EXPECT_ANY_THROW(tensor.select(1, 6));
}

TEST(Views, UnevenOnesGatherOnceAndOthersNothing) {
  const auto gathers = [&](const Shape& from, const std::vector<std::string>& layout,
                           const Shape& to) {
    const auto runtime = ranks({2, 2});
    Journal journal;
    runtime->recorder().addSink(journal);
    const auto tensor = distribute(runtime, numbered(from), placed(layout));
    const auto view = tensor.reshape(to);
    const int collectives = collectivesOf(journal);
    EXPECT_TRUE(at::equal(whole(view), numbered(from).reshape(to)));
    runtime->recorder().removeSinks();
    return collectives;
  };
  EXPECT_EQ(gathers({4, 6}, {"S(0)", "S(1)"}, {24}), 0);
  EXPECT_EQ(gathers({24}, {"S(0)", "SS(0, 2)"}, {4, 6}), 0);
  EXPECT_EQ(gathers({3, 4}, {"S(0)", "S(1)"}, {12}), 1);
  EXPECT_EQ(gathers({3, 5}, {"S(0)", "S(1)"}, {15}), 1);
}

}  // namespace
}  // namespace shardlens
