#include "core/trace/journal/journal.h"
#include "core/trace/records/lookup_record.h"
#include "tests/tensor/ranks.h"

namespace shardlens {
namespace {

// Returns the kinds of the events. A "*" marks an event with a recorded reason.
std::string kindsIn(const Journal& journal) {
  std::string kinds;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event& event = journal.at(id);
    const char* const name = event.kind == EventKind::Operator       ? "operator"
                             : event.kind == EventKind::CacheLookup  ? "lookup"
                             : event.kind == EventKind::Candidates   ? "candidates"
                             : event.kind == EventKind::Plan         ? "plan"
                             : event.kind == EventKind::Redistribute ? "redistribute"
                                                                     : "";
    if (*name != 0) kinds += name + std::string(event.detail != 0 ? "* " : " ");
  }
  return kinds;
}

// Returns the events that a call on sharded tensors of two ranks records.
template <class Call>
std::string recorded(SinkRequests requests, Call call) {
  const auto runtime = ranks({2});
  const auto inputs = call(runtime);
  Journal journal(requests);
  runtime->recorder().addSink(journal);
  const auto result = inputs();
  runtime->recorder().removeSinks();
  return kindsIn(journal);
}

auto addition(const std::shared_ptr<Runtime>& runtime) {
  const auto x = distribute(runtime, at::ones({4}), placed({"S(0)"}));
  const auto y = distribute(runtime, at::ones({4}), placed({"P(sum)"}));
  return [=] { return x + y; };
}

auto loss(const std::shared_ptr<Runtime>& runtime) {
  const auto logits = distribute(runtime, at::ones({4, 6}), placed({"S(1)"}));
  const auto target = distribute(runtime, ids({0, 1, 2, 3}), placed({"S(0)"}));
  return [=] { return at::cross_entropy_loss(logits, target); };
}

TEST(Reasons, AreRecordedOnlyIfASinkRequestsThem) {
  EXPECT_EQ(recorded({}, addition), "operator lookup* candidates* redistribute lookup* plan* ");
  EXPECT_EQ(recorded({.reasons = false}, addition),
            "operator lookup candidates redistribute lookup plan ");
}

TEST(Reasons, AreRecordedForOperatorsWithOneStrategy) {
  EXPECT_EQ(recorded({}, loss), "operator candidates* redistribute lookup* plan* ");
  EXPECT_EQ(recorded({.reasons = false}, loss), "operator redistribute lookup plan ");
}

TEST(Reasons, OfAMissNameTheStridesThatCausedIt) {
  const auto runtime = ranks({2});
  const auto x = distribute(runtime, at::ones({4, 4}), placed({"S(0)"}));
  const auto y = distribute(runtime, at::ones({4, 4}), placed({"R"}));
  at::mm(x, y);
  const at::Tensor turned = y.t();
  Journal journal;
  runtime->recorder().addSink(journal);
  at::mm(x, turned);
  runtime->recorder().removeSinks();
  const Event& lookup = journal.at(2);
  EXPECT_EQ(lookup.verdict, Verdict::Miss);
  const std::vector<LookupField> requested{
      {"op", "aten.mm"},
      {"self", LookupTensor{DType::Float32, {4, 4}, {Shard{0}}}},
      {"mat2", parseLookupValue("f32[4, 4](R) strides [1, 4]")}};
  EXPECT_EQ(readLookup(journal.detail(lookup)).fields, requested);
}

}  // namespace
}  // namespace shardlens
