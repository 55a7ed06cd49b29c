#include "ui/models/run_totals.h"

#include "core/model/shard_geometry.h"
#include "core/model/spec.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/collective_record.h"

#include <QElapsedTimer>
#include <algorithm>
#include <numeric>

namespace shardlens {
namespace {

constexpr int kTotalsSlice = 4;   // ms
constexpr EventId kAtOnce = 256;  // events between two looks at the clock
constexpr TensorId kMostSized = 4096;
constexpr int kMostRanks = 64;

}  // namespace

RunTotals::RunTotals(QObject* parent) : QObject(parent) {
  connect(&slices_, &QTimer::timeout, this, &RunTotals::readSlice);
}

void RunTotals::setJournal(const Journal& journal) {
  if (std::exchange(journal_, &journal) != &journal || read_ > journal.size()) {
    read_ = 0;
    steps_ = 0;
    collectives_ = 0;
    begin_ = 0;
    end_ = 0;
    bytes_.clear();
    implicit_.clear();
  }
  if (read_ < journal.size()) {
    slices_.start(0);
  } else {
    slices_.stop();
  }
}

void RunTotals::readSlice() {
  QElapsedTimer slice;
  slice.start();
  while (read_ < journal_->size() && slice.elapsed() < kTotalsSlice) {
    const EventId end = std::min(journal_->size(), read_ + kAtOnce);
    while (read_ < end) read(++read_);
  }
  if (read_ == journal_->size()) {
    slices_.stop();
    Q_EMIT changed();
  }
}

void RunTotals::read(EventId id) {
  const Event event = journal_->at(id);
  if (event.time != 0) {
    begin_ = begin_ == 0 ? event.time : std::min(begin_, event.time);
    end_ = std::max(end_, event.time + std::max<std::int64_t>(event.duration, 0));
  }
  steps_ += event.kind == EventKind::Step ? 1 : 0;
  if (event.kind != EventKind::Collective) {
    return;
  }
  ++collectives_;
  bytes_[readCollective(journal_->detail(event)).axis] += event.bytes;
  for (EventId around = event.parent; around != 0;) {
    const Event outer = journal_->at(around);
    if (outer.kind == EventKind::Redistribute && outer.verdict == Verdict::Implicit) {
      implicit_.insert(around);
      return;
    }
    around = outer.parent;
  }
}

std::int64_t RunTotals::bytes() const {
  return std::accumulate(bytes_.begin(), bytes_.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& axis) { return sum + axis.second; });
}

std::optional<RunTotals::Memory> RunTotals::memory() const {
  if (journal_ == nullptr || journal_->tensors() == 0 || journal_->tensors() > kMostSized) {
    return std::nullopt;
  }
  const auto mesh = recordedMesh(*journal_);
  if (!mesh || mesh->size() > kMostRanks) {
    return std::nullopt;
  }
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(mesh->size()), 0);
  for (TensorId id = 1; id <= journal_->tensors(); ++id) {
    const TensorRecord tensor = journal_->tensor(id);
    if (tensor.mesh != nullptr || static_cast<int>(tensor.placements.size()) != mesh->ndim()) {
      continue;
    }
    for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
      const Shape local =
          localShape(tensor.shape, *mesh, tensor.placements, static_cast<int>(rank));
      sizes[rank] += elementCount(local) * dtypeSize(tensor.dtype);
    }
  }
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  return Memory{*least, *most, static_cast<int>(most - sizes.begin())};
}

}  // namespace shardlens
