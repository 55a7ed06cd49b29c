// One of two processes: it hosts some of the ranks, or none, and does not see the other's tensors.

#include "tests/tensor/ranks.h"

namespace shardlens {
namespace {

// The communicator of this process. The strings of the other process are given, and what it
// broadcasts is 7.
class OneOfTwoProcesses final : public Forwarding {
 public:
  OneOfTwoProcesses(std::vector<int> hosted, std::string theirs)
      : Forwarding(std::make_unique<SimulatedCommunicator>(std::move(hosted))),
        theirs_(std::move(theirs)) {}

  void allReduce(const GroupSet&, const Buffers&, const Buffers&, Reduction) override {}
  void broadcast(const GroupSet&, int, const Buffers&, const Buffers& into) override {
    for (const auto& each : into) each.fill_(7);
  }
  std::vector<std::string> allGatherStrings(const std::string& mine) override {
    return {mine, theirs_};
  }

 private:
  std::string theirs_;
};

std::shared_ptr<Runtime> processThatHosts(std::vector<int> hosted, std::string theirs) {
  return makeRuntime(*DeviceMesh::make({2}),
                     std::make_unique<OneOfTwoProcesses>(std::move(hosted), std::move(theirs)));
}

TEST(OneOfTwoProcesses, ThatHostsNoRankDrawsAsManyNumbersAsTheOther) {
  const auto runtime = processThatHosts({}, "");
  const auto weights = numbered({3, 5}).add(1);
  for (const bool replaces : {false, true}) {
    at::manual_seed(5);
    at::multinomial(weights, 3, replaces);
    const auto next = at::rand({3});
    at::manual_seed(5);
    at::multinomial(distribute(runtime, weights, placed({"R"})), 3, replaces);
    EXPECT_TRUE(at::equal(at::rand({3}), next)) << replaces;
  }
}

TEST(OneOfTwoProcesses, ThatHostsNoRankReadsTheOthersAnswer) {
  const auto areEqual = [](const char* theirs) {
    const auto runtime = processThatHosts({}, theirs);
    const auto x = distribute(runtime, numbered({4}), placed({"S(0)"}));
    return at::equal(x, x);
  };
  EXPECT_TRUE(areEqual(""));
  EXPECT_FALSE(areEqual("differs"));
}

// The shape and dtype suffice where the source is in the other process.
TEST(OneOfTwoProcesses, ReceivesDataInPlaceOfATensorWithoutData) {
  const auto without = at::empty({4}, at::kMeta);
  const auto received = distributeFrom(processThatHosts({1}, "data"), 0, without, placed({"R"}));
  EXPECT_TRUE(at::equal(toLocals(received).front(), at::full({4}, 7.0)));
  const auto nothing = distributeFrom(processThatHosts({1}, ""), 0, at::ones({4}), placed({"R"}));
  EXPECT_TRUE(toLocals(nothing).front().is_meta());
}

}  // namespace
}  // namespace shardlens
