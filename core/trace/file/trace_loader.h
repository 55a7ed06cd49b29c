#pragma once

#include "core/trace/file/database.h"
#include "core/trace/file/progress.h"
#include "core/trace/journal/journal.h"

#include <memory>
#include <optional>

namespace shardlens {

// Carries what is new in a recording into a journal, as one reading: whatever an event names is
// there with it. Believes nothing it reads: a row that cannot be is a DatabaseError, so that nobody
// behind the journal has to ask.
class TraceLoader {
 public:
  explicit TraceLoader(std::unique_ptr<Database> database);

  // True when there was something.
  bool load(const Progress& progress = {});
  const Journal& journal() const { return journal_; }
  // Somebody may still write to it, or did since the last load: its writer neither closed it nor is
  // gone.
  bool mayGrow();
  // Its writer closed it.
  bool isClosed() const { return closed_; }

 private:
  void upgrade();
  bool loadMeta();
  bool loadStrings();
  bool loadSpecs();
  void addTensorFormat1(SpecId spec);
  bool loadTensors();
  bool loadBlocks(const Progress& progress);
  bool loadValues();
  void loadBlock(EventId first, std::size_t count, std::span<const std::byte> packed);
  void take(EventId id, const Event& event, std::span<const TensorId> inputs);
  void checkBlock(const EventBlock& block);
  ValueRecord readValue() const;
  void checkEvent(EventId id, const Event& event) const;
  bool namesWhatIsThere(EventId id, const Event& event) const;

  std::unique_ptr<Database> database_;
  std::int64_t format_;
  Statement meta_;
  Statement strings_;
  Statement specs_;
  std::optional<Statement> tensors_;  // in format 1 they stand with the specs
  Statement blocks_;
  Statement values_;
  EventBlock unpacked_;
  std::vector<bool> isLookup_;  // by event
  Journal journal_;
  std::int64_t dataVersion_ = -1;
  std::int64_t revision_ = 0;
  std::int64_t lastValue_ = 0;
  bool isUpgraded_ = false;
  bool ended_ = false;
  bool closed_ = false;
};

}  // namespace shardlens
