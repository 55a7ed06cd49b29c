#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"
#include "ui/text/program.h"

#include <QAbstractItemModel>
#include <memory>
#include <unordered_map>
#include <vector>

namespace shardlens {

// The events of a recording as a tree, each under the span it happened in. A recording that grows,
// however much, adds rows and moves none; those past the position are there too, marked as not yet
// happened. What is inside a span is looked up when somebody asks. Of many that are inside the same
// one, the first kTogether are rows beside one another, and so many at a time of the others are
// inside a row of their own: a view lays out thousands where there are millions.
class StepsModel final : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { Title, Note, Time, kColumns };
  enum Role {
    EventRole = Qt::UserRole,
    HappenedRole,
    ToneRole,
    IconRole,
    CurrentRole,
    WholeRole,     // whether the title is to be read to its end, on several lines
    SharedRole,    // how many characters the title begins with like one beside it
    StrongRole,    // whether the title stands out
    BookmarkRole,  // whether somebody marked the event
    DepthRole,     // in a list: how many of the rows above it is inside of
    DiffersRole    // from another recording: a Difference
  };
  enum class Difference { None, One, First };

  static constexpr std::size_t kTogether = 1000;

  using QAbstractItemModel::QAbstractItemModel;

  void setSnapshot(const Journal& journal, const Snapshot& snapshot);
  // Those that differ from another recording, sorted, and the first of them; null: none.
  void setDifferences(std::shared_ptr<const std::vector<EventId>> events, EventId first);

  // Not of one that says it is inside a span which was over before it.
  QModelIndex indexOf(EventId id, int column = Title) const;
  EventId eventOf(const QModelIndex& index) const;  // the first of several

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  bool hasChildren(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& /*parent*/ = {}) const override { return kColumns; }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  // What a row of this event says of it alone, wherever that row is.
  QVariant eventData(EventId id, int column, int role) const;

 private:
  // Those right inside a span, as far as they are known; 0 is the root.
  const std::vector<EventId>& childrenOf(EventId span) const;
  // Those that this row is about, whose span it is or who are in it.
  const std::vector<EventId>& levelOf(const QModelIndex& parent) const;
  // The row of those that are together with this one of them, which is not among the first.
  QModelIndex groupOf(const std::vector<EventId>& level, std::size_t place, int column) const;
  QVariant groupData(const QModelIndex& group, int role) const;
  // Whether it is inside no other event. A view asks of all of them what they have inside, so that
  // must not cost a look at the journal.
  bool isRoot(EventId id) const;
  // The events right inside a span, of those after one up to another.
  struct Inside {
    std::vector<EventId> events;
    EventId end;  // the last that is inside the span at all
  };
  Inside within(EventId span, EventId after, EventId last) const;
  // When nothing can be inside a span any more, where threads take turns; else at once.
  std::int64_t overAt(EventId span) const;
  void grow();
  QString title(EventId id) const;
  Difference differenceAmong(EventId first, EventId last) const;
  qsizetype shared(const QModelIndex& index) const;
  EventId parentOf(EventId id) const { return id == 0 ? 0 : journal_->at(id).parent; }
  EventId spanOf(EventId id) const { return isRoot(id) ? 0 : parentOf(id); }

  const Journal* journal_ = nullptr;
  bool takesTurns_ = false;  // between the events of a span may be those of other threads
  EventId known_ = 0;
  EventId position_ = 0;
  mutable std::unordered_map<EventId, std::vector<EventId>> children_;  // of those asked for
  std::shared_ptr<const Histories> histories_;
  std::shared_ptr<const Program> program_;  // what its steps are called
  std::shared_ptr<const std::vector<EventId>> differences_;
  EventId firstDifference_ = 0;
};

}  // namespace shardlens
