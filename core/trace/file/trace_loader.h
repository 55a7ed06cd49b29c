#pragma once

#include "core/trace/file/database.h"
#include "core/trace/file/file_values.h"
#include "core/trace/file/progress.h"
#include "core/trace/journal/journal.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace shardlens {

// Carries what is new in a recording into a journal, as one reading: whatever an event names is
// there with it. Believes nothing it reads: a row that cannot be is a DatabaseError, so that nobody
// behind the journal has to ask.
class TraceLoader {
 public:
  explicit TraceLoader(std::unique_ptr<Database> database);

  // Takes in what is new, but about so many events at most, or what is as much work. True when
  // there was something; there may be more.
  bool load(std::int64_t most);
  // Until there is nothing.
  void loadAll(const Progress& progress = {});
  const Journal& journal() const { return journal_; }
  // Somebody may still write to it, or did since the last load: its writer neither closed it nor is
  // gone.
  bool mayGrow();
  // There was more than the last load took in.
  bool isBehind() const { return isBehind_; }
  // Its writer closed it.
  bool isClosed() const { return closed_; }

 private:
  bool read(std::int64_t most, const Progress& progress);
  void upgrade();
  // Of a table, while there is something left of `most`.
  bool loadMeta();
  bool loadBookmarks();
  bool loadStrings(std::int64_t& most);
  bool loadSpecs(std::int64_t& most);
  void addTensorFormat1(SpecId spec);
  bool loadTensors(std::int64_t& most);
  bool loadBlocks(std::int64_t& most, const Progress& progress);
  void findBlocks();
  bool loadValues();
  bool loadValuesFormat1();
  void loadBlock(EventId first, std::size_t count, std::span<const std::byte> packed);
  void take(EventId id, const Event& event, std::span<const TensorId> inputs);
  void checkBlock(const EventBlock& block);
  void checkEvent(EventId id, const Event& event) const;
  bool namesWhatIsThere(EventId id, const Event& event) const;

  std::unique_ptr<Database> database_;
  std::int64_t format_;
  Statement meta_;
  Statement strings_;
  Statement specs_;
  std::optional<Statement> tensors_;  // in format 1 they stand with the specs
  Statement changed_;
  Statement block_;
  std::optional<Statement> bookmarks_;  // none while the file has no table of them
  std::optional<Statement> valuesFormat1_;
  FileValues* values_ = nullptr;  // of the journal
  EventBlock unpacked_;
  std::vector<bool> isLookup_;  // by event
  Journal journal_;
  std::int64_t dataVersion_ = -1;
  std::int64_t revision_ = 0;
  std::deque<std::int64_t> blocks_;  // those that changed since, by their first events
  std::int64_t newest_ = 0;          // the highest revision among them
  std::int64_t lastValue_ = 0;
  bool isBehind_ = false;  // there was more than was taken
  bool isUpgraded_ = false;
  bool ended_ = false;
  bool closed_ = false;
};

}  // namespace shardlens
