#include "app/bench/clocks.h"
#include "app/bench/team.h"
#include "core/comm/gloo/gloo_communicator.h"
#include "core/tensor/dispatch/make_runtime.h"
#include "core/tensor/distribute.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/redistribute/redistribute.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/GradMode.h>
#include <nlohmann/json.hpp>
#include <torch/version.h>

#include <fstream>
#include <functional>
#include <iostream>

namespace shardlens {
namespace {

using nlohmann::json;
using Action = std::function<void()>;

// Returns the bytes that all processes of this machine have sent over the loopback device.
double sentBytes() {
  std::ifstream file("/sys/class/net/lo/statistics/tx_bytes");
  double count = 0;
  file >> count;
  return count;
}

Placements placementOf(const json& request, const char* key) {
  return {parsePlacement(request.at(key).get<std::string>()).value()};
}

// The measurements of one member. All members measure the same at the same time.
class Member {
 public:
  explicit Member(std::shared_ptr<Processes> processes)
      : processes_(std::move(processes)),
        runtime_(makeRuntime(DeviceMesh::make({processes_->processes()}).value(),
                             GlooCommunicator::make(processes_, processes_->processes()).value())) {
  }

  // Returns the means of a call in this process. Keeps the tensors until another request comes.
  json measured(const json& request) {
    if (request != request_) {
      request_ = request;
      call_ = nullptr;
      call_ = request.at("what") == "lookup" ? lookup(request) : move(request);
      call_();
    }
    const int calls = request.at("calls").get<int>();
    Taken all;
    const double before = sentBytes();
    for (int i = 0; i < calls; ++i) {
      together();
      const CallTimer watch;
      call_();
      const Taken one = watch.taken();
      all.wall += one.wall;
      all.processor += one.processor;
    }
    together();
    json answer = all / calls;
    answer["sent"] = (sentBytes() - before) / calls;
    return answer;
  }

 private:
  // Waits for all members.
  void together() const { processes_->allGatherStrings("the next call", {}); }

  Action lookup(const json& request) const {
    const auto rows = request.at("rows").get<std::int64_t>();
    const auto width = request.at("width").get<std::int64_t>();
    const auto table =
        distribute(runtime_, at::ones({1, 1}).expand({rows, width}), {shardlens::Shard{0}});
    const auto ids = distribute(runtime_,
                                at::randint(rows, {request.at("ids").get<std::int64_t>()},
                                            at::detail::createCPUGenerator(1), at::kLong),
                                {Replicate{}});
    return [table, ids, to = placementOf(request, "to")] {
      dtensorImpl(redistribute(at::embedding(table, ids), to)).locals();
    };
  }

  Action move(const json& request) const {
    const auto side = request.at("side").get<std::int64_t>();
    const auto tensor = distribute(runtime_, at::ones({side, side}), placementOf(request, "from"));
    return [tensor, to = placementOf(request, "to")] {
      dtensorImpl(redistribute(tensor, to)).locals();
    };
  }

  std::shared_ptr<Processes> processes_;
  std::shared_ptr<Runtime> runtime_;
  json request_;
  Action call_;  // of the request request_; owns its tensors
};

}  // namespace

Result<void> runMember() {
  const c10::NoGradGuard noGrad;
  const auto meeting = rendezvousFromEnvironment();
  if (!meeting) return tl::unexpected(meeting.error());
  auto processes = Processes::join(*meeting, {});
  if (!processes) return tl::unexpected(processes.error());
  Member member(std::move(*processes));
  std::cout << json{{"torch", TORCH_VERSION}} << std::endl;
  try {
    for (std::string line; std::getline(std::cin, line);) {
      std::cout << member.measured(json::parse(line)) << std::endl;
    }
    return {};
  } catch (const std::exception& problem) {
    return fail(problem.what());
  }
}

}  // namespace shardlens
