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

  // Starts again if this is another journal or the journal has shrunk. Call again when the journal
  // has grown. The journal must live until the next call.
  void setJournal(const Journal& journal);

  // True while events are left to read. The totals then cover the events read so far.
  bool isReading() const { return slices_.isActive(); }
  int steps() const { return steps_; }
  // From the first recorded time to the end of the last event; 0 if no times are recorded.
  std::int64_t nanoseconds() const { return std::max<std::int64_t>(end_ - begin_, 0); }
  int collectives() const { return collectives_; }
  // The number of implicit redistributions that communicate.
  int implicit() const { return static_cast<int>(implicit_.size()); }
  std::int64_t bytes() const;  // sent by the hosted ranks, in total
  // The bytes by mesh axis, "" for collectives without one.
  const std::map<std::string, std::int64_t>& bytesByAxis() const { return bytes_; }
  // The size of all tensors that the recording names on its mesh, of the ranks with the least and
  // the most.
  struct Memory {
    std::int64_t least = 0;
    std::int64_t most = 0;
    int rank = 0;  // the first one with the most
  };
  // Returns nullopt without a recorded mesh or tensors, or beyond 64 ranks or 4096 tensors.
  std::optional<Memory> memory() const;

 Q_SIGNALS:
  void changed();  // the end of the journal was reached

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
