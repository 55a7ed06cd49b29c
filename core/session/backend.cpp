#include "core/session/backend.h"

#include "core/base/check.h"
#include "core/comm/gloo.h"
#include "core/comm/simulated.h"

namespace shardlens {

Result<Backend> Backend::named(const std::string& name) {
  const bool several = name.empty() ? isLaunched() : name == "gloo";
  return several ? gloo() : Backend();
}

Result<Backend> Backend::gloo() {
  auto processes = joinProcesses();
  if (!processes) return tl::unexpected(processes.error());
  return Backend(std::move(*processes));
}

Backend Backend::dry(const CostModel& costs) {
  Backend backend;
  backend.dry_ = std::make_shared<DryCommunicator>(costs);
  return backend;
}

std::string_view Backend::name() const {
  if (dry_ != nullptr) return "dry";
  return processes_ == nullptr ? "simulated" : "gloo";
}

ReckonedTime Backend::reckoned() const { return *dry_->time(); }

int Backend::processes() const { return processes_ == nullptr ? 1 : processes_->processes(); }

bool Backend::leads() const { return processes_ == nullptr || processes_->process() == 0; }

Result<void> Backend::verify(int ranks) const {
  if (processes_ == nullptr) return {};
  const auto made = GlooCommunicator::make(processes_, ranks);
  return made ? Result<void>() : tl::unexpected(made.error());
}

int Backend::firstRank(int ranks) const {
  return processes_ == nullptr ? 0 : processes_->process() * (ranks / processes_->processes());
}

std::unique_ptr<Communicator> Backend::communicator(int ranks) const {
  if (dry_ != nullptr) return std::make_unique<DryCommunicator>(*dry_);
  if (processes_ == nullptr) return std::make_unique<SimulatedCommunicator>(ranks);
  auto made = GlooCommunicator::make(processes_, ranks);
  SL_CHECK(made, "a number of ranks that was verified");
  return std::move(*made);
}

std::vector<std::string> Backend::exchangeWords(const std::string& about,
                                                const std::string& words) const {
  if (processes_ == nullptr) return {words};
  try {
    return processes_->exchangeWords(about, words);
  } catch (const LinkFailed& failed) {
    throw ProcessLost(failed.what());
  }
}

Result<void> Backend::agree(const std::string& about, Result<void> mine) const {
  if (processes_ == nullptr) return mine;
  try {
    for (const auto& words : exchangeWords(about, mine ? "" : "!" + mine.error().message)) {
      if (!words.empty()) return fail(words.substr(1));
    }
    return {};
  } catch (const ProcessLost& lost) {
    if (mine) throw;
    throw ProcessLost("process " + std::to_string(processes_->process()) + " refused " + about +
                      ": " + mine.error().message +
                      "; no agreement with the others: " + lost.what());
  }
}

}  // namespace shardlens
