#include "tests/tensor/deferring.h"

#include "core/comm/simulated.h"
#include "core/session/session.h"
#include "core/trace/journal/journal.h"
#include "tests/session/programs.h"

#include <nlohmann/json.hpp>

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

// Returns how many collectives ran asynchronously. Checks that this does not change the answer.
int countDeferred(const std::vector<EventSink*>& sinks) {
  std::shared_ptr<Deferring::State> state;
  const auto connect = [&state](int ranks) {
    auto comm = std::make_unique<Deferring>(std::make_unique<SimulatedCommunicator>(ranks));
    state = comm->state();
    return comm;
  };
  Session session(scenario(R"json({"shardlens": 1, "mesh": {"shape": [2]}, "steps": [
      {"id": "x", "call": "tensor", "data": [1, 2], "placements": ["S(0)"]},
      {"id": "y", "call": "redistribute", "args": ["$x"], "placements": ["R"]},
      {"id": "z", "call": "aten.neg", "args": ["$x"]},
      {"id": "k", "call": "aten.mul_.Scalar", "args": ["$y", 3]},
      {"id": "w", "call": "redistribute", "args": ["$x"], "placements": ["R"]}]})json"),
                  {.sinks = sinks, .backend = Backend::of(connect)});
  while (session.step()) {
  }
  EXPECT_EQ(session.answer()["results"]["y"]["locals"][1]["data"], Json({1.0, 2.0}));
  EXPECT_EQ(session.answer()["results"]["k"]["locals"][1]["data"], Json({3.0, 6.0}));
  EXPECT_EQ(session.answer()["results"]["w"]["locals"][1]["data"], Json({1.0, 2.0}));
  EXPECT_EQ(session.answer()["collectives"][0]["count"], 1);
  EXPECT_EQ(session.answer()["collectives"][0]["bytes"], 8);
  return state->deferred;
}

TEST(Session, CollectivesAreAsynchronousUnlessASinkRequestsTimes) {
  EXPECT_EQ(countDeferred({}), 2);
  Journal why({.times = false});
  EXPECT_EQ(countDeferred({&why}), 2);
  Journal recording;
  EXPECT_EQ(countDeferred({&recording}), 0);
}

}  // namespace
}  // namespace shardlens
