#include "core/trace/merge/closed_values.h"

#include "core/trace/file/trace_open.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace shardlens {

ClosedValues::ClosedValues(std::filesystem::path path, const Journal& journal, std::size_t size,
                           std::shared_ptr<ReopenedFiles> files, const StepSlice* slice)
    : path_(std::move(path)),
      journal_(journal),
      slice_(slice),
      size_(size),
      files_(std::move(files)) {}

ClosedValues::~ClosedValues() { close(); }

void ClosedValues::close() const {
  if (!file_) return;
  if (problem_.empty()) problem_ = file_->values->problem();
  file_.reset();
  files_->remove(this);
}

const FileValues* ClosedValues::open() const {
  if (size_ == 0) return nullptr;
  if (file_) {
    files_->splice(files_->begin(), *files_, std::ranges::find(*files_, this));
    return file_->values.get();
  }
  if (files_->size() >= kMostReopened) files_->back()->close();
  auto database = openRecording(path_);
  if (!database) {
    if (problem_.empty()) problem_ = database.error().message;
    return nullptr;
  }
  try {
    auto file = std::make_unique<File>(File{std::move(*database), nullptr});
    file->values = std::make_unique<FileValues>(*file->database, journal_, slice_);
    file->values->grow();
    if (file->values->size() != size_) {
      if (problem_.empty()) {
        problem_ = fmt::format("it has {} values, expected {} as when it was opened",
                               file->values->size(), size_);
      }
      return nullptr;
    }
    file_ = std::move(file);
  } catch (const DatabaseError& damage) {
    if (problem_.empty()) problem_ = damage.what();
    return nullptr;
  }
  files_->push_front(this);
  return file_->values.get();
}

std::optional<ValueRecord> ClosedValues::at(std::size_t number) const {
  const FileValues* values = open();
  return values == nullptr ? std::nullopt : values->at(number);
}

std::optional<ValueRecord> ClosedValues::newest(TensorId tensor, int rank, EventId position) const {
  const FileValues* values = open();
  return values == nullptr ? std::nullopt : values->newest(tensor, rank, position);
}

std::vector<int> ClosedValues::ranksOf(TensorId tensor) const {
  const FileValues* values = open();
  return values == nullptr ? std::vector<int>() : values->ranksOf(tensor);
}

Content ClosedValues::elements(const ValueRecord& value) const {
  const FileValues* values = open();
  return values == nullptr ? nullptr : values->elements(value);
}

std::vector<EventId> ClosedValues::eventsWithNans(EventId after, EventId last) const {
  const FileValues* values = open();
  return values == nullptr ? std::vector<EventId>() : values->eventsWithNans(after, last);
}

std::string ClosedValues::problem() const {
  return problem_.empty() && file_ ? file_->values->problem() : problem_;
}

}  // namespace shardlens
