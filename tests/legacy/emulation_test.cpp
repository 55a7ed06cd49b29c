// Runs the same programs with the engine's mask buffers and with those of two PyTorch versions.

#include "core/legacy/register_legacy.h"
#include "tests/session/programs.h"

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

const bool kHasLegacy = (registerLegacy(), true);

const std::string kOwn = R"json("masking": "stepwise")json";
const std::string kTorch215 = R"json("emulate": "torch-2.15")json";
const std::string kBefore131264 = R"json("emulate": "before-131264")json";

// Runs a program on four ranks and returns the answer. The tables w and u have ten rows, u has
// wider ones; x and v are ids of equal shape. "a=w[x]" is aten.embedding, "b=a" reduces a.
Json run(const std::string& mode, const std::vector<std::string>& program) {
  std::string steps = R"json(
    {"id": "w", "call": "tensor", "fill": "arange", "shape": [10, 1], "placements": ["S(0)"]},
    {"id": "u", "call": "tensor", "fill": "arange", "shape": [10, 2], "placements": ["S(0)"]},
    {"id": "x", "call": "tensor", "data": [0, 9], "dtype": "int64", "placements": ["R"]},
    {"id": "v", "call": "tensor", "data": [9, 4], "dtype": "int64", "placements": ["R"]})json";
  for (const auto& line : program) {
    const std::string id(1, line[0]), from(1, line[2]);
    steps += R"(, {"id": ")" + id + R"(", )";
    steps +=
        line.size() == 3
            ? R"("call": "redistribute", "args": ["$)" + from + R"("], "placements": ["R"]})"
            : R"("call": "aten.embedding", "args": ["$)" + from + R"(", "$)" + line[4] + R"("]})";
  }
  Session session(scenario(R"({"shardlens": 1, "mesh": {"shape": [4]}, )" + mode +
                           R"(, "steps": [)" + steps + "]}"),
                  {});
  while (session.step()) {
  }
  return session.answer();
}

std::string error(const Json& answer) {
  if (answer["ok"]) return "";
  return answer["error"]["step"].get<std::string>() + ": " +
         answer["error"]["message"].get<std::string>();
}

// Returns the data of a result, which must be equal on all ranks.
Json data(const Json& answer, const char* id) {
  const auto& locals = answer["results"][id]["locals"];
  for (const auto& local : locals) EXPECT_EQ(local["data"], locals[0]["data"]) << id;
  return locals[0]["data"];
}

// Returns the changes of mask buffers, as "a #1 1 x',a; b #1 0": step, buffer, refcount, holders.
std::string buffers(const Json& answer) {
  std::string text;
  for (const auto& change : answer["mask_buffers"]) {
    text += (text.empty() ? "" : "; ") + change["step"].get<std::string>() + " #" +
            change["id"].dump() + " " + change["refcount"].dump();
    std::string holders;
    for (const std::string holder : change["holders"]) {
      holders += (holders.empty() ? " " : ",") + holder;
    }
    text += holders;
  }
  return text;
}

// Problem 2 of pull request 131264, which fixed it. It cannot occur in the engine.
TEST(Emulation, LookupsOfTheSameIdsShareABufferWhereHoldersAreCounted) {
  const std::vector<std::string> program{"a=w[x]", "b=w[x]", "c=a", "d=b"};
  const std::string shared = "a #1 1 x',a; b #1 2 x',a,x',b; c #1 1 x',b; d #1 0";
  for (const auto& mode : {kOwn, kTorch215}) {
    const auto answer = run(mode, program);
    EXPECT_EQ(error(answer), "");
    EXPECT_EQ(buffers(answer), shared);
    EXPECT_EQ(data(answer, "c"), Json({0., 9.}));
    EXPECT_EQ(data(answer, "d"), Json({0., 9.}));
  }
  const auto before = run(kBefore131264, program);
  EXPECT_EQ(error(before),
            "b: MaskBuffer has already been materialized: got a mask for x', expected none while "
            "held by x', a");
  EXPECT_EQ(buffers(before), "a #1 1 x',a");
  EXPECT_TRUE(before["results"].contains("a"));
}

// Defect D1, which the pull request did not fix. The engine must not have it.
TEST(Emulation, OtherIdsConflictWhereTheStrategyCacheHasTheBuffer) {
  const std::vector<std::string> program{"a=w[x]", "b=w[v]", "c=a", "d=b"};
  const auto own = run(kOwn, program);
  EXPECT_EQ(error(own), "");
  EXPECT_EQ(buffers(own), "a #1 1 x',a; b #2 1 v',b; c #1 0; d #2 0");
  EXPECT_EQ(data(own, "c"), Json({0., 9.}));
  EXPECT_EQ(data(own, "d"), Json({9., 4.}));
  const auto today = run(kTorch215, program);
  // Ranks 0, 1 and 3 see the conflict, and the lowest reports it. Rank 2 has none of these rows and
  // masks all ids in both lookups.
  EXPECT_EQ(error(today),
            "b: MaskBuffer has been materialized with conflicting data: got another mask for v' on "
            "rank 0, expected that of x', a");
  EXPECT_EQ(buffers(today), "a #1 1 x',a");
  EXPECT_EQ(error(run(kBefore131264, program)),
            "b: MaskBuffer has already been materialized: got a mask for v', expected none while "
            "held by x', a");
}

// Problem 1 of the pull request: the plan cache keyed tables by their number of rows.
TEST(Emulation, ATableFindsAnotherOnesPlanWhereTheLogicalSizeIsTheKey) {
  const std::vector<std::string> program{"a=w[x]", "c=a", "b=u[x]", "d=b"};
  for (const auto& mode : {kOwn, kTorch215}) {
    const auto answer = run(mode, program);
    EXPECT_EQ(error(answer), "");
    EXPECT_EQ(buffers(answer), "a #1 1 x',a; c #1 0; b #2 1 x',b; d #2 0");
    EXPECT_EQ(data(answer, "d"), Json({0., 1., 18., 19.}));
  }
  const auto before = run(kBefore131264, program);
  EXPECT_EQ(error(before),
            "d: MaskBuffer has not been materialized: got refcount 0 for b, expected the mask of "
            "its lookup");
  EXPECT_EQ(buffers(before), "a #1 1 x',a; c #1 0; b #1 1 x'");
  EXPECT_EQ(data(before, "c"), Json({0., 9.}));
}

// A placement with a materialized buffer equals no other one, so its plan is not found.
TEST(Emulation, APlanIsNotFoundWhileItsBufferIsMaterialized) {
  const auto before = run(kBefore131264, {"a=w[x]", "b=u[x]", "c=a", "d=b"});
  EXPECT_EQ(error(before), "");
  EXPECT_EQ(buffers(before), "a #1 1 x',a; b #2 1 x',b; c #1 0; d #2 0");
  EXPECT_EQ(data(before, "d"), Json({0., 1., 18., 19.}));
  // Of two plans with equal keys the older one is found: that of w.
  EXPECT_EQ(error(run(kBefore131264, {"a=w[x]", "b=u[x]", "c=a", "d=b", "e=w[v]", "f=e"})), "");
  EXPECT_EQ(error(run(kBefore131264, {"a=w[x]", "b=u[x]", "c=a", "d=b", "e=u[v]", "f=e"})),
            "f: MaskBuffer has not been materialized: got refcount 0 for e, expected the mask of "
            "its lookup");
}

// A buffer in a cache does not know its readers.
TEST(Emulation, ReducingALookupAgainReadsTheBufferAsItThenIs) {
  const std::string drained =
      ": MaskBuffer has not been materialized: got refcount 0 for a, expected the mask of its "
      "lookup";
  const std::vector<std::string> twice{"a=w[x]", "c=a", "d=a"};
  EXPECT_EQ(data(run(kOwn, twice), "d"), Json({0., 9.}));
  EXPECT_EQ(error(run(kTorch215, twice)), "d" + drained);
  EXPECT_EQ(error(run(kBefore131264, twice)), "d" + drained);
  // The second reduction releases the reference of the other lookup.
  const std::vector<std::string> taken{"a=w[x]", "b=w[x]", "c=a", "d=a", "e=b"};
  EXPECT_EQ(data(run(kOwn, taken), "e"), Json({0., 9.}));
  EXPECT_EQ(error(run(kTorch215, taken)),
            "e: MaskBuffer has not been materialized: got refcount 0 for b, expected the mask of "
            "its lookup");
  // The mask of v is applied to a lookup of x. PyTorch gives the same numbers.
  const std::vector<std::string> other{"a=w[x]", "c=a", "b=w[v]", "d=a", "e=b"};
  const auto own = run(kOwn, other);
  EXPECT_EQ(data(own, "d"), Json({0., 9.}));
  EXPECT_EQ(data(own, "e"), Json({9., 4.}));
  const auto today = run(kTorch215, other);
  EXPECT_EQ(data(today, "d"), Json({0., 0.}));
  EXPECT_EQ(today["error"]["step"], "e");
}

}  // namespace
}  // namespace shardlens
