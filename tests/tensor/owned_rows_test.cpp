// Pending lookups that are stored as rows with one owner each. Reduced, they equal sums of partial
// values. Access to the local tensors converts them to partial values.

#include "core/trace/journal/journal.h"
#include "core/trace/records/plan_record.h"
#include "tests/tensor/ranks.h"

#include <algorithm>
#include <cmath>

namespace shardlens {
namespace {

// So wide that rows are worth packing, even a single one for six ranks.
constexpr std::int64_t kWide = 25000;
constexpr std::int64_t kRowBytes = kWide * 4;

// A lookup of replicated ids in a table that is sharded by rows on every mesh dimension.
struct Lookup {
  Lookup(const std::vector<int>& mesh, const at::Tensor& plainTable, const at::Tensor& words)
      : runtime(ranks(mesh)),
        dims(mesh.size()),
        table(distribute(runtime, plainTable, Placements(dims, Shard{0}))),
        pending(at::embedding(table, distribute(runtime, words, Placements(dims, Replicate{})))),
        expected(at::embedding(plainTable, words)) {}

  at::Tensor all(const at::Tensor& of) const {
    return redistribute(of, Placements(dims, Replicate{}));
  }
  at::Tensor all() const { return all(pending); }
  bool hasRows() const { return dtensorImpl(pending).ownedRows() != nullptr; }

  std::shared_ptr<Runtime> runtime;
  std::size_t dims;
  at::Tensor table, pending, expected;
};

void expectLocals(const at::Tensor& got, const at::Tensor& expected) {
  const auto& a = dtensorImpl(got).locals();
  const auto& b = dtensorImpl(expected).locals();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(at::equal(a[i], b[i])) << "rank " << i;
  }
}

std::vector<std::string> collectives(const Journal& journal) {
  std::vector<std::string> all;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const auto& event = journal.at(id);
    if (event.kind != EventKind::Collective) continue;
    all.push_back(std::string(journal.name(event)) + " " + std::to_string(event.bytes));
  }
  return all;
}

// Returns the steps of all plans that send, as "all_gather_rows 300000" with the bytes that all
// ranks together receive.
std::vector<std::string> planned(const Journal& journal, int ranks) {
  std::vector<std::string> all;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const auto& event = journal.at(id);
    if (event.kind != EventKind::Plan) continue;
    for (const auto& step : readPlan(journal.detail(event)).steps) {
      if (step.bytes == 0) continue;
      all.push_back(step.move + " " + std::to_string(std::llround(step.bytes * ranks)));
    }
  }
  return all;
}

TEST(OwnedRows, ReachEveryPlacementAsThePlainRows) {
  const std::vector<at::Tensor> words = {
      ids({0, 6, 3, 3, 5, 1}), ids({6, 0, 1, 3, 2, 5}).reshape({2, 3}), ids({}), ids({4})[0],
      ids({0, 6, 3, 3, 5, 1, 2, 2}).reshape({2, 2, 2}).transpose(0, 2).to(at::kInt)};
  for (const auto& mesh : std::vector<std::vector<int>>{{1}, {2}, {3}, {4}, {5}, {2, 2}, {2, 3}}) {
    for (const auto& of : words) {
      const Lookup lookup(mesh, numbered({7, kWide}), of);
      EXPECT_EQ(lookup.hasRows(), of.numel() > 0 && lookup.runtime->mesh()->size() > 1);
      for (std::int64_t dim = -1; dim <= of.dim(); ++dim) {
        Placements target(mesh.size(), Replicate{});
        if (dim >= 0) target.front() = Shard{static_cast<int>(dim)};
        if (dim >= 0) target.back() = Shard{static_cast<int>(dim)};
        SCOPED_TRACE(toText(Shape(mesh.begin(), mesh.end())) + ": " + toText(target) + " of " +
                     toText(of.sizes().vec()));
        expectLocals(redistribute(lookup.pending, target),
                     distribute(lookup.runtime, lookup.expected, target));
      }
    }
  }
}

TEST(OwnedRows, AreSentByTheirOwners) {
  const Lookup lookup({4}, numbered({7, kWide}), ids({0, 6, 3, 3, 5, 1}));
  Journal journal;
  lookup.runtime->recorder().addSink(journal);
  lookup.runtime->recorder().setCapture(CaptureLevel::All);
  lookup.all();
  redistribute(lookup.pending, placed({"S(0)"}));
  const auto sent = " " + std::to_string(6 * kRowBytes);
  EXPECT_EQ(collectives(journal),
            (std::vector<std::string>{"all_gather" + sent, "all_to_all" + sent}));
  // Each of four ranks receives the rows of other owners: all of the six, or those of its share.
  EXPECT_EQ(planned(journal, 4),
            (std::vector<std::string>{"all_gather_rows " + std::to_string(18 * kRowBytes),
                                      "all_to_all_rows " + std::to_string(9 * kRowBytes / 2)}));
}

// Partial values and rows with equal placements have separate plans. A hit repeats its collective.
TEST(OwnedRows, HaveSeparatePlans) {
  const Lookup lookup({2}, numbered({7, kWide}), ids({0, 6, 3}));
  Journal journal;
  lookup.runtime->recorder().addSink(journal);
  lookup.runtime->recorder().setCapture(CaptureLevel::Statistics);
  lookup.all();
  lookup.all();
  (void)dtensorImpl(lookup.pending).locals();
  lookup.all();
  const auto sent = collectives(journal);
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_TRUE(sent[1].starts_with("all_gather ") && sent[2].starts_with("all_reduce "));
  const auto plans = planned(journal, 2);
  ASSERT_EQ(plans.size(), 2U);
  EXPECT_TRUE(plans[0].starts_with("all_gather_rows ") && plans[1].starts_with("all_reduce "));
}

TEST(OwnedRows, AlongSomeMeshDimensionsAreEachGroups) {
  const auto runtime = ranks({2, 3});
  const auto plain = numbered({7, kWide});
  const auto words = ids({0, 6, 3, 3, 5});
  for (const auto& [tables, idPlacements] :
       {std::pair{"S(0)", "S(0)"}, {"S(0)", "R"}, {"S(1)", "R"}}) {
    const auto where =
        std::string(tables) == "S(1)" ? placed({"S(1)", "S(0)"}) : placed({"R", "S(0)"});
    const auto pending = at::embedding(distribute(runtime, plain, where),
                                       distribute(runtime, words, placed({idPlacements, "R"})));
    EXPECT_NE(dtensorImpl(pending).ownedRows(), nullptr);
    Placements target = specOf(pending).placements;
    target.back() = Replicate{};
    expectLocals(redistribute(pending, target),
                 distribute(runtime, at::embedding(plain, words), target));
  }
}

// A mesh may list its ranks in any order.
TEST(OwnedRows, OfRanksInAnotherOrder) {
  const auto runtime = ranks({4})->over(DeviceMesh::make({3}, {}, {3, 0, 2}).value());
  const auto plain = numbered({7, kWide});
  const auto words = ids({0, 6, 3, 3, 5});
  const auto pending = at::embedding(distribute(runtime, plain, placed({"S(0)"})),
                                     distribute(runtime, words, placed({"R"})));
  EXPECT_NE(dtensorImpl(pending).ownedRows(), nullptr);
  for (const auto* target : {"R", "S(0)", "S(1)"}) {
    expectLocals(redistribute(pending, placed({target})),
                 distribute(runtime, at::embedding(plain, words), placed({target})));
  }
}

TEST(OwnedRows, KeepTheSignOfAZero) {
  const auto plain = at::full({4, kWide}, -0.0);
  const Lookup lookup({2}, plain, ids({0, 3}));
  EXPECT_TRUE(at::signbit(dtensorImpl(lookup.all()).locals()[1]).all().item<bool>());
}

TEST(OwnedRows, AreTakenBeforeTheTableChanges) {
  const Lookup lookup({3}, numbered({7, kWide}), ids({0, 6, 3}));
  at::Tensor(lookup.table).zero_();
  expectLocals(lookup.all(), distribute(lookup.runtime, lookup.expected, placed({"R"})));
}

TEST(OwnedRows, AreNotChangedByAWriteOnTheirReduction) {
  const Lookup lookup({3}, numbered({7, kWide}), ids({0, 6, 3}));
  lookup.all().zero_();
  redistribute(lookup.pending, placed({"S(0)"})).zero_();
  const auto one = lookup.all(), other = lookup.all();
  dtensorImpl(one).locals()[0].zero_();
  for (const auto& local : {dtensorImpl(one).locals()[1], dtensorImpl(other).locals()[0]}) {
    EXPECT_TRUE(at::equal(local, lookup.expected));
  }
}

void doublePartials(const at::Tensor& pending) {
  for (auto term : dtensorImpl(pending).locals()) term.mul_(2);
}

TEST(OwnedRows, BecomePartialValuesAtAWriteOnThem) {
  const Lookup lookup({3}, numbered({7, kWide}), ids({0, 6, 3}));
  const auto alias = lookup.pending.detach(),
             same = redistribute(lookup.pending, specOf(lookup.pending).placements);
  doublePartials(lookup.pending);
  EXPECT_FALSE(lookup.hasRows());
  for (const auto& each : {lookup.pending, alias, same}) {
    EXPECT_TRUE(at::equal(whole(each), lookup.expected * 2));
  }
}

// Earlier redistributions do not affect what a reduction sends.
TEST(OwnedRows, StayAfterOtherRedistributions) {
  const Lookup lookup({2, 2}, numbered({7, kWide}), ids({0, 6, 3, 5}));
  redistribute(lookup.pending, placed({"S(1)", "R"}));  // two collectives on partial values
  EXPECT_TRUE(lookup.hasRows());
  EXPECT_TRUE(at::equal(whole(lookup.all()), lookup.expected));
}

TEST(OwnedRows, AreWrittenOnThroughViews) {
  const Lookup lookup({3}, numbered({7, kWide}), ids({0, 6, 3}));
  doublePartials(lookup.pending.unsqueeze(0));
  EXPECT_TRUE(at::equal(whole(lookup.pending), lookup.expected * 2));
}

TEST(OwnedRows, AreNotChangedByARead) {
  const Lookup lookup({3}, numbered({7, kWide}), ids({0, 6, 3}));
  const auto seen = dtensorImpl(lookup.pending).readLocals();
  EXPECT_EQ(dtensorImpl(lookup.pending).localBytes(), bytesOf(seen));
  EXPECT_TRUE(lookup.hasRows());
  const auto& terms = dtensorImpl(lookup.pending).locals();
  EXPECT_FALSE(lookup.hasRows());
  for (std::size_t i = 0; i < terms.size(); ++i) EXPECT_TRUE(at::equal(terms[i], seen[i]));
  EXPECT_TRUE(at::equal(terms[0] + terms[1] + terms[2], lookup.expected));
}

// If a rank's share of the result is small, partial values are summed instead.
TEST(OwnedRows, AreManyBytes) {
  const std::int64_t width = (std::int64_t{16} << 10) / 4;
  const auto words = ids({0, 6, 3});
  EXPECT_TRUE(Lookup({3}, numbered({7, width}), words).hasRows());
  EXPECT_FALSE(Lookup({3}, numbered({7, width - 1}), words).hasRows());
}

TEST(OwnedRows, AreMadeOfIdsThatOnlyOneRankOwns) {
  const Lookup lookup({4}, numbered({7, kWide}), ids({6, 6, 6}));
  expectLocals(lookup.all(), distribute(lookup.runtime, lookup.expected, placed({"R"})));
  expectLocals(redistribute(lookup.pending, placed({"S(1)"})),
               distribute(lookup.runtime, lookup.expected, placed({"S(1)"})));
}

// The recording has the equivalent partial value of each rank, and its mask.
void expectTermsInTheRecording(std::int64_t width, bool asRows) {
  const auto runtime = ranks({2});
  Journal journal;
  runtime->recorder().addSink(journal);
  runtime->recorder().setCapture(CaptureLevel::All);
  const auto plain = numbered({4, width}) + 1;
  const auto pending = at::embedding(distribute(runtime, plain, placed({"S(0)"})),
                                     distribute(runtime, ids({0, 3}), placed({"R"})));
  const auto& impl = dtensorImpl(pending);
  EXPECT_EQ(impl.ownedRows() != nullptr, asRows);
  const auto seen = [&](TensorId tensor, int rank, at::IntArrayRef shape, at::ScalarType type) {
    const auto value = journal.value(tensor, rank, journal.size());
    return at::from_blob(const_cast<std::byte*>(value->data->data()), shape, type).clone();
  };
  for (const int rank : {0, 1}) {
    auto term = at::zeros({2, width});
    term[rank] = plain[3 * rank];
    EXPECT_TRUE(at::equal(seen(impl.record(), rank, {2, width}, at::kFloat), term));
    EXPECT_TRUE(at::equal(seen(impl.maskRecord(), rank, {2}, at::kBool), at::arange(2).ne(rank)));
  }
}

TEST(OwnedRows, AreRecordedAsPartials) {
  // Larger values are not recorded in full.
  expectTermsInTheRecording(4096, /*asRows=*/true);
  expectTermsInTheRecording(8, /*asRows=*/false);
}

// If a redistribution sends more than the rows, it uses the plan for partial values.
TEST(OwnedRows, ArePartialsAmongOtherCollectives) {
  const auto runtime = ranks({2, 2});
  const auto plain = numbered({7, kWide});
  const auto words = ids({0, 6, 3, 3});
  const auto pending = at::embedding(distribute(runtime, plain, placed({"S(0)", "R"})),
                                     distribute(runtime, words, placed({"R", "S(0)"})));
  Journal journal;
  runtime->recorder().addSink(journal);
  const auto moved = redistribute(pending, placed({"R", "S(1)"}));
  const auto sent = collectives(journal);
  EXPECT_EQ(sent.size(), 2U);
  EXPECT_EQ(std::count_if(sent.begin(), sent.end(),
                          [](const auto& each) { return each.starts_with("all_reduce "); }),
            1);
  EXPECT_TRUE(at::equal(whole(moved), at::embedding(plain, words)));
}

}  // namespace
}  // namespace shardlens
