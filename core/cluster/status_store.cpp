#include "core/cluster/status_store.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <algorithm>

namespace shardlens {
namespace {

constexpr const char* kFailure = "failure";
constexpr const char* kPresent = "present";

std::string heartbeatKey(int process) { return "heartbeat/" + std::to_string(process); }
std::string exitKey(int process) { return "exit/" + std::to_string(process); }

std::vector<std::uint8_t> bytesOf(const std::string& text) { return {text.begin(), text.end()}; }

}  // namespace

StatusStore::Store StatusStore::open(const Rendezvous& meeting, std::chrono::milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = meeting.port;
  options.isServer = meeting.process == 0 && !meeting.agentStore;
  options.timeout = std::min(timeout, options.timeout);
  options.waitWorkers = false;
  options.multiTenant = true;  // the program's own process group may use a store on the same port
  const auto store = c10::make_intrusive<c10d::TCPStore>(meeting.host, options);
  const auto prefix = "shardlens/attempt_" + std::to_string(meeting.attempt);
  return c10::make_intrusive<c10d::PrefixStore>(prefix, store);
}

std::optional<std::string> StatusStore::read(const std::string& key) {
  if (!store_->check({key})) return std::nullopt;
  const auto bytes = store_->get(key);
  return std::string(bytes.begin(), bytes.end());
}

void StatusStore::post(const Heartbeat& heartbeat) {
  store_->set(heartbeatKey(heartbeat.process), bytesOf(toText(heartbeat)));
}

std::optional<Heartbeat> StatusStore::heartbeatOf(int process) {
  const auto text = read(heartbeatKey(process));
  return text ? std::optional(heartbeatFrom(*text)) : std::nullopt;
}

std::optional<RunFailure> StatusStore::failure() {
  const auto text = read(kFailure);
  return text ? std::optional(runFailureFrom(*text)) : std::nullopt;
}

RunFailure StatusStore::decide(const RunFailure& failure) {
  const auto bytes = store_->compareSet(kFailure, {}, bytesOf(toText(failure)));
  return runFailureFrom(std::string(bytes.begin(), bytes.end()));
}

int StatusStore::countIn() { return static_cast<int>(store_->add(kPresent, 1)); }
int StatusStore::present() { return static_cast<int>(store_->add(kPresent, 0)); }

int StatusStore::firstMissing(int processes) {
  int low = 0, high = processes;  // all processes below `low` are present
  while (low < high) {
    const int middle = low + (high - low) / 2;
    std::vector<std::string> keys;
    for (int process = low; process <= middle; ++process) keys.push_back(heartbeatKey(process));
    if (store_->check(keys)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void StatusStore::announceExit(int process) { store_->set(exitKey(process), bytesOf("1")); }

void StatusStore::awaitExits(int processes, int without, std::chrono::milliseconds patience) {
  std::vector<std::string> keys;
  for (int process = 0; process < processes; ++process) {
    if (process != without) keys.push_back(exitKey(process));
  }
  store_->wait(keys, patience);
}

}  // namespace shardlens
