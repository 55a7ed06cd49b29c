#pragma once

#include "core/base/result.h"
#include "core/trace/events/event_sink.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/recorder/partial_sink.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace shardlens {

// How much of the end of a job a RingWriter retains: some time, or some steps.
struct RingExtent {
  std::int64_t nanoseconds = 0;  // 0: count steps
  int steps = 0;
};
// Parses "10min", "90s", "2h" or "200steps".
Result<RingExtent> parseRingExtent(std::string_view text);

// A sink that writes a recording of the last steps or minutes only, so that the disk space is
// bounded for a job of any length. The recording has at least the extent, and at most two extents
// and a step. It is readable at any moment, also after a kill.
//
// Writes two files beside `path`: one is complete, the next one begins an extent later and replaces
// it when it has an extent. `path` is a link to the complete file, and a file when the ring is
// closed. Both are written at the same time, which doubles the cost. Files begin with a step, or,
// for an extent of time, with any event outside of spans but the step. See PartialSink for what a
// file has of the time before it began. Not thread safe.
class RingWriter final : public EventSink {
 public:
  // Replaces a recording at `path`. Fails as TraceWriter::create() does.
  static Result<std::unique_ptr<RingWriter>> create(const std::filesystem::path& path,
                                                    RingExtent extent,
                                                    std::optional<StepSelection> steps = {});
  // Closes the ring and ignores errors.
  ~RingWriter() override;

  // Retains what the ring has now, and at most another extent after it, in the folder
  // kept-REASON beside `path`, with the name of `path`. Of one reason the first counts until that
  // folder is removed. An event of kind Error and a value with NaN do this with the reasons "error"
  // and "nan".
  void retain(const std::string& reason);
  bool has(int step) const { return current_->sink.has(step); }
  // The writer of the complete file.
  TraceWriter& writer() { return *current_->writer; }
  // That writer and, if the next file has begun, its writer. A thread that waits for the disk
  // shares them, because the ring replaces files at any event.
  std::vector<std::shared_ptr<TraceWriter>> writers() const;
  // As TraceWriter::close(). Leaves one file at `path`, or the link if a reader is in a
  // transaction.
  Result<void> close();

  void onMeta(std::string_view key, std::string_view value) override;
  void onString(StringId id, std::string_view text) override;
  void onSpec(SpecId id, const Spec& spec) override;
  void onRoute(RouteId id, const Route& route) override;
  void onTensor(TensorId id, StringId name, SpecId spec) override;
  using EventSink::onEvent;
  void onEvent(EventId id, const Event& event, std::span<const TensorId> inputs) override;
  void onValue(const ValueRecord& value) override;
  void onExposed(EventId id, std::int64_t exposed) override;
  void onEnd(EventId id, std::int64_t duration) override;

 private:
  // A file and the part of the job that it has.
  struct Part {
    explicit Part(std::optional<StepSelection> selected) : sink(std::move(selected)) {}
    PartialSink sink;
    std::filesystem::path path = {};
    std::shared_ptr<TraceWriter> writer = nullptr;  // null: nothing is written
    std::int64_t begin = 0;                         // time of the first event
    int steps = 0;
    std::string reason = {};  // why it is retained; empty: it is not
  };

  RingWriter(std::filesystem::path path, RingExtent extent, std::optional<StepSelection> steps);

  Result<void> begin(Part& part, std::int64_t time);
  std::filesystem::path keptPath(const std::string& reason) const;
  Result<void> publish(const Part& part) const;
  Result<void> publishKept(const Part& part) const;
  void advance(const Event& event);
  void replace();
  void keep(const Result<void>& result);  // keeps the first error
  bool isFull(const Part& part, std::int64_t now) const;

  std::filesystem::path path_;
  RingExtent extent_;
  std::unique_ptr<Part> current_, next_;
  std::thread retiring_;  // closes a file that was replaced
  int files_ = 0;         // number of files so far
  EventId step_ = 0;      // the event of the current step
  Result<void> result_;   // the first error
  bool isClosed_ = false;
};

}  // namespace shardlens
