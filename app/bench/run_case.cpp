#include "app/bench/run_case.h"

#include "core/model/ranks_text.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/records/clock_record.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace shardlens {
namespace {

constexpr int kLayers = 4;          // per stage and step
constexpr int kEventsOfStep = 105;  // of a rank
constexpr const char* kNames[] = {"layer_norm", "mm",   "softmax", "bmm",
                                  "add",        "gelu", "mul",     "sum"};
constexpr std::int64_t kStep = 100'000'000;       // nanoseconds
constexpr std::int64_t kLate = kStep / 2;         // of a straggler in a step
constexpr std::int64_t kWork = kStep * 45 / 100;  // of all stages in a step, one after the other

// Where a rank is in the mesh of stages x data x tensor parallel ranks.
struct Place {
  int stage, data, tensor;
};

class Mesh {
 public:
  explicit Mesh(const RunCase& of)
      : stages_(of.stages), tensors_(of.tensorParallel), data_(of.ranks / stages_ / tensors_) {}

  Place at(int rank) const {
    return {rank / tensors_ / data_, rank / tensors_ % data_, rank % tensors_};
  }
  int rankAt(const Place& place) const {
    return (place.stage * data_ + place.data) * tensors_ + place.tensor;
  }
  std::vector<int> tensorGroup(int rank) const {
    Place place = at(rank);
    std::vector<int> ranks;
    for (place.tensor = 0; place.tensor < tensors_; ++place.tensor) ranks.push_back(rankAt(place));
    return ranks;
  }
  std::vector<int> dataGroup(int rank) const {
    Place place = at(rank);
    std::vector<int> ranks;
    for (place.data = 0; place.data < data_; ++place.data) ranks.push_back(rankAt(place));
    return ranks;
  }
  std::string text() const { return fmt::format("{}x{}x{}:pp,dp,tp", stages_, data_, tensors_); }
  int stages() const { return stages_; }

 private:
  int stages_, tensors_, data_;
};

// What keeps a rank from ending its last step: it stops before a collective, or waits in one.
enum class Stop { None, BeforeTensor, InTensor, InPrevious, InData };

// Follows from the order of the collectives in a step: of the tensor parallel group in each layer,
// to the next stage, of the data parallel group.
std::vector<Stop> stopsOf(const RunCase& of, const Mesh& mesh) {
  std::vector<Stop> stops(static_cast<std::size_t>(of.ranks), Stop::None);
  if (of.fault != RunCase::Fault::Hang) return stops;
  const auto at = [&](int rank) -> Stop& { return stops[static_cast<std::size_t>(rank)]; };
  for (const int rank : mesh.tensorGroup(of.faulty)) at(rank) = Stop::InTensor;
  at(of.faulty) = Stop::BeforeTensor;
  for (int rank = 0; rank < of.ranks; ++rank) {
    Place place = mesh.at(rank);
    if (at(rank) != Stop::None || place.stage-- == 0) continue;
    if (at(mesh.rankAt(place)) != Stop::None) at(rank) = Stop::InPrevious;
  }
  const auto before = stops;
  for (int rank = 0; rank < of.ranks; ++rank) {
    if (at(rank) != Stop::None) continue;
    for (const int other : mesh.dataGroup(rank)) {
      if (before[static_cast<std::size_t>(other)] != Stop::None) at(rank) = Stop::InData;
    }
  }
  return stops;
}

// The program of one rank.
class RankLoop {
 public:
  RankLoop(const RunCase& of, const Mesh& mesh, int rank, Recorder& recorder)
      : of_(of), recorder_(recorder), rank_(rank), place_(mesh.at(rank)), stages_(mesh.stages()) {
    recorder.setClock([this] { return now_ += stageTime() / 350; });
    recorder.meta("scenario", "{}");
    recorder.meta("mesh", mesh.text());
    recorder.meta("backend", "job");
    recorder.meta("hosted", std::to_string(rank));
    recorder.meta(kClockKey, clockText({"boot", {{0, 1'000'000'000, 2'000'000'000, 1000}}}));
    recorder.setRanks(std::to_string(rank));
    spec_ = recorder.intern(Spec(DType::Float32, {64, 64}, {Replicate{}, Replicate{}, Shard{0}}));
    weight_ = recorder.addTensor("weight", spec_);
    const auto beside = mesh.tensorGroup(rank);
    const auto replicas = mesh.dataGroup(rank);
    isReplicaOfFaulty_ = std::ranges::count(replicas, of.faulty) > 0;
    tensorGroup_ = textsOf(beside);
    dataGroup_ = textsOf(replicas);
    Place other = place_;
    if (++other.stage < stages_) next_ = textsOf({rank, mesh.rankAt(other)});
    if (other.stage -= 2; other.stage >= 0) previous_ = textsOf({mesh.rankAt(other), rank});
    for (int layer = 0; layer < kLayers; ++layer) {
      sites_.push_back({.file = "/job/model.py",
                        .line = 20 + layer,
                        .module = fmt::format("layers.{}", place_.stage * kLayers + layer),
                        .pass = "forward"});
    }
  }

  EventId events() const { return events_; }

  // Records a step. Returns false if the rank does not end it.
  bool step(Stop stop, bool isLast) {
    const std::int64_t begin = std::max(now_, steps_ * kStep);
    now_ = begin;
    recorder_.setStep(steps_, 10);
    recorder_.setSite({.file = "/job/train.py", .line = 10});
    const EventId step = recorder_.begin(makeStep(recorder_, "train(batch)"));
    ++steps_;
    const std::int64_t received = begin + place_.stage * stageTime();
    if (!call(CollectiveKind::Broadcast, kStages, previous_, stop == Stop::InPrevious, received)) {
      return false;
    }
    TensorId x = weight_;
    for (int layer = 0; layer < kLayers; ++layer) {
      recorder_.setSite(sites_[static_cast<std::size_t>(layer)]);
      x = runLayer(layer, x);
      if (stop == Stop::BeforeTensor) return false;
      const bool stays = stop == Stop::InTensor;
      if (!call(CollectiveKind::AllReduce, kTensors, tensorGroup_, stays)) return false;
    }
    recorder_.setSite({.file = "/job/train.py", .line = 30});
    call(CollectiveKind::Broadcast, kStages, next_, false, received + stageTime());
    std::int64_t together = 0;  // when the last rank of the data parallel group arrives
    if (of_.fault == RunCase::Fault::Straggler) {
      if (rank_ == of_.faulty) now_ += kLate;
      if (rank_ != of_.faulty && isReplicaOfFaulty_) together = now_ + kLate;
    }
    const bool diverges = isLast && rank_ == of_.faulty && of_.fault == RunCase::Fault::Divergence;
    const auto kind = diverges ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce;
    if (!call(kind, kReplicas, dataGroup_, stop == Stop::InData, together)) return false;
    recorder_.end(step);
    return true;
  }

 private:
  // Stages and experts run the same operators in different orders.
  TensorId runLayer(int layer, TensorId x) {
    const int expert = place_.data % of_.experts;
    const auto first = static_cast<std::size_t>(place_.stage + layer + expert);
    for (std::size_t i = 0; i < std::size(kNames); ++i) {
      const std::string name = kNames[(first + i) % std::size(kNames)];
      const auto inputs = std::to_array({x, weight_});
      const Span span(recorder_, makeOperator(recorder_, "aten." + name), inputs);
      recorder_.note(makeCompute(recorder_, "local " + name));
      x = recorder_.addTensor(name, spec_);
      events_ = recorder_.note(makeResult(recorder_, name, x, 4096, 0));
    }
    return x;
  }

  // Returns nullopt for a group of one rank, which calls no collectives.
  std::optional<CollectiveTexts> textsOf(const std::vector<int>& ranks) {
    if (ranks.size() == 1) return std::nullopt;
    const std::string text = ranksText({ranks});
    return collectiveTexts(recorder_, text, {}, text);
  }

  // The axes of the mesh.
  static constexpr int kStages = 0, kReplicas = 1, kTensors = 2;

  // The time in which a stage does its work of a step.
  std::int64_t stageTime() const { return kWork / stages_; }

  // Records a collective in which the last rank arrives at `from` or with this one. Returns false
  // if the rank stays in it.
  bool call(CollectiveKind kind, int meshDim, const std::optional<CollectiveTexts>& texts,
            bool stays, std::int64_t from = 0) {
    if (!texts) return true;
    events_ = recorder_.begin(makeCollective(recorder_, kind, *texts, meshDim, 4096));
    if (stays) return false;
    now_ = std::max(now_, from) + stageTime() / 20;
    recorder_.end(events_);
    return true;
  }

  const RunCase& of_;
  Recorder& recorder_;
  int rank_;
  Place place_;
  int stages_;
  bool isReplicaOfFaulty_ = false;
  std::int64_t now_ = 0;
  SpecId spec_ = 0;
  TensorId weight_ = 0;
  std::optional<CollectiveTexts> tensorGroup_, dataGroup_, next_, previous_;
  std::vector<SiteRecord> sites_;
  EventId events_ = 0;
  int steps_ = 0;
};

Result<std::unique_ptr<TraceWriter>> writerOf(int rank, const std::filesystem::path& folder) {
  return TraceWriter::create(folder / fmt::format("rank-{}.shardlens", rank));
}

Result<EventId> recordRank(const RunCase& of, const Mesh& mesh, int rank, Stop stop,
                           const std::filesystem::path& folder) {
  auto writer = writerOf(rank, folder);
  if (!writer) return tl::unexpected(writer.error());
  Recorder recorder;
  recorder.addSink(**writer);
  RankLoop loop(of, mesh, rank, recorder);
  for (int step = 1; step < of.steps && loop.step(Stop::None, false); ++step) {
  }
  loop.step(stop, true);
  if (const auto closed = (*writer)->close(); !closed) return tl::unexpected(closed.error());
  return loop.events();
}

}  // namespace

RunCase runOf(int ranks, EventId events) {
  RunCase of{.ranks = ranks};
  of.tensorParallel = std::gcd(ranks, 2);
  of.stages = std::gcd(ranks / of.tensorParallel, 16);
  of.experts = 8;
  of.steps = std::max(1, static_cast<int>(events) / ranks / kEventsOfStep);
  return of;
}

Result<std::int64_t> recordRun(const RunCase& of, const std::filesystem::path& folder) {
  const Mesh mesh(of);
  const auto stops = stopsOf(of, mesh);
  std::atomic<int> next = 0;
  std::atomic<std::int64_t> events = 0;
  std::mutex guard;
  std::optional<Error> failure;
  const auto work = [&] {
    for (int rank = next++; rank < of.ranks; rank = next++) {
      const auto recorded =
          recordRank(of, mesh, rank, stops[static_cast<std::size_t>(rank)], folder);
      if (recorded) {
        events += *recorded;
      } else if (const std::lock_guard lock(guard); !failure) {
        failure = recorded.error();
      }
    }
  };
  std::vector<std::jthread> threads(std::max(1U, std::thread::hardware_concurrency()));
  for (auto& thread : threads) thread = std::jthread(work);
  threads.clear();
  if (failure) return tl::unexpected(*failure);
  return events.load();
}

Result<std::int64_t> recordLiveRun(const RunCase& of, const std::filesystem::path& folder,
                                   const std::function<void(int step)>& before) {
  const Mesh mesh(of);
  std::deque<std::unique_ptr<TraceWriter>> writers;
  std::deque<Recorder> recorders;
  std::deque<RankLoop> loops;
  for (int rank = 0; rank < of.ranks; ++rank) {
    auto writer = writerOf(rank, folder);
    if (!writer) return tl::unexpected(writer.error());
    recorders.emplace_back().addSink(**writer);
    writers.push_back(std::move(*writer));
    loops.emplace_back(of, mesh, rank, recorders.back());
  }
  for (int step = 0; step < of.steps; ++step) {
    before(step);
    for (auto& loop : loops) loop.step(Stop::None, false);
  }
  std::int64_t events = 0;
  for (const auto& loop : loops) events += loop.events();
  for (const auto& writer : writers) {
    if (const auto closed = writer->close(); !closed) return tl::unexpected(closed.error());
  }
  return events;
}

}  // namespace shardlens
