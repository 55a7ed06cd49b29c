#include "core/comm/gloo/board.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <algorithm>

namespace shardlens {
namespace {

constexpr const char* kVerdict = "verdict";
constexpr const char* kPresent = "present";

std::string noticeKey(int process) { return "notice/" + std::to_string(process); }
std::string farewellKey(int process) { return "farewell/" + std::to_string(process); }

std::vector<std::uint8_t> bytesOf(const std::string& text) { return {text.begin(), text.end()}; }

}  // namespace

Board::Store Board::open(const Rendezvous& meeting, std::chrono::milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = meeting.port;
  options.isServer = meeting.process == 0 && !meeting.agentStore;
  options.timeout = std::min(timeout, options.timeout);
  options.waitWorkers = false;
  const auto store = c10::make_intrusive<c10d::TCPStore>(meeting.host, options);
  const auto prefix = "shardlens/attempt_" + std::to_string(meeting.attempt);
  return c10::make_intrusive<c10d::PrefixStore>(prefix, store);
}

std::optional<std::string> Board::read(const std::string& key) {
  if (!store_->check({key})) return std::nullopt;
  const auto bytes = store_->get(key);
  return std::string(bytes.begin(), bytes.end());
}

void Board::post(const Notice& notice) {
  store_->set(noticeKey(notice.process), bytesOf(toText(notice)));
}

std::optional<Notice> Board::noticeOf(int process) {
  const auto text = read(noticeKey(process));
  return text ? std::optional(noticeFrom(*text)) : std::nullopt;
}

std::optional<RunVerdict> Board::verdict() {
  const auto text = read(kVerdict);
  return text ? std::optional(verdictFrom(*text)) : std::nullopt;
}

RunVerdict Board::decide(const RunVerdict& verdict) {
  const auto bytes = store_->compareSet(kVerdict, {}, bytesOf(toText(verdict)));
  return verdictFrom(std::string(bytes.begin(), bytes.end()));
}

int Board::come() { return static_cast<int>(store_->add(kPresent, 1)); }
int Board::present() { return static_cast<int>(store_->add(kPresent, 0)); }

int Board::firstMissing(int processes) {
  int low = 0, high = processes;  // all below low are there
  while (low < high) {
    const int middle = low + (high - low) / 2;
    std::vector<std::string> keys;
    for (int process = low; process <= middle; ++process) keys.push_back(noticeKey(process));
    if (store_->check(keys)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void Board::sayFarewell(int process) { store_->set(farewellKey(process), bytesOf("1")); }

void Board::awaitFarewells(int processes, int without, std::chrono::milliseconds patience) {
  std::vector<std::string> keys;
  for (int process = 0; process < processes; ++process) {
    if (process != without) keys.push_back(farewellKey(process));
  }
  store_->wait(keys, patience);
}

}  // namespace shardlens
