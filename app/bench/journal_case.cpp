#include "app/bench/journal_case.h"

#include "core/trace/file/trace_writer.h"
#include "core/trace/recorder/event_makers.h"

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace shardlens {
namespace {

constexpr int kOperators = 114;  // per step, without embeddings
constexpr int kSpecs = 40;
constexpr int kLines = 20;  // of the pretended program
constexpr const char* kNames[] = {"mm", "add", "relu", "mul", "layer_norm", "sum", "view", "bmm"};
const MaskPartial kMask{ReduceOp::Sum, {10000, 64}, 0};

// A repeated cache lookup, with the entries that it has made: one for each length of batches.
struct Question {
  struct Entry {
    EventId made = 0;      // the event of the miss
    std::uint64_t at = 0;  // the number of that lookup
    int uses = 0;
  };
  std::string text;
  std::vector<Entry> entries = {};
};

// Records lookups as a cache of the engine does.
class Cache {
 public:
  Cache(Recorder& recorder, const char* table) : recorder_(recorder), table_(table) {}

  // Records a hit of the entry that the random number `drawn` selects.
  void find(Question& question, std::uint32_t drawn) {
    auto& entry = question.entries[drawn % question.entries.size()];
    recorder_.note(makeLookup(recorder_, table_,
                              {.verdict = Verdict::Hit,
                               .entries = entries_,
                               .entry = entry.made,
                               .uses = ++entry.uses,
                               .age = ++lookups_ - entry.at},
                              std::nullopt));
  }

  void miss(Question& question) {
    const auto batch = fmt::format("f32[{}, 64](S(0))", 64 + question.entries.size());
    const LookupRecord query{.fields = {{"query", question.text}, {"batch", batch}}};
    const auto nearest = question.entries.empty() ? 0 : question.entries.back().made;
    const CacheAnswer answer{.entries = entries_++, .entry = nearest, .kept = true};
    question.entries.push_back(
        {recorder_.note(makeLookup(recorder_, table_, answer, query)), ++lookups_});
  }

 private:
  Recorder& recorder_;
  const char* table_;
  std::size_t entries_ = 0;
  std::uint64_t lookups_ = 0;
};

// An operator at one place of the program.
struct Operator {
  std::string name = {};
  SpecId spec = 0;
  Question strategy = {};
  Question plan = {};
};

class TrainingLoop {
 public:
  TrainingLoop(const JournalCase& of, Recorder& recorder) : of_(of), recorder_(recorder) {
    const std::string all = fmt::format("0-{}", of.ranks - 1);
    const std::string hosted = of.hosted ? std::to_string(*of.hosted) : all;
    recorder.setClock([this] { return now_ += 200 + random_() % 4000; });
    recorder.meta("scenario", "{}");
    recorder.meta("mesh", fmt::format("{}:tp", of.ranks));
    recorder.meta("masking", "stepwise");
    recorder.meta("planner", "min-cost");
    recorder.meta("backend", "simulated");
    recorder.meta("hosted", hosted);
    recorder.setRanks(hosted);
    for (int i = 0; i < kSpecs; ++i) {
      specs_.push_back(recorder.intern(SpecRecord{DType::Float32, {64, i + 1}, {Shard{0}}}));
      weights_.push_back(recorder.addTensor(fmt::format("w{}", i), specs_.back()));
    }
    bits_ = recorder.intern(SpecRecord{DType::Bool, {64}, {}});
    for (std::size_t i = 0; i < kOperators; ++i) {
      const std::string name = kNames[i % std::size(kNames)];
      const std::string call = fmt::format("{}(x, w{})", name, i);
      operators_.push_back({name, specs_[i % kSpecs], {call}, {"x of " + call}});
    }
  }

  EventId events() const { return events_; }

  void step() {
    recorder_.setStep(steps_, steps_ % kLines + 1);
    const Span step(recorder_, makeStep(recorder_, fmt::format("train({})", steps_ % kLines)));
    ++steps_;
    const bool isNewLength = static_cast<int>(random_() % 100) < of_.lengths;
    const std::size_t isAskedBy = isNewLength ? random_() % kOperators : kOperators;
    TensorId x = weights_.front();
    for (std::size_t i = 0; i < kOperators; ++i) {
      x = call(i, x, operators_[i].strategy.entries.empty() || i == isAskedBy);
    }
    for (int i = 0; i < of_.embeddings; ++i) lookUp();
  }

 private:
  // Records a call, with a redistribution of x. Every second call has a collective. Two calls in
  // four write their results into a weight. Returns the result.
  TensorId call(std::size_t place, TensorId x, bool isNewLength) {
    Operator& op = operators_[place];
    const TensorId weight = weights_[place % kSpecs];
    const auto inputs = std::to_array({x, weight});
    const Span span(recorder_, makeOperator(recorder_, "aten." + op.name), inputs);
    askStrategy(op, isNewLength);
    {
      const Span move(recorder_, makeRedistribute(recorder_, "S(0) -> R", x, Verdict::Implicit));
      askPlan(op, isNewLength);
      if (place % 2 == 0) send("all_gather");
      result("x'", newTensor("x'", op.spec));
    }
    note(makeCompute(recorder_, "local " + op.name));
    return result(op.name, place % 4 < 2 ? weight : newTensor(op.name, op.spec));
  }

  // Records an embedding with a row-wise sharded table: its result is pending on a mask until it is
  // reduced.
  void lookUp() {
    const TensorId bits = newTensor("mask of x'", bits_);
    const BufferId buffer = recorder_.nextBuffer();
    EventId hold = 0;
    TensorId rows = 0;
    const auto inputs = std::to_array({weights_[0], weights_[1]});
    const bool isFirst = embedding_.strategy.entries.empty();
    {
      const Span op(recorder_, makeOperator(recorder_, "aten.embedding"), inputs);
      askStrategy(embedding_, isFirst);
      {
        const Span move(recorder_, makeRedistribute(recorder_, "R -> MaskP(sum, [10000, 64], 0)",
                                                    inputs[1], Verdict::Implicit));
        askPlan(embedding_, isFirst);
        hold = note(makeMaskEvent(recorder_, kMask, buffer, 1, {.related = bits, .holder = "x'"}));
        result("x'", newTensor("x'", specs_[0]), bits, hold);
      }
      note(makeCompute(recorder_, "local embedding"));
      rows = result("y", newTensor("y", specs_[1]), bits, hold);
    }
    const Span move(recorder_, makeRedistribute(recorder_, "MaskP(sum, [10000, 64], 0) -> R", rows,
                                                Verdict::Explicit));
    askPlan(reduction_, reduction_.plan.entries.empty());
    note(makeMaskEvent(recorder_, kMask, buffer, 1,
                       {.kind = EventKind::MaskApplied, .related = rows}));
    send("all_reduce");
    note(makeMaskEvent(recorder_, kMask, buffer, 0,
                       {.kind = EventKind::MaskReleased, .related = hold}));
    result("z", newTensor("z", specs_[2]));
  }

  void askStrategy(Operator& op, bool isNewLength) {
    if (!isNewLength) return strategies_.find(op.strategy, random_());
    strategies_.miss(op.strategy);
    const CandidateRecord chosen{.name = "row-wise",
                                 .inputs = {"S(0)", "R"},
                                 .outputs = {"S(0)"},
                                 .bytes = 4096,
                                 .chosen = true};
    note(makeCandidates(recorder_, chosen.name, 1, *chosen.bytes, CandidatesRecord{{chosen}}));
  }

  void askPlan(Operator& op, bool isNewLength) {
    if (!isNewLength) return plans_.find(op.plan, random_());
    plans_.miss(op.plan);
    const PlanStepRecord gather{.axis = "tp",
                                .meshDim = 0,
                                .from = "S(0)",
                                .to = "R",
                                .move = "all_gather",
                                .after = "R",
                                .bytes = 4096,
                                .microseconds = 7.5};
    note(makePlan(recorder_, "S(0) -> R", 1, 4096,
                  PlanRecord{.steps = {gather}, .planner = "min-cost"}));
  }

  void send(const char* collective) {
    Span span(recorder_, makeCollective(recorder_, collective, fmt::format("0-{}", of_.ranks - 1),
                                        0, 4096, {.axis = "tp"}));
    span.took(std::chrono::nanoseconds(5000 + random_() % 5000));
  }

  TensorId newTensor(std::string_view name, SpecId spec) { return recorder_.addTensor(name, spec); }

  TensorId result(std::string_view name, TensorId tensor, TensorId mask = 0, EventId hold = 0) {
    note(makeResult(recorder_, name, tensor, 4096, mask, hold));
    return tensor;
  }

  EventId note(const Event& event) { return events_ = recorder_.note(event); }

  const JournalCase& of_;
  Recorder& recorder_;
  std::minstd_rand random_;
  std::int64_t now_ = 0;
  std::vector<SpecId> specs_;
  std::vector<TensorId> weights_;
  SpecId bits_ = 0;
  std::vector<Operator> operators_;
  Operator embedding_{.strategy = {"embedding(w, x)"}, .plan = {"x of embedding(w, x)"}};
  Operator reduction_{.plan = {"y of embedding(w, x)"}};
  Cache strategies_{recorder_, "strategy"};
  Cache plans_{recorder_, "plan"};
  EventId events_ = 0;
  int steps_ = 0;
};

}  // namespace

Result<EventId> recordJournal(const JournalCase& of, EventId events,
                              const std::filesystem::path& path) {
  auto writer = TraceWriter::create(path);
  if (!writer) return tl::unexpected(writer.error());
  Recorder recorder;
  recorder.addSink(**writer);
  TrainingLoop loop(of, recorder);
  do {
    loop.step();
  } while (loop.events() < events);
  if (const auto closed = (*writer)->close(); !closed) return tl::unexpected(closed.error());
  return loop.events();
}

}  // namespace shardlens
