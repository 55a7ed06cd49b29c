#include "tests/view/lookup_run.h"

#include "core/model/shard_geometry.h"
#include "core/model/spec.h"
#include "core/trace/events/event_names.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/records/holder_record.h"
#include "tests/trace/named_event.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

namespace shardlens {
namespace {

constexpr int kRanks = 4;
constexpr std::array<std::int64_t, 6> kIds{0, 9, 4, 4, 2, 7};
constexpr std::array<float, 30> kTable{
    0.09F,  1.25F,  -0.93F, 0.41F,  -1.10F, 0.52F,  1.90F,  0.16F,  -0.04F, 0.73F,
    1.13F,  -0.03F, 0.59F,  -0.97F, -0.37F, 1.02F,  -0.66F, 0.28F,  -1.63F, -0.24F,
    -0.17F, -0.32F, 0.07F,  -1.34F, 0.88F,  -0.12F, 0.35F,  -0.85F, -0.40F, -2.02F};

constexpr const char* kScenario = R"j({
  "shardlens": 1,
  "title": "vocabulary-parallel embedding",
  "notes": ["Each rank holds some rows of the table, and looks up what it owns."],
  "mesh": {"shape": [4], "names": ["tp"]},
  "masking": "stepwise", // each step to be seen
  "steps": [
    {"id": "w", "call": "tensor", "fill": "randn", "shape": [10, 3], "placements": ["S(0)"],
     "note": "The table: rows 0-2, 3-5, 6-8 and 9."},
    {"id": "x", "call": "tensor", "data": [0, 9, 4, 4, 2, 7], "dtype": "int64",
     "placements": ["R"]},
    {"id": "y", "call": "aten.embedding", "args": ["$w", "$x"],
     "note": "Each rank looks up row 0 of its own shard for every id it does not own (hatched)."},
    {"id": "z", "call": "redistribute", "args": ["$y"], "placements": ["R"]}
  ]
}
)j";

template <class T>
std::shared_ptr<const std::vector<std::byte>> bytesOf(const std::vector<T>& values) {
  auto bytes = std::make_shared<std::vector<std::byte>>(values.size() * sizeof(T));
  if (!values.empty()) {
    std::memcpy(bytes->data(), values.data(), bytes->size());
  }
  return bytes;
}

// Short forms for recording events, values and spans.
class RunRecorder {
 public:
  explicit RunRecorder(Recorder& recorder) : recorder_(recorder) {
    recorder_.setCapture(CaptureLevel::All);
  }

  Event event(EventKind kind, const std::string& name, const std::string& detail = {}) {
    Event result = namedEvent(recorder_, kind, name);
    result.detail = recorder_.intern(detail);
    return result;
  }
  StringId text(const char* text) { return recorder_.intern(text); }
  EventId begin(const Event& event) { return recorder_.begin(event); }
  void end(EventId id) { recorder_.end(id); }

  TensorId tensor(const char* name, DType dtype, Shape shape, Placements placements,
                  std::optional<DeviceMesh> mesh = {}) {
    return recorder_.addTensor(name, {dtype, std::move(shape), std::move(placements),
                                      mesh ? shared(std::move(*mesh)) : nullptr});
  }
  template <class T>
  void value(TensorId tensor, int rank, Shape shape, const std::vector<T>& values) {
    ValueRecord record;
    record.tensor = tensor;
    record.rank = rank;
    record.shape = std::move(shape);
    record.data = bytesOf(values);
    recorder_.value(record, *record.data);
  }
  EventId result(TensorId tensor, const char* name, TensorId mask = 0, EventId hold = 0) {
    return recorder_.note(makeResult(recorder_, name, tensor, 0, mask, hold));
  }
  EventId miss(const char* table, const char* key, std::size_t entries = 0) {
    return recorder_.note(makeLookup(recorder_, parseCache(table),
                                     {.entries = entries, .kept = true},
                                     LookupRecord{.fields = {{"question", key}}}));
  }
  void hit(const char* table, EventId entry, int uses, std::uint64_t age) {
    recorder_.note(makeLookup(
        recorder_, parseCache(table),
        {.verdict = Verdict::Hit, .entries = 2, .entry = entry, .uses = uses, .age = age},
        std::nullopt));
  }
  void plan(const std::string& name, const std::string& detail) {
    recorder_.note(event(EventKind::Plan, name, detail));
  }
  EventId buffer(EventKind kind, BufferId buffer, std::uint32_t related, int count,
                 const char* holder = nullptr) {
    Event changed = event(kind, "");
    if (holder != nullptr) changed.detail = recorder_.intern(holderDetail(holder));
    changed.subject = buffer;
    changed.related = related;
    changed.count = count;
    return recorder_.note(changed);
  }
  EventId step(int step, int line, const char* text) {
    recorder_.setStep(step, line);
    return begin(event(EventKind::Step, text));
  }

 private:
  Recorder& recorder_;
};

const Placement kMaskP = MaskPartial{ReduceOp::Sum, {10, 3}, 0};

struct Tensors {
  TensorId w = 0, x = 0, local = 0, mask = 0, y = 0, z = 0;
  EventId plan = 0;  // the miss that created its cache entry
  EventId idsHold = 0, rowsHold = 0;
};

std::vector<float> tableRows(std::int64_t begin, std::int64_t length) {
  return {kTable.begin() + begin * 3, kTable.begin() + (begin + length) * 3};
}

void recordInputs(RunRecorder& run, Tensors& all) {
  auto step = run.step(0, 8, "w = tensor([10, 3], S(0))");
  all.w = run.tensor("w", DType::Float32, {10, 3}, {Shard{0}});
  run.result(all.w, "w");
  for (int rank = 0; rank < kRanks; ++rank) {
    const Chunk rows = chunkOf(10, kRanks, rank);
    run.value(all.w, rank, {rows.length, 3}, tableRows(rows.begin, rows.length));
  }
  run.end(step);
  step = run.step(1, 10, "x = tensor([6], R)");
  all.x = run.tensor("x", DType::Int64, {6}, {Replicate{}});
  run.result(all.x, "x");
  for (int rank = 0; rank < kRanks; ++rank) {
    run.value(all.x, rank, {6}, std::vector<std::int64_t>(kIds.begin(), kIds.end()));
  }
  run.end(step);
}

void recordMasking(RunRecorder& run, Tensors& all) {
  Event implicit = run.event(EventKind::Redistribute, "R -> MaskP(sum, [10, 3], 0)");
  implicit.verdict = Verdict::Implicit;
  implicit.subject = all.x;
  const auto redistribute = run.begin(implicit);
  all.plan = run.miss("plan", "i64[6] R -> MaskP([10, 3])");
  run.plan("R -> MaskP(sum, [10, 3], 0)",
           R"j([{"mesh_dim":0,"axis":"tp","from":"R","to":"MaskP(sum, [10, 3], 0)"}])j");
  all.mask = run.tensor("mask", DType::Bool, {6}, {});
  all.local = run.tensor("x'", DType::Int64, {6}, {kMaskP});
  all.idsHold = run.buffer(EventKind::MaskMaterialized, 1, all.mask, 1, "x'");
  std::vector<std::vector<std::int64_t>> locals(kRanks);
  for (int rank = 0; rank < kRanks; ++rank) {
    const Chunk rows = chunkOf(10, kRanks, rank);
    std::vector<std::uint8_t> bits;
    for (const auto id : kIds) {
      const bool masked = id < rows.begin || id >= rows.begin + rows.length;
      bits.push_back(masked ? 1 : 0);
      locals[static_cast<std::size_t>(rank)].push_back(masked ? 0 : id - rows.begin);
    }
    run.value(all.mask, rank, {6}, bits);
  }
  run.result(all.local, "x'", all.mask, all.idsHold);
  for (int rank = 0; rank < kRanks; ++rank) {
    run.value(all.local, rank, {6}, locals[static_cast<std::size_t>(rank)]);
  }
  run.end(redistribute);
}

// Records each rank's lookup: its own rows, and row 0 of its shard, or zeros, for masked ids.
void recordRows(RunRecorder& run, const Tensors& all, bool zeroed) {
  for (int rank = 0; rank < kRanks; ++rank) {
    const Chunk rows = chunkOf(10, kRanks, rank);
    std::vector<float> values;
    for (const auto id : kIds) {
      const bool masked = id < rows.begin || id >= rows.begin + rows.length;
      const auto row = tableRows(masked ? rows.begin : id, 1);
      for (const float value : row) {
        values.push_back(masked && zeroed ? 0.0F : value);
      }
    }
    run.value(all.y, rank, {6, 3}, values);
  }
}

void recordEmbedding(RunRecorder& run, Tensors& all) {
  const auto step = run.step(2, 12, "y = aten.embedding(w, x)");
  const auto op = run.begin(run.event(EventKind::Operator, "aten.embedding",
                                      R"j({"args":["w: f32[10, 3](S(0))","x: i64[6](R)"]})j"));
  run.miss("strategy", "embedding [10, 3] S(0), [6] R", 1);
  Event candidates = run.event(EventKind::Candidates, "row-wise",
                               R"j([{"name":"row-wise","inputs":["S(0)","MaskP"],)j"
                               R"j("outputs":["MaskP"],"cost":0.0,"bytes":0,"chosen":true},)j"
                               R"j({"name":"column-wise","inputs":["S(1)","R"],)j"
                               R"j("outputs":["S(1)"],"cost":6.7,"bytes":90,"chosen":false},)j"
                               R"j({"name":"batch","inputs":["R","S(0)"],)j"
                               R"j("outputs":["S(0)"],"cost":9.1,"bytes":90,"chosen":false},)j"
                               R"j({"name":"replicate","inputs":["R","R"],)j"
                               R"j("outputs":["R"],"cost":9.1,"bytes":90,"chosen":false}])j");
  run.end(run.begin(candidates));
  recordMasking(run, all);
  Event compute = run.event(EventKind::Compute, "look up local rows");
  compute.ranks = run.text("0-3");
  compute.duration = 4200;
  run.end(run.begin(compute));
  all.y = run.tensor("y", DType::Float32, {6, 3}, {kMaskP});
  all.rowsHold = run.buffer(EventKind::MaskMaterialized, 1, all.mask, 2, "y");
  run.result(all.y, "y", all.mask, all.rowsHold);
  recordRows(run, all, /*zeroed=*/false);
  run.buffer(EventKind::MaskReleased, 1, all.idsHold, 1);
  run.end(op);
  run.end(step);
}

void recordReduction(RunRecorder& run, Tensors& all) {
  const auto step = run.step(3, 14, "z = redistribute(y, R)");
  Event redistribution = run.event(EventKind::Redistribute, "MaskP(sum, [10, 3], 0) -> R");
  redistribution.verdict = Verdict::Explicit;
  redistribution.subject = all.y;
  const auto redistribute = run.begin(redistribution);
  run.hit("plan", all.plan, 1, 2);
  run.plan("MaskP(sum, [10, 3], 0) -> R",
           R"j([{"mesh_dim":0,"axis":"tp","from":"MaskP(sum, [10, 3], 0)","to":"R"}])j");
  run.buffer(EventKind::MaskApplied, 1, all.y, 1);
  recordRows(run, all, /*zeroed=*/true);
  Event reduce = run.event(EventKind::Collective, "all_reduce");
  reduce.bytes = 288;
  reduce.meshDim = 0;
  reduce.ranks = run.text("0-3");
  run.end(run.begin(reduce));
  run.buffer(EventKind::MaskReleased, 1, all.rowsHold, 0);
  all.z = run.tensor("z", DType::Float32, {6, 3}, {Replicate{}});
  run.result(all.z, "z");
  std::vector<float> values;
  for (const auto id : kIds) {
    const auto row = tableRows(id, 1);
    values.insert(values.end(), row.begin(), row.end());
  }
  for (int rank = 0; rank < kRanks; ++rank) {
    run.value(all.z, rank, {6, 3}, values);
  }
  run.end(redistribute);
  run.end(step);
}

}  // namespace

EventId LookupRun::find(const Journal& journal, EventKind kind, int nth) {
  for (EventId id = 1; id <= journal.size(); ++id) {
    if (journal.at(id).kind == kind && nth-- == 0) {
      return id;
    }
  }
  throw std::runtime_error("no such event in the recording");
}

TensorId LookupRun::tensor(const Journal& journal, const char* name) {
  for (TensorId id = 1; id <= journal.tensors(); ++id) {
    if (journal.tensor(id).name == name) {
      return id;
    }
  }
  throw std::runtime_error("no such tensor in the recording");
}

void recordLookup(Recorder& recorder) {
  recorder.meta("scenario", kScenario);
  recorder.meta("title", "vocabulary-parallel embedding");
  recorder.meta("mesh", "4:tp");
  recorder.meta("masking", "stepwise");
  recorder.meta("backend", "simulated");
  RunRecorder run(recorder);
  Tensors all;
  recordInputs(run, all);
  recordEmbedding(run, all);
  recordReduction(run, all);
}

void recordLookup(Journal& journal) {
  Recorder recorder;
  recorder.addSink(journal);
  recordLookup(recorder);
}

void recordTensor(Journal& journal, const char* mesh, Shape shape, Placements placements,
                  const Recorded& recorded) {
  Recorder recorder;
  recorder.addSink(journal);
  recorder.meta("mesh", mesh);
  recorder.meta("backend", "gloo");
  if (recorded.hosted != nullptr) {
    recorder.meta("hosted", recorded.hosted);
  }
  RunRecorder run(recorder);
  const auto step = run.step(0, 1, "t = tensor(...)");
  const TensorId id = run.tensor("t", DType::Float32, shape, placements, recorded.mesh);
  run.result(id, "t");
  const TensorRanks locations(journal, id);
  const auto& ranks = locations.mesh();
  for (const int rank : ranks->ranks()) {
    if (locations.of(rank) != RankLocation::Here) {
      continue;
    }
    const auto runs = ownedRuns(shape, *ranks, placements, rank);
    const Shape local = localShape(shape, *ranks, placements, rank);
    std::vector<float> values;
    for (std::int64_t flat = 0; flat < elementCount(local); ++flat) {
      std::int64_t rest = flat;
      std::int64_t global = 0;
      std::int64_t stride = 1;
      for (std::size_t dim = shape.size(); dim-- > 0;) {
        global += globalIndex(runs[dim], rest % local[dim]) * stride;
        rest /= local[dim];
        stride *= shape[dim];
      }
      values.push_back(static_cast<float>(global));
    }
    run.value(id, rank, local, values);
  }
  run.end(step);
}

void recordPlan(Journal& journal) {
  Recorder recorder;
  recorder.addSink(journal);
  recorder.meta("mesh", "2x2:dp,tp");
  recorder.meta("backend", "simulated");
  RunRecorder run(recorder);
  const TensorId tensor = run.tensor("t", DType::Float32, {8, 4}, {Shard{0}, Shard{0}});
  EventId entry = 0;
  for (int step = 0; step < 2; ++step) {
    const auto span = run.step(step, step + 1, "u = redistribute(t, R, S(0))");
    Event redistribution = run.event(EventKind::Redistribute, "(S(0), S(0)) -> (R, S(0))");
    redistribution.verdict = Verdict::Explicit;
    redistribution.subject = tensor;
    run.result(tensor, "t");
    const auto redistribute = run.begin(redistribution);
    if (step == 1) run.hit("plan", entry, 1, 1);
    if (step == 0) {
      entry = run.miss("plan", "f32[8, 4](S(0), S(0)), (R, S(0))");
      run.plan(
          "(S(0), S(0)) -> (R, R) -> (R, S(0))",
          planDetail(
              {.steps = {{"dp_tp", {0, 1}, "S(0), S(0)", "R, R", "all_gather", "(R, R)", 96, 7.2},
                         {"tp", {1}, "R", "S(0)", "slice", "(R, S(0))", 0, 0}},
               .planner = "min-cost",
               .explored = 5,
               .alternatives = {
                   {"min-cost",
                    {},
                    parseRoute("(S(0), S(0)) -> (R, R) -> (R, S(0))").value(),
                    1,
                    96,
                    7.2,
                    256,
                    true},
                   {"greedy",
                    {},
                    parseRoute("(S(0), S(0)) -> (S(0), R) -> (R, R) -> (R, S(0))").value(),
                    2,
                    96,
                    14.1,
                    192,
                    false}}}));
    }
    Event gather = run.event(EventKind::Collective, "all_gather", R"j({"axis":"dp_tp"})j");
    gather.bytes = 128;
    gather.ranks = run.text("0-3");
    run.end(run.begin(gather));
    run.end(redistribute);
    run.end(span);
  }
}

}  // namespace shardlens
