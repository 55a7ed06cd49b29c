#include "core/cluster/rendezvous.h"

#include <gtest/gtest.h>

#include <map>

namespace shardlens {
namespace {

using Variables = std::map<std::string, std::string>;

Variables usual() {
  return {{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "host"}, {"MASTER_PORT", "29500"}};
}

Result<Rendezvous> read(const Variables& variables) {
  return rendezvousFrom([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

std::string complaint(const std::string& variable, const std::string& value) {
  auto variables = usual();
  variables[variable] = value;
  const auto read_ = read(variables);
  return read_ ? "none" : read_.error().message;
}

TEST(Rendezvous, ReadsTheUsualVariables) {
  const auto meeting = read(usual()).value();
  EXPECT_EQ(meeting.process, 1);
  EXPECT_EQ(meeting.processes, 4);
  EXPECT_EQ(meeting.host, "host");
  EXPECT_EQ(meeting.port, 29500);
  EXPECT_FALSE(meeting.agentStore);
  EXPECT_EQ(meeting.attempt, 0);
}

TEST(Rendezvous, KnowsTorchrunsAgent) {
  auto variables = usual();
  variables["TORCHELASTIC_USE_AGENT_STORE"] = "True";
  variables["TORCHELASTIC_RESTART_COUNT"] = "2";
  const auto meeting = read(variables).value();
  EXPECT_TRUE(meeting.agentStore);
  EXPECT_EQ(meeting.attempt, 2);
  variables["TORCHELASTIC_USE_AGENT_STORE"] = "False";
  EXPECT_FALSE(read(variables).value().agentStore);
}

TEST(Rendezvous, NamesTheVariableThatIsNotSet) {
  for (const auto& [name, value] : usual()) {
    auto variables = usual();
    variables.erase(name);
    EXPECT_EQ(read(variables).error().message,
              "the variable " + name +
                  " is not set: RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT are expected, as "
                  "torchrun sets them");
  }
}

TEST(Rendezvous, NamesTheValueAndTheExpectedValueOfAVariable) {
  EXPECT_EQ(complaint("RANK", "4"), "the variable RANK is \"4\": a number from 0 to 3 is expected");
  EXPECT_EQ(complaint("RANK", "-1"),
            "the variable RANK is \"-1\": a number from 0 to 3 is expected");
  EXPECT_EQ(complaint("WORLD_SIZE", "four"),
            "the variable WORLD_SIZE is \"four\": a number from 1 on is expected");
  EXPECT_EQ(complaint("WORLD_SIZE", "0"),
            "the variable WORLD_SIZE is \"0\": a number from 1 on is expected");
  EXPECT_EQ(complaint("MASTER_PORT", "65536"),
            "the variable MASTER_PORT is \"65536\": a number from 1 to 65535 is expected");
  EXPECT_EQ(complaint("MASTER_PORT", "80 "),
            "the variable MASTER_PORT is \"80 \": a number from 1 to 65535 is expected");
  EXPECT_EQ(complaint("TORCHELASTIC_RESTART_COUNT", "x"),
            "the variable TORCHELASTIC_RESTART_COUNT is \"x\": a number from 0 on is expected");
}

}  // namespace
}  // namespace shardlens
