#pragma once

#include "core/base/result.h"
#include "core/trace/journal/event_sink.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace shardlens {

// Writes a recording (FORMAT.md) while it happens. Appending costs a copy into memory: a thread of
// its own brings full blocks to the file, and the one being filled at least every 50 ms, so that a
// reader can follow and a kill loses at most those. Refuses a path that cannot be written; close()
// (or the destructor) flushes. A second writer on the same file replaces it. Without reasons and
// times a recording is smaller, and costs the run less.
class TraceWriter final : public EventSink {
 public:
  static Result<std::unique_ptr<TraceWriter>> create(const std::filesystem::path& path,
                                                     Wants wants = {});
  ~TraceWriter() override;

  // Everything appended so far is in the file when this returns, or why it is not: what could not
  // be written once (a full disk) stays the answer from then on, and nothing more is kept: the last
  // event says so, if there is room for it.
  Result<void> flush();
  // Writes the rest and leaves one file, with nothing beside it. What comes later is not recorded.
  Result<void> close();
  // How long the run has been held back by a disk slower than itself, until now if it still is.
  std::chrono::nanoseconds waited() const;

  Wants wants() const override { return wants_; }
  void onMeta(std::string_view key, std::string_view value) override;
  void onString(StringId id, std::string_view text) override;
  void onSpec(SpecId id, const SpecRecord& spec) override;
  void onTensor(TensorId id, StringId name, SpecId spec) override;
  using EventSink::onEvent;
  void onEvent(EventId id, const Event& event, std::span<const TensorId> inputs) override;
  void onValue(const ValueRecord& value) override;
  void onEnd(EventId id, std::int64_t duration) override;
  void onBookmark(EventId id, std::string_view note) override;

 private:
  class Impl;
  struct Pending;
  TraceWriter(std::unique_ptr<Impl> impl, Wants wants);
  std::unique_ptr<Impl> impl_;
  Wants wants_;
};

}  // namespace shardlens
