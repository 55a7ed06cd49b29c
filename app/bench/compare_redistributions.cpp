#include "app/bench/comparisons.h"
#include "app/bench/samples.h"
#include "core/tensor/dispatch/make_runtime.h"
#include "core/tensor/distribute.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/redistribute/redistribute.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstring>

namespace shardlens {
namespace {

using nlohmann::json;

constexpr int kRanks = 4;

struct Size {
  const char* name;
  std::int64_t side;
  int turns;
  double timesFaster;  // at least
};

constexpr Size kSizes[] = {{"64 MiB", 4096, 9, 4}, {"256 KiB", 256, 60, 30}};

const std::pair<Placement, Placement> kMoves[] = {
    {Shard{0}, Replicate{}}, {Shard{0}, Shard{1}}, {Partial{}, Shard{0}}, {Partial{}, Replicate{}}};

// As meanOf(), after a call that brings data back into the caches of the processor.
template <class Call>
Taken warmMeanOf(Call call) {
  call();
  return meanOf(call);
}

at::Tensor source(const std::shared_ptr<Runtime>& runtime, std::int64_t side, Placement placement) {
  const auto whole = at::ones({side, side});
  if (!isPartial(placement)) return distribute(runtime, whole, {placement});
  Buffers partials;
  for (int rank = 0; rank < kRanks; ++rank) partials.push_back(whole.clone());
  return fromLocals(runtime, partials, {placement}, std::nullopt);
}

// Copies as many bytes as the local tensors of all ranks have, one memcpy per rank.
class Copies {
 public:
  explicit Copies(const at::Tensor& tensor) {
    for (const auto& local : dtensorImpl(tensor).locals()) {
      from_.push_back(at::ones(local.sizes(), local.options()));
      to_.push_back(at::zeros(local.sizes(), local.options()));
    }
  }

  void run() const {
    for (std::size_t i = 0; i < to_.size(); ++i) {
      std::memcpy(to_[i].mutable_data_ptr(), from_[i].const_data_ptr(), from_[i].nbytes());
    }
  }

 private:
  Buffers from_, to_;
};

struct Figures {
  Samples peer, ours, copies;
};

void print(const std::string& name, const Size& size, const Figures& figures) {
  const double ratio = figures.peer.median() / figures.ours.median();
  std::printf("  %-13s %24s %24s %24s %6.1f %4.0f %-6s %5.2f\n", name.c_str(),
              figures.peer.text(0).c_str(), figures.ours.text(0).c_str(),
              figures.copies.text(0).c_str(), ratio, size.timesFaster,
              ratio >= size.timesFaster ? "met" : "MISSED",
              figures.ours.median() / figures.copies.median());
}

}  // namespace

Result<json> compareRedistributions(Peer& peer, Clock clock) {
  const c10::NoGradGuard noGrad;
  const auto runtime = makeSimulatedRuntime(DeviceMesh::make({kRanks}).value());
  std::printf("\nredistribute f32 on %d ranks, %s time in microseconds, median [quartiles]\n",
              kRanks, std::string(clockName(clock)).c_str());
  json samples = json::array();
  for (const auto& size : kSizes) {
    std::printf("%-15s %24s %24s %24s %6s %11s %s\n", size.name, "DTensor's", "ours", "memcpy",
                "ratio", "at least", "ours : memcpy");
    for (const auto& [from, to] : kMoves) {
      const auto tensor = source(runtime, size.side, from);
      const auto move = [&, target = Placements{to}] { return redistribute(tensor, target); };
      const Copies copies(move());
      Figures figures;
      for (int turn = 0; turn < size.turns; ++turn) {
        json sample = {{"side", size.side}, {"from", toText(from)}, {"to", toText(to)}};
        auto answer = peer.ask(sample);
        if (!answer) return answer;
        if (answer->contains("refused")) return fail("DTensor: " + answer->at("refused").dump());
        const Taken ours = warmMeanOf(move), copied = warmMeanOf([&] { copies.run(); });
        figures.peer.add(answer->get<Taken>().by(clock));
        figures.ours.add(ours.by(clock));
        figures.copies.add(copied.by(clock));
        sample.update({{"peer", *answer}, {"ours", ours}, {"memcpy", copied}});
        samples.push_back(std::move(sample));
      }
      print(toText(from) + " -> " + toText(to), size, figures);
    }
  }
  return samples;
}

}  // namespace shardlens
