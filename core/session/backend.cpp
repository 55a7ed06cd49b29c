#include "core/session/backend.h"

#include "core/base/check.h"
#include "core/base/rank_lost.h"
#include "core/comm/gloo/gloo_communicator.h"
#include "core/comm/nccl/device/probe.h"
#include "core/comm/nccl/nccl_gpus.h"
#include "core/comm/simulated.h"

#include <c10/util/Logging.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

namespace shardlens {
namespace {

// Limit of ranks per process. Each hosted rank has a part of every tensor, even if it is empty.
constexpr int kMostRanks = 1 << 16;

// Raises the log level of this process to fatal, unless TORCH_CPP_LOG_LEVEL is set. c10d's threads
// print a stack trace for each broken link, and RankLost states the cause in one line.
void quietenLog() {
  if (std::getenv("TORCH_CPP_LOG_LEVEL") != nullptr) return c10::initLogging();
  FLAGS_caffe2_log_level = std::max(FLAGS_caffe2_log_level, static_cast<int>(c10::GLOG_FATAL));
}

}  // namespace

Result<Backend> Backend::named(const std::string& name, ProcessHooks hooks) {
  if (name == "nccl") return nccl(std::move(hooks));
  if (name == "gloo") return gloo(std::move(hooks));
  if (name == "simulated") return Backend();
  if (!isLaunched()) return alone(std::move(hooks));
  const auto warn = hooks.warn;
  auto launched = gloo(std::move(hooks));
  if (!launched) return launched;
  const auto taken = launched->takeGpus();
  if (!taken && launched->haveGpus() && launched->leads() && warn) {
    warn("there are GPUs, but ranks run on processors: " + taken.error().message);
  }
  return launched;
}

// A single launched process uses its GPU, as each of several launched processes does.
Result<Backend> Backend::alone(ProcessHooks hooks) {
  if (std::getenv("RANK") == nullptr || !probeGpus().gpus) return Backend();
  const auto warn = hooks.warn;
  auto launched = nccl(std::move(hooks));
  if (launched) return launched;
  if (warn) warn("there are GPUs, but ranks run on processors: " + launched.error().message);
  return Backend();
}

Result<Backend> Backend::gloo(ProcessHooks hooks) {
  const auto meeting = rendezvousFromEnvironment();
  if (!meeting) return tl::unexpected(meeting.error());
  quietenLog();
  auto processes = Processes::join(*meeting, std::move(hooks));
  if (!processes) throw RankLost(processes.error().message);
  return Backend(std::move(*processes));
}

Result<Backend> Backend::nccl(ProcessHooks hooks) {
  Backend backend;
  if (std::getenv("RANK") != nullptr) {
    auto launched = gloo(std::move(hooks));
    if (!launched) return launched;
    backend = *std::move(launched);
  }
  if (const auto taken = backend.takeGpus(); !taken) return tl::unexpected(taken.error());
  return backend;
}

Result<void> Backend::takeGpus() {
  auto gpus = NcclGpus::open(processes_);
  const auto usable = agree("the GPUs", gpus.map([](const auto&) {}));
  if (usable) gpus_ = *std::move(gpus);
  return usable;
}

bool Backend::haveGpus() const {
  const auto own = probeGpus().gpus ? "yes" : "";
  const auto all = allGatherStrings("whether there are GPUs", own);
  return std::any_of(all.begin(), all.end(), [](const auto& each) { return !each.empty(); });
}

Backend Backend::of(Connect connect) {
  Backend backend;
  backend.connect_ = std::move(connect);
  return backend;
}

Backend Backend::dry(const CostModel& costs) {
  Backend backend;
  backend.dry_ = std::make_shared<DryCommunicator>(costs, at::kMeta);
  return backend;
}

Transport Backend::transport() const {
  if (dry_ != nullptr) return Transport::Dry;
  if (gpus_ != nullptr) return Transport::Nccl;
  return processes_ == nullptr ? Transport::Simulated : Transport::Gloo;
}

EstimatedTime Backend::estimated() const { return *dry_->time(); }

int Backend::processes() const { return processes_ == nullptr ? 1 : processes_->processes(); }

bool Backend::leads() const { return processes_ == nullptr || processes_->process() == 0; }

Result<void> Backend::verify(int ranks) const {
  if (ranks / processes() > kMostRanks) {
    return fail(
        fmt::format("mesh: got {} ranks, expected at most {} a process; run --dry goes through a "
                    "scenario on a mesh of any size",
                    ranks, kMostRanks));
  }
  if (processes_ == nullptr) return {};
  const auto made = GlooCommunicator::make(processes_, ranks);
  return made ? Result<void>() : tl::unexpected(made.error());
}

int Backend::firstRank(int ranks) const {
  return processes_ == nullptr ? 0 : processes_->process() * (ranks / processes_->processes());
}

std::unique_ptr<Communicator> Backend::communicator(int ranks) const {
  if (connect_) return connect_(ranks);
  if (dry_ != nullptr) return std::make_unique<DryCommunicator>(*dry_);
  if (gpus_ != nullptr) return gpus_->communicator(ranks);
  if (processes_ == nullptr) return std::make_unique<SimulatedCommunicator>(ranks);
  auto made = GlooCommunicator::make(processes_, ranks);
  SL_CHECK(made, "a number of ranks that was verified");
  return std::move(*made);
}

void Backend::leave(const std::string& why) const {
  if (processes_ != nullptr) processes_->leave(why);
}

void Backend::setStep(const std::string& step) const {
  if (processes_ != nullptr) processes_->setStep(step);
}

std::vector<std::string> Backend::allGatherStrings(const std::string& about,
                                                   const std::string& words) const {
  if (processes_ == nullptr) return {words};
  return processes_->allGatherStrings(about, words);
}

std::vector<std::string> Backend::gatherStrings(const std::string& about,
                                                const std::string& words) const {
  if (processes_ == nullptr) return {words};
  return processes_->gatherStrings(about, words);
}

Result<void> Backend::agree(const std::string& about, Result<void> mine) const {
  if (processes_ == nullptr) return mine;
  if (!mine) processes_->refuse(mine.error().message);
  try {
    // "" is success; "!" marks an error, whose message may be empty.
    for (const auto& words : allGatherStrings(about, mine ? "" : "!" + mine.error().message)) {
      if (!words.empty()) return fail(words.substr(1));
    }
    return {};
  } catch (const RankLost& lost) {
    if (mine || lost.whose() == RankLost::Whose::OwnRefusal) throw;
    throw RankLost(fmt::format("process {} refused {}: {}; no agreement with the others: {}",
                               processes_->process(), about, mine.error().message, lost.what()),
                   RankLost::Whose::Own);
  }
}

}  // namespace shardlens
