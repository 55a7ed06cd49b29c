#pragma once

#include "core/comm/rendezvous.h"

#include <ATen/core/Tensor.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace shardlens {

// A message did not come or could not be sent.
class LinkFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What one rank has for another, seen from the process of one of them. Of the messages from a rank
// to another the first sent is the first received.
struct Message {
  int sender;
  int receiver;
  int otherProcess;
  at::Tensor tensor;         // contiguous; both sides know its size
  bool ofProcesses = false;  // sender and receiver are processes, which have something to say
};

// The processes of a run, connected to one another by c10d's Gloo. They join once, and whatever
// they do then is done by all of them, in the same order.
class GlooProcesses {
 public:
  // Ranks are numbered below this, so that two of them make one tag.
  static constexpr int kMostRanks = 46340;
  // How long a process waits for another, which may be busy with its own part of a step, or have
  // failed there without the others' knowing.
  static constexpr std::chrono::minutes kPatience{5};

  static Result<std::shared_ptr<GlooProcesses>> join(const Rendezvous& meeting,
                                                     std::chrono::milliseconds timeout = kPatience);

  // The one who keeps the store leaves last, unless somebody takes very long.
  ~GlooProcesses();
  GlooProcesses(const GlooProcesses&) = delete;
  GlooProcesses& operator=(const GlooProcesses&) = delete;

  int process() const { return meeting_.process; }
  int processes() const { return meeting_.processes; }

  // Returns when all has arrived; does something else meanwhile.
  void exchange(const std::vector<Message>& outgoing, const std::vector<Message>& incoming,
                const std::function<void()>& meanwhile);
  // What every process says, to all of them, in their order. They have to speak of the same.
  std::vector<std::string> exchangeWords(const std::string& about, const std::string& words);

 private:
  struct Links;  // c10d's part

  GlooProcesses(const Rendezvous& meeting, std::chrono::milliseconds timeout);
  // From every process to all others.
  void exchangeAmongAll(const at::Tensor& said, const std::vector<at::Tensor>& heard);

  Rendezvous meeting_;
  std::unique_ptr<Links> links_;
};

// The processes that torchrun started, or somebody who sets the same variables.
Result<std::shared_ptr<GlooProcesses>> joinProcesses();

}  // namespace shardlens
