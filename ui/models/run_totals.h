#pragma once

#include "core/trace/journal/journal.h"

#include <QString>
#include <QTimer>
#include <map>
#include <set>

namespace shardlens {

// The totals of a recording. Reads the journal in slices of 4 ms from the event loop, and continues
// when it grows.
class RunTotals final : public QObject {
  Q_OBJECT

 public:
  explicit RunTotals(QObject* parent = nullptr);

  // Call again when the journal has grown. The journal must live until the next call.
  void setJournal(const Journal& journal);

  bool isReading() const { return slices_.isActive(); }
  int steps() const { return steps_; }
  std::int64_t nanoseconds() const { return std::max<std::int64_t>(end_ - begin_, 0); }
  int collectives() const { return collectives_; }
  int implicit() const { return static_cast<int>(implicit_.size()); }
  std::int64_t bytes() const;  // sent by the hosted ranks, in total
  // The bytes by mesh axis, "" for collectives without one.
  const std::map<std::string, std::int64_t>& bytesByAxis() const { return bytes_; }
  // The size of all tensors that the recording names, of the ranks with the least and the most.
  struct Memory {
    std::int64_t least = 0;
    std::int64_t most = 0;
    int rank = 0;  // the first one with the most
  };
  std::optional<Memory> memory() const;  // nullopt if the shapes are not recorded

 Q_SIGNALS:
  void changed();

 private:
  void readSlice();
  void read(EventId id);

  const Journal* journal_ = nullptr;
  EventId read_ = 0;
  int steps_ = 0;
  int collectives_ = 0;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  std::map<std::string, std::int64_t> bytes_;
  std::set<EventId> implicit_;  // redistributions that communicate
  QTimer slices_;
};

}  // namespace shardlens
