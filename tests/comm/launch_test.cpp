#include "core/cluster/ports.h"
#include "core/cluster/rendezvous.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace shardlens {
namespace {

// Runs the tests of this program that require several processes, in several processes. By hand:
// torchrun --no-python --nproc-per-node 2 comm_test --gtest_filter='*gloo*'
using Variables = std::vector<std::string>;

class Launched {
 public:
  Launched(int number, const Variables& variables)
      : output_(testing::TempDir() + "comm_test_" + std::to_string(::getpid()) + "_" +
                std::to_string(number)) {
    Variables all = variables;
    for (char** variable = environ; *variable != nullptr; ++variable) {
      if (!std::string(*variable).starts_with("GTEST_")) all.emplace_back(*variable);
    }
    Variables arguments = {"comm_test", "--gtest_filter=*/gloo_*"};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, output_.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    EXPECT_EQ(posix_spawn(&process_, "/proc/self/exe", &files, nullptr, pointers(arguments).data(),
                          pointers(all).data()),
              0);
    posix_spawn_file_actions_destroy(&files);
  }

  void expectPassed() {
    int status = 0;
    ASSERT_EQ(::waitpid(process_, &status, 0), process_);
    std::stringstream text;
    text << std::ifstream(output_).rdbuf();
    std::filesystem::remove(output_);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << text.str();
    // Guards against a filter that matches no test, because such a run passes, too.
    EXPECT_NE(text.str().find("AllReduce.IsExactForEveryOpAndDType/gloo_3"), std::string::npos)
        << text.str();
  }

 private:
  static std::vector<char*> pointers(Variables& texts) {
    std::vector<char*> list;
    for (auto& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
  }

  std::string output_;
  pid_t process_ = -1;
};

void launchAndExpectToPass(int processes, int port, const Variables& more) {
  std::vector<Launched> launched;
  for (int process = 0; process < processes; ++process) {
    Variables variables = {"RANK=" + std::to_string(process),
                           "WORLD_SIZE=" + std::to_string(processes), "MASTER_ADDR=127.0.0.1",
                           "MASTER_PORT=" + std::to_string(port), "OMP_NUM_THREADS=1"};
    variables.insert(variables.end(), more.begin(), more.end());
    launched.emplace_back(process, variables);
  }
  for (auto& each : launched) each.expectPassed();
}

TEST(Launch, TwoProcessesFulfilTheContractOfCommunicators) {
  launchAndExpectToPass(2, freePort(), {});
}

// As under torchrun, whose agent hosts the store.
TEST(Launch, FourProcessesMeetAtTheStoreOfAnAgent) {
  c10d::TCPStoreOptions options;
  options.port = 0;
  options.isServer = true;
  options.waitWorkers = false;
  const c10d::TCPStore agent("127.0.0.1", options);
  launchAndExpectToPass(4, agent.getPort(),
                        {"TORCHELASTIC_USE_AGENT_STORE=True", "TORCHELASTIC_RESTART_COUNT=1"});
}

}  // namespace
}  // namespace shardlens
