#pragma once

#include "core/base/result.h"
#include "core/trace/events/event_sink.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace shardlens {

// A sink that writes a recording (FORMAT.md) while it is recorded. Appending copies into memory. A
// background thread commits full blocks, and the block being filled at least every 50 ms, so a
// reader can follow and a kill loses at most that. Appending blocks while 256 MiB wait for a slow
// disk. Appending, flush() and waited() may be called from any thread. The destructor closes the
// file and ignores errors.
class TraceWriter final : public EventSink {
 public:
  // Creates the file; returns an error if the path cannot be written. Replaces an existing
  // recording; an older writer of it then writes to the unlinked file, and close() reports that.
  // `requests`: what to record; without times and reasons the file is smaller and the run faster.
  static Result<std::unique_ptr<TraceWriter>> create(const std::filesystem::path& path,
                                                     SinkRequests requests = {});
  ~TraceWriter() override;

  // Blocks until all appended data is committed (not fsynced). A write error, such as a full disk,
  // is permanent: every later call returns it and later events are dropped. The writer then tries
  // to append a last Error event with the reason.
  Result<void> flush();
  // Writes the rest, marks the recording as ended and removes SQLite's side files. Returns the
  // first write error, if any. Later calls of on...() are ignored. May be called again from the
  // same thread; returns the same result.
  Result<void> close();
  // Return true if at least half, or seven eighths, of the data that may wait for the disk waits or
  // is being written. False after a write error.
  bool isBehind() const;
  bool isFull() const;
  // Blocks until isFull() is false, as appending would later. Counts as waited(). Also returns
  // after close() or a write error.
  void waitForRoom();
  // Returns how long appending has been blocked by a slow disk, up to now.
  std::chrono::nanoseconds waited() const;

  SinkRequests requests() const override { return requests_; }
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
  void onBookmark(EventId id, std::string_view note) override;

 private:
  class Impl;
  struct Pending;
  TraceWriter(std::unique_ptr<Impl> impl, SinkRequests requests);
  std::unique_ptr<Impl> impl_;
  SinkRequests requests_;
};

}  // namespace shardlens
