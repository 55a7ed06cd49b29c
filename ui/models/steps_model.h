#pragma once

#include "core/trace/journal/span_children.h"
#include "core/trace/snapshot/snapshot.h"
#include "core/view/words/placement_words.h"
#include "ui/text/program.h"

#include <QAbstractItemModel>
#include <memory>
#include <unordered_map>
#include <vector>

namespace shardlens {

// A tree model of the events of a recording; each event is a child of the span in which it
// happened. Growth of the recording only appends rows. Events after the position are included, with
// HappenedRole false. Children of a span are looked up on demand.
// The first kTogether children of a span are rows of it. Each further kTogether children are folded
// into a group row, because views lay out every row of a level.
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
    WholeRole,     // show the whole title, on several lines
    SharedRole,    // length of the prefix shared with an adjacent title
    StrongRole,    // emphasise the title
    BookmarkRole,  // the event has a bookmark
    DepthRole,     // in a list: how many listed rows enclose this one
    DiffersRole    // a Difference from the linked recording
  };
  enum class Difference { None, One, First };  // First: the first event that differs

  static constexpr std::size_t kTogether = 1000;

  using QAbstractItemModel::QAbstractItemModel;

  // Shows the journal at the position, and adds rows for new events. Resets the model if this is
  // another journal or the journal has shrunk. The journal must live until the next call with
  // another one.
  void setSnapshot(const Journal& journal, const Snapshot& snapshot,
                   view::Notation notation = view::Notation::DTensor);
  // Sets the sorted events that differ from the linked recording, and the first of them. Null: no
  // recording is linked.
  void setDifferences(std::shared_ptr<const std::vector<EventId>> events, EventId first);

  // Returns an invalid index if `id` is 0 or unknown, or if its recorded parent had ended before
  // the event.
  QModelIndex indexOf(EventId id, int column = Title) const;
  EventId eventOf(const QModelIndex& index) const;  // the first event of a group row; 0 if invalid

  bool isHit(EventId id) const;  // the event is a cache hit; `id` must exist
  // Returns the cache hits among the first kTogether children of a span. Empty for 0.
  std::vector<EventId> hitsOf(EventId span) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  bool hasChildren(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& /*parent*/ = {}) const override { return kColumns; }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  // Returns the data of an event's row that do not depend on where the row is listed. Requires an
  // event of the journal. SharedRole, StrongRole and DepthRole give an invalid QVariant.
  QVariant eventData(EventId id, int column, int role) const;

 private:
  // Returns the known direct children of a span, looked up on first use; 0 is the root.
  const std::vector<EventId>& childrenOf(EventId span) const;
  // Returns the children of the event of this row. For a group row, returns the whole level that
  // the group is part of.
  const std::vector<EventId>& levelOf(const QModelIndex& parent) const;
  // Returns the group row that contains level[place]. Requires place >= kTogether.
  QModelIndex groupOf(const std::vector<EventId>& level, std::size_t place, int column) const;
  QVariant groupData(const QModelIndex& group, int role) const;
  // True if the event has no parent. Uses the index of roots and does not read the journal, because
  // views call this for every row.
  bool isRoot(EventId id) const;
  // Returns the direct children of `span` among the events (after, last]; roots by their index.
  SpanChildren within(EventId span, EventId after, EventId last) const;
  void grow();  // appends rows for the next new events that share a parent
  QString title(EventId id) const;
  QString note(EventId id) const;
  Difference differenceAmong(EventId first, EventId last) const;
  qsizetype shared(const QModelIndex& index) const;
  EventId parentOf(EventId id) const { return id == 0 ? 0 : journal_->at(id).parent; }
  EventId spanOf(EventId id) const { return isRoot(id) ? 0 : parentOf(id); }

  const Journal* journal_ = nullptr;
  bool takesTurns_ = false;  // imported: events of other threads may separate those of a span
  view::Notation notation_ = view::Notation::DTensor;
  EventId known_ = 0;
  EventId position_ = 0;
  // The children of each span looked up so far.
  mutable std::unordered_map<EventId, std::vector<EventId>> children_;
  std::shared_ptr<const Histories> histories_;
  std::shared_ptr<const Program> program_;  // provides the titles of the steps
  std::shared_ptr<const std::vector<EventId>> differences_;
  EventId firstDifference_ = 0;
};

}  // namespace shardlens
