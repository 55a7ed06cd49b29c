#include "app/bench/recorded_run.h"

#include "core/comm/estimated.h"
#include "core/tensor/dispatch/make_runtime.h"
#include "core/tensor/distribute.h"
#include "core/trace/file/trace_writer.h"

#include <ATen/ATen.h>
#include <benchmark/benchmark.h>
#include <c10/core/GradMode.h>
#include <sqlite3.h>

#include <string>

namespace shardlens {
namespace {

// A sink that counts Operator events.
class OperatorCounter final : public EventSink {
 public:
  std::int64_t count() const { return count_; }

  SinkRequests requests() const override { return kEventsAlone; }
  void onMeta(std::string_view, std::string_view) override {}
  void onString(StringId, std::string_view) override {}
  void onSpec(SpecId, const Spec&) override {}
  void onRoute(RouteId, const Route&) override {}
  void onTensor(TensorId, StringId, SpecId) override {}
  void onEvent(EventId, const Event& event, std::span<const TensorId>) override {
    count_ += event.kind == EventKind::Operator;
  }
  void onValue(const ValueRecord&) override {}
  void onEnd(EventId, std::int64_t) override {}

 private:
  std::int64_t count_ = 0;
};

// Returns the number of interned strings in a recording.
Result<std::int64_t> countStrings(const std::filesystem::path& path) {
  sqlite3* opened = nullptr;
  sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database(opened, sqlite3_close);
  std::int64_t rows = 0;
  const auto take = [](void* to, int, char** columns, char**) {
    *static_cast<std::int64_t*>(to) = std::stoll(columns[0]);
    return 0;
  };
  if (sqlite3_exec(opened, "SELECT count(*) FROM strings", take, &rows, nullptr) != SQLITE_OK) {
    return fail(path.string() + ": " + sqlite3_errmsg(opened));
  }
  return rows;
}

}  // namespace

RecordedProgram addsProgram() {
  constexpr int kRanks = 4;
  const auto runtime = makeRuntime(DeviceMesh::make({kRanks}).value(),
                                   std::make_unique<DryCommunicator>(CostModel(), at::kCPU));
  const auto a = distribute(runtime, at::ones({8 * kRanks, 8}), {Shard{0}});
  const auto b = distribute(runtime, at::ones({8 * kRanks, 8}), {Shard{0}});
  return {runtime, [a, b](int calls) {
            const c10::NoGradGuard noGrad;
            for (int i = 0; i < calls; ++i) {
              benchmark::DoNotOptimize(at::add(a, b).unsafeGetTensorImpl());
            }
          }};
}

RecordedProgram transformerProgram(const TransformerCase::Size& size) {
  const auto of = std::make_shared<TransformerCase>(size);
  return {of->runtime(), [of](int calls) {
            for (int i = 0; i < calls; ++i) of->step();
          }};
}

Result<Taken> timeRecorded(const RecordedProgram& program, const RecordingLevel& level, int calls,
                           const std::filesystem::path& path) {
  auto& recorder = program.runtime->recorder();
  std::unique_ptr<TraceWriter> writer;
  if (level.wants) {
    auto created = TraceWriter::create(path, *level.wants);
    if (!created) return tl::unexpected(created.error());
    writer = std::move(*created);
    recorder.setCapture(level.values);
    recorder.addSink(*writer);
  }
  program.run(1);
  const CallTimer watch;
  program.run(calls);
  recorder.removeSinks();
  if (writer != nullptr) {
    if (const auto closed = writer->close(); !closed) return tl::unexpected(closed.error());
  }
  return watch.taken() / calls;
}

Result<RecordingSize> sizeRecorded(const RecordedProgram& program, int calls,
                                   const std::filesystem::path& path) {
  auto& recorder = program.runtime->recorder();
  auto writer = TraceWriter::create(path, kEventsAlone);
  if (!writer) return tl::unexpected(writer.error());
  OperatorCounter operators;
  recorder.addSink(**writer);
  recorder.addSink(operators);
  program.run(calls);
  recorder.removeSinks();
  if (const auto closed = (*writer)->close(); !closed) return tl::unexpected(closed.error());
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
  return countStrings(path).map([&](std::int64_t strings) {
    return RecordingSize{operators.count(), bytes, strings};
  });
}

}  // namespace shardlens
