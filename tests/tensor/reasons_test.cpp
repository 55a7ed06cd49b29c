#include "core/trace/journal/journal.h"
#include "tests/tensor/ranks.h"

namespace shardlens {
namespace {

// The kinds of the events, each with a star where it says why.
std::string kindsIn(const Journal& journal) {
  std::string kinds;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event& event = journal.at(id);
    const char* const name = event.kind == EventKind::Operator       ? "operator"
                             : event.kind == EventKind::CacheLookup  ? "look-up"
                             : event.kind == EventKind::Candidates   ? "candidates"
                             : event.kind == EventKind::Plan         ? "plan"
                             : event.kind == EventKind::Redistribute ? "redistribute"
                                                                     : "";
    if (*name != 0) kinds += name + std::string(event.detail != 0 ? "* " : " ");
  }
  return kinds;
}

std::string recorded(Wants wants) {
  const auto runtime = ranks({2});
  const auto x = distribute(runtime, at::ones({4}), placed({"S(0)"}));
  const auto y = distribute(runtime, at::ones({4}), placed({"P(sum)"}));
  Journal journal(wants);
  runtime->recorder().addSink(journal);
  const auto sum = x + y;
  runtime->recorder().removeSinks();
  return kindsIn(journal);
}

TEST(Reasons, AreMadeForWhoeverWantsThem) {
  EXPECT_EQ(recorded({}), "operator* look-up* candidates* redistribute look-up* plan* ");
  EXPECT_EQ(recorded({.reasons = false}), "operator look-up candidates redistribute look-up plan ");
}

}  // namespace
}  // namespace shardlens
