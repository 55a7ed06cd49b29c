#include "app/bench/comparisons.h"
#include "app/bench/samples.h"
#include "core/comm/estimated.h"
#include "core/tensor/caches/plan_cache.h"
#include "core/tensor/caches/strategy_cache.h"
#include "core/tensor/dispatch/make_runtime.h"
#include "core/tensor/distribute.h"
#include "core/tensor/redistribute/redistribute.h"

#include <ATen/ATen.h>
#include <benchmark/benchmark.h>
#include <c10/core/GradMode.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <functional>

namespace shardlens {
namespace {

using nlohmann::json;

constexpr int kTurns = 15;
constexpr int kRows = 64;  // of the table, per rank

// A call and its target on a cache hit.
struct Asked {
  const char* call;
  double mostAdds;  // at most, of the time without local work, as a multiple of a plain add
};
constexpr Asked kCalls[] = {{"add", 2.5}, {"embedding", 8}, {"reduced", 14}};

// A mesh and its target on cache misses.
struct Missed {
  std::vector<int> mesh;
  double timesFaster;  // than DTensor, at least
};

void keep(const at::Tensor& result) { benchmark::DoNotOptimize(result.unsafeGetTensorImpl()); }

// The calls of peers/dispatch.py, on the first rank of a mesh; nothing is sent.
class Calls {
 public:
  explicit Calls(const std::vector<int>& mesh)
      : runtime_(makeRuntime(DeviceMesh::make(mesh).value(),
                             std::make_unique<DryCommunicator>(CostModel(), at::kCPU))),
        whole_(mesh.size(), Replicate{}),
        cut_(whole_) {
    cut_.back() = Shard{0};
    a_ = distribute(runtime_, at::ones({8 * mesh.back(), 8}), cut_);
    b_ = distribute(runtime_, at::ones({8 * mesh.back(), 8}), cut_);
    table_ = distribute(runtime_, at::ones({kRows * mesh.back(), 64}), cut_);
    ids_ = distribute(runtime_, at::arange(64, at::kLong), whole_);
  }

  std::function<void()> sharded(std::string_view call) const {
    if (call == "add") return [this] { keep(at::add(a_, b_)); };
    if (call == "embedding") return [this] { keep(at::embedding(table_, ids_)); };
    return [this] { keep(redistribute(at::embedding(table_, ids_), whole_)); };
  }

  // Returns the mean time of a call with empty caches: each lookup misses and stores its result.
  Taken missed(std::string_view call) const {
    const auto run = sharded(call);
    Taken sum;
    constexpr int kCalls = 50;
    for (int i = 0; i < kCalls; ++i) {
      runtime_->strategyCache().clear();
      runtime_->planCache().clear();
      const CallTimer watch;
      run();
      const Taken taken = watch.taken();
      sum = {sum.wall + taken.wall, sum.processor + taken.processor};
    }
    return sum / kCalls;
  }

 private:
  std::shared_ptr<Runtime> runtime_;
  Placements whole_, cut_;
  at::Tensor a_, b_, table_, ids_;
};

// Returns the local work of a call, on plain tensors.
std::function<void()> local(std::string_view call) {
  if (call == "add") {
    return [a = at::ones({8, 8}), b = at::ones({8, 8})] { keep(at::add(a, b)); };
  }
  return [table = at::ones({kRows, 64}), ids = at::arange(64, at::kLong)] {
    keep(at::embedding(table, ids));
  };
}

Result<json> compareHits(Peer& peer, Clock clock, int ranks) {
  const Calls calls({ranks});
  const auto add = local("add");
  json samples = json::array();
  for (const auto& [call, mostAdds] : kCalls) {
    Samples theirs, ours, plain, adds;
    const auto run = calls.sharded(call), work = local(call);
    for (int turn = 0; turn < kTurns; ++turn) {
      json sample = {{"mesh", {ranks}}, {"call", call}, {"cached", true}};
      auto answer = peer.ask(sample);
      if (!answer) return answer;
      if (answer->contains("refused")) return fail("DTensor: " + answer->at("refused").dump());
      const Taken taken = meanOf(run), worked = meanOf(work), added = meanOf(add);
      theirs.add(answer->get<Taken>().by(clock));
      ours.add(taken.by(clock));
      plain.add(worked.by(clock));
      adds.add(added.by(clock));
      sample.update({{"peer", *answer}, {"ours", taken}, {"local", worked}, {"add", added}});
      samples.push_back(std::move(sample));
    }
    const double multiple = (ours.median() - plain.median()) / adds.median();
    std::printf("  %5d ranks %-10s %22s %20s %20s %8.1f %6.1f %s\n", ranks, call,
                theirs.text(1).c_str(), ours.text(2).c_str(), plain.text(2).c_str(), multiple,
                mostAdds, multiple <= mostAdds ? "met" : "MISSED");
  }
  return samples;
}

Result<json> compareMisses(Peer& peer, Clock clock, const Missed& missed) {
  const Calls calls(missed.mesh);
  json samples = json::array();
  for (const char* call : {"add", "embedding"}) {
    Samples theirs, ours;
    for (int turn = 0; turn < kTurns; ++turn) {
      json sample = {{"mesh", missed.mesh}, {"call", call}, {"cached", false}};
      auto answer = peer.ask(sample);
      if (!answer) return answer;
      if (answer->contains("refused")) return fail("DTensor: " + answer->at("refused").dump());
      const Taken taken = calls.missed(call);
      theirs.add(answer->get<Taken>().by(clock));
      ours.add(taken.by(clock));
      sample.update({{"peer", *answer}, {"ours", taken}});
      samples.push_back(std::move(sample));
    }
    const double ratio = theirs.median() / ours.median();
    std::printf("  %-11s %-10s %28s %24s %8.0f %6.0f %s\n",
                toText(Shape(missed.mesh.begin(), missed.mesh.end())).c_str(), call,
                theirs.text(0).c_str(), ours.text(1).c_str(), ratio, missed.timesFaster,
                ratio >= missed.timesFaster ? "met" : "MISSED");
  }
  return samples;
}

}  // namespace

Result<json> compareDispatch(Peer& peer, Clock clock) {
  const c10::NoGradGuard noGrad;
  json samples = json::array();
  const auto take = [&](Result<json> part) {
    if (part) samples.insert(samples.end(), part->begin(), part->end());
    return part;
  };
  const std::string clockText(clockName(clock));
  std::printf("\ndispatch of one rank, %s time in microseconds, median [quartiles]\n",
              clockText.c_str());
  std::printf("  %-22s %22s %20s %20s %8s %6s\n", "cache hit", "DTensor's", "ours", "local work",
              "adds", "most");
  for (const int ranks : {4, 64, 1024}) {
    if (auto part = take(compareHits(peer, clock, ranks)); !part) return part;
  }
  std::printf("  %-22s %28s %24s %8s %6s\n", "cache miss", "DTensor's", "ours", "ratio", "least");
  for (const auto& missed :
       {Missed{{4}, 30}, Missed{{2, 2}, 100}, Missed{{2, 2, 2}, 200}, Missed{{2, 2, 2, 2}, 200}}) {
    if (auto part = take(compareMisses(peer, clock, missed)); !part) return part;
  }
  return samples;
}

}  // namespace shardlens
