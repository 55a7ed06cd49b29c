#pragma once

#include "core/query/language/event_filter.h"

#include <QAbstractTableModel>
#include <QVariantList>
#include <optional>
#include <vector>

namespace shardlens {

// A breakpoint: runs stop at the events that match its query.
struct Breakpoint {
  QString name;
  QString query;  // trimmed, parseable and not empty
  bool isOn = true;
  int hits = 0;  // stops since the query was set; not saved
};

// A table model of the breakpoints of the open document, one row each. Names and queries are
// editable. No two breakpoints have the same query; at most 200 are kept.
class BreakpointsModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Name, QueryText, Hits, kColumns };

  using QAbstractTableModel::QAbstractTableModel;

  // Appends a breakpoint that is on. Returns false if the trimmed query is already present, invalid
  // or empty, or if the model is full. An empty name is replaced by the query.
  bool add(const QString& name, const QString& query);
  void remove(int row);  // requires 0 <= row < rowCount()
  // Removes the breakpoint with this query, which must be trimmed. Calls add() if there is none.
  void toggle(const QString& name, const QString& query);
  // Returns whether the breakpoint with this query is on; nullopt if there is none.
  std::optional<bool> stateOf(const QString& query) const;
  bool isEmpty() const { return all_.empty(); }

  // Returns the queries of the breakpoints that are on.
  std::vector<Query> enabled() const;
  // Returns the names of the enabled breakpoints that match the event, and counts a hit for each.
  QStringList hit(const Journal& journal, EventId event);

  // saved() returns a list [name, query, isOn] per breakpoint, for the settings. load() replaces
  // all breakpoints and skips invalid and repeated queries, and those beyond 200. Hits are not
  // saved.
  QVariantList saved() const;
  void load(const QVariantList& saved);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  // Returns false and changes nothing for an empty name, or for a query that is invalid or present.
  // A new query resets the hits to 0.
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 Q_SIGNALS:
  void changed();  // breakpoints were added, removed, edited or loaded; not for hits

 private:
  int rowOf(const QString& query) const;

  std::vector<Breakpoint> all_;
};

}  // namespace shardlens
