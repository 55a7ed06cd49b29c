#include "app/engine/checkup.h"

#include "core/cluster/ports.h"
#include "core/cluster/processes.h"
#include "core/cluster/rendezvous.h"
#include "core/comm/nccl/device/library.h"
#include "core/comm/nccl/device/probe.h"
#include "core/model/byte_count.h"
#include "core/view/words/units.h"
#include "shardlens_build.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace shardlens::cli {
namespace {

namespace fs = std::filesystem;
using State = Finding::State;

template <class T, class Words>
Finding of(const std::string& what, const Result<T>& found, Words words) {
  if (found) return {what, State::Good, words(*found), ""};
  const auto& message = found.error().message;
  const auto separator = message.find("): ");  // separates the reason from the advice
  if (separator == std::string::npos) return {what, State::Absent, message, ""};
  return {what, State::Absent, message.substr(0, separator + 1), message.substr(separator + 3)};
}

Finding torchFinding() {
  return {"torch", State::Good,
          std::string(kTorchVersion) + ", " + torchFolder().value_or("").string(), ""};
}

Finding machineFinding() {
  return {"machine", State::Good,
          view::plural(static_cast<int>(std::thread::hardware_concurrency()), "processor") + ", " +
              byteCountText(static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) *
                            sysconf(_SC_PAGESIZE)) +
              " of memory",
          ""};
}

// Two threads join as two processes through Gloo and exchange a string.
Finding meetingFinding() {
  const auto start = std::chrono::steady_clock::now();
  const auto port = freePort();
  const auto meet = [port](int process) -> Result<void> {
    const auto joined =
        Processes::join({process, 2, "127.0.0.1", port}, {}, std::chrono::seconds(10));
    if (!joined) return tl::unexpected(joined.error());
    try {
      (*joined)->allGatherStrings("a checkup", "here");
      return {};
    } catch (const RankLost& failed) {
      return fail(failed.what());
    }
  };
  auto other = std::async(std::launch::async, meet, 1);
  auto met = meet(0);
  const auto theirs = other.get();
  if (met && !theirs) met = theirs;
  const auto passed = std::chrono::steady_clock::now() - start;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
  if (met) return {"meeting", State::Good, fmt::format("two processes joined in {} ms", ms), ""};
  return {"meeting", State::Wrong, met.error().message,
          "check that the loopback is up, and that GLOO_SOCKET_IFNAME, if set, names an existing "
          "interface"};
}

Finding launchFinding() {
  if (!isLaunched()) return {"launch", State::Good, "none: runs have one process", ""};
  const auto meeting = rendezvousFromEnvironment();
  if (!meeting) {
    return {"launch", State::Wrong, meeting.error().message, "start the processes with torchrun"};
  }
  return {"launch", State::Good,
          fmt::format("process {} of {}, which meet at {}:{}", meeting->process, meeting->processes,
                      meeting->host, meeting->port),
          ""};
}

Finding portFinding() {
  constexpr std::uint16_t kTorchruns = 29500;
  const auto meeting = rendezvousFromEnvironment();
  const auto port = meeting ? meeting->port : kTorchruns;
  const std::string text = std::to_string(port) + (meeting ? "" : ", torchrun's own,");
  if (!isPortTaken(port)) return {"port", State::Good, text + " is free", ""};
  // torchrun's agent already listens on the port.
  if (meeting && meeting->agentStore) return {"port", State::Good, text + " has a listener", ""};
  return {"port", meeting ? State::Wrong : State::Absent, text + " is taken",
          "choose another one with torchrun --master-port"};
}

Finding torchrunFinding() {
  const auto torch = torchFolder().value_or("");
  std::vector<fs::path> places;
  for (auto folder = torch; folder.has_relative_path(); folder = folder.parent_path()) {
    places.push_back(folder / "bin/torchrun");
  }
  std::istringstream path(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) {
    places.push_back(fs::path(folder) / "torchrun");
  }
  const auto exists = [](const fs::path& place) { return fs::exists(place); };
  const auto found = std::find_if(places.begin(), places.end(), exists);
  const std::string todo = "app/setup --with-tests installs one";
  if (found == places.end()) return {"torchrun", State::Absent, "not found", todo};
  // A minimal torch has the script but not what it needs to run.
  if (!fs::exists(torch / "libtorch_python.so")) {
    return {"torchrun", State::Absent, found->string() + " needs the full torch", todo};
  }
  return {"torchrun", State::Good, found->lexically_normal().string(), ""};
}

// A part for GPUs that this program was built with, or the reason why it was left out.
Finding builtFinding(const std::string& what, std::string_view summary) {
  if (!summary.starts_with("left out: ")) return {what, State::Good, std::string(summary), ""};
  return {
      what, State::Absent, std::string(summary),
      "needs a CUDA toolkit and the full torch, which app/setup --with-tests installs; then run "
      "cmake -B build and app/setup again"};
}

std::vector<Finding> gpuFindings() {
  const auto probe = probeGpus();
  return {of("driver", probe.driver, [](const auto& version) { return "runs CUDA " + version; }),
          of("GPUs", probe.gpus,
             [](const std::vector<Gpu>& gpus) {
               std::string text;
               for (const auto& gpu : gpus) {
                 text +=
                     (text.empty() ? "" : ", ") + gpu.name + " (" + byteCountText(gpu.bytes) + ")";
               }
               return text;
             }),
          of("NCCL", probe.nccl,
             [](const GpuProbe::Nccl& nccl) { return nccl.version + ", " + nccl.path.string(); }),
          of("torch's part", probe.torchCuda, [](const fs::path& path) { return path.string(); }),
          builtFinding("kernels", kCudaSummary),
          builtFinding("communicator", kNcclSummary)};
}

}  // namespace

bool Checkup::isReady() const {
  return std::all_of(findings.begin(), findings.end(), [this](const Finding& finding) {
    return finding.state != State::Wrong && (finding.state == State::Good || backend != "nccl");
  });
}

std::vector<Checkup> checkUp() {
  return {{"simulated", {torchFinding(), machineFinding()}},
          {"gloo", {meetingFinding(), launchFinding(), portFinding(), torchrunFinding()}},
          {"nccl", gpuFindings()}};
}

}  // namespace shardlens::cli
