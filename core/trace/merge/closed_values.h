#pragma once

#include "core/trace/file/file_values.h"

#include <filesystem>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace shardlens {

class ClosedValues;

// The files that ClosedValues have open, the most recently used first.
using ReopenedFiles = std::list<const ClosedValues*>;

// The values of a closed recording whose file is opened only while values are read. All objects
// with one list of files have at most kMostReopened files open. As FileValues, never throws for a
// damaged file. Not thread safe, together with the objects that share its list.
class ClosedValues final : public ShardValues {
 public:
  static constexpr std::size_t kMostReopened = 16;

  // `journal` must be loaded from the file, which has `size` values, and outlive this object; see
  // FileValues for `slice`.
  ClosedValues(std::filesystem::path path, const Journal& journal, std::size_t size,
               std::shared_ptr<ReopenedFiles> files, const StepSlice* slice = nullptr);
  ~ClosedValues() override;
  ClosedValues(const ClosedValues&) = delete;
  ClosedValues& operator=(const ClosedValues&) = delete;

  std::size_t size() const override { return size_; }
  std::optional<ValueRecord> at(std::size_t number) const override;
  std::optional<ValueRecord> newest(TensorId tensor, int rank, EventId position) const override;
  std::vector<int> ranksOf(TensorId tensor) const override;
  Content elements(const ValueRecord& value) const override;
  std::vector<EventId> eventsWithNans(EventId after, EventId last) const override;
  std::string problem() const override;

 private:
  struct File {
    std::unique_ptr<Database> database;
    std::unique_ptr<FileValues> values;
  };

  const FileValues* open() const;  // null if there are no values, or the file cannot be read
  void close() const;

  std::filesystem::path path_;
  const Journal& journal_;
  const StepSlice* slice_;
  std::size_t size_;
  std::shared_ptr<ReopenedFiles> files_;
  mutable std::unique_ptr<File> file_;
  mutable std::string problem_;
};

}  // namespace shardlens
