// Scenarios on fake GPUs: ids of lookups are checked without a wait, and a bad id is refused in the
// step of its lookup.

#include "core/session/session.h"
#include "core/trace/journal/journal.h"
#include "tests/session/programs.h"
#include "tests/tensor/gpu/fake_cuda.h"

#include <nlohmann/json.hpp>

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

// Before anything asks torch about CUDA, because torch caches the answer.
const bool kIsInstalled = (fake_cuda::install(), true);

Session sessionOn(const std::string& steps, std::vector<EventSink*> sinks = {},
                  Capture capture = {}) {
  EXPECT_TRUE(kIsInstalled);
  const std::string begin = R"json({"shardlens": 1, "mesh": {"shape": [4]}, "steps": [
    {"id": "w", "call": "tensor", "fill": "arange", "shape": [8, 2], "placements": ["S(0)"]},
    {"id": "x", "call": "tensor", "data": [0, 7], "dtype": "int64", "placements": ["R"]},
    {"id": "bad", "call": "tensor", "data": [0, 8], "dtype": "int64", "placements": ["R"]})json";
  return Session(
      scenario(begin + steps + "]}"),
      {.sinks = std::move(sinks),
       .capture = std::move(capture),
       .backend = Backend::of([](int ranks) { return fake_cuda::communicator(ranks); })});
}

std::vector<std::string> namesOf(const Json& results) {
  std::vector<std::string> names;
  for (const auto& [name, result] : results.items()) names.push_back(name);
  return names;
}

const std::string kBad =
    "aten.embedding: index 8 at position [1] of the ids is out of range, expected 0 to 7";

TEST(SessionOnGpus, WaitsForChecksOfIdsAtTheEndOnly) {
  auto session = sessionOn(R"json(,
    {"id": "y", "call": "aten.embedding", "args": ["$w", "$x"]},
    {"id": "z", "call": "aten.embedding", "args": ["$w", "$x"]},
    {"id": "n", "call": "aten.neg", "args": ["$x"]})json");
  const auto before = fake_cuda::counts();
  for (int step = 0; step < 5; ++step) EXPECT_TRUE(session.step());
  EXPECT_EQ(fake_cuda::counts().waits, before.waits);
  EXPECT_GT(fake_cuda::counts().idChecks, before.idChecks);
  EXPECT_TRUE(session.step());
  EXPECT_GT(fake_cuda::counts().waits, before.waits);
  EXPECT_FALSE(session.step());
  EXPECT_TRUE(session.ok());
}

TEST(SessionOnGpus, RefusesABadIdInTheStepOfItsLookup) {
  Journal journal;
  auto session = sessionOn(R"json(,
    {"id": "y", "call": "aten.embedding", "args": ["$w", "$x"]},
    {"id": "z", "call": "aten.embedding", "args": ["$w", "$bad"]},
    {"id": "later", "call": "redistribute", "args": ["$z"], "placements": ["R"]},
    {"id": "x", "call": "aten.neg", "args": ["$x"]},
    {"id": "end", "call": "aten.neg", "args": ["$w"]})json",
                           {&journal});
  while (session.step()) {
  }
  const auto answer = session.answer();
  EXPECT_EQ(answer["error"], Json({{"step", "z"}, {"message", kBad}}));
  EXPECT_EQ(namesOf(answer["results"]), (std::vector<std::string>{"w", "bad", "y"}));
  const auto& last = journal.at(journal.size());
  EXPECT_EQ(last.kind, EventKind::Error);
  EXPECT_EQ(journal.name(last), "step z: " + kBad);
}

// An operator that fails for another reason does not hide the lookup before it.
TEST(SessionOnGpus, RefusesABadIdBeforeALaterError) {
  auto session = sessionOn(R"json(,
    {"id": "z", "call": "aten.embedding", "args": ["$w", "$bad"]},
    {"id": "m", "call": "aten.mm", "args": ["$w", "$w"]},
    {"id": "n", "call": "aten.neg", "args": ["$w"]})json");
  while (session.step()) {
  }
  EXPECT_EQ(session.error(), "step z: " + kBad);
}

// Recorded values are waited for, so that the step of the lookup fails.
TEST(SessionOnGpus, RefusesABadIdAtOnceIfValuesAreRecorded) {
  Journal journal;
  auto session = sessionOn(R"json(,
    {"id": "z", "call": "aten.embedding", "args": ["$w", "$bad"]},
    {"id": "n", "call": "aten.neg", "args": ["$w"]})json",
                           {&journal}, CaptureLevel::All);
  for (int step = 0; step < 3; ++step) EXPECT_TRUE(session.step());
  EXPECT_FALSE(session.step());
  EXPECT_EQ(session.error(), "step z: " + kBad);
}

}  // namespace
}  // namespace shardlens
