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

  // Returns false if the query is already present or invalid, or if the model is full. An empty
  // name is replaced by the query.
  bool add(const QString& name, const QString& query);
  void remove(int row);
  // Adds the breakpoint, or removes the one with this query, which must be trimmed. Does nothing
  // for an invalid query or a full model.
  void toggle(const QString& name, const QString& query);
  // Returns whether the breakpoint with this query is on; nullopt if there is none.
  std::optional<bool> stateOf(const QString& query) const;
  bool isEmpty() const { return all_.empty(); }

  // Returns the queries of the breakpoints that are on.
  std::vector<Query> enabled() const;
  // Returns the names of the enabled breakpoints that match the event, and counts a hit for each.
  QStringList hit(const Journal& journal, EventId event);

  // The form in the settings. load() replaces all breakpoints and skips invalid and
  // repeated queries, and those beyond 200.
  QVariantList saved() const;
  void load(const QVariantList& saved);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 Q_SIGNALS:
  void changed();  // breakpoints were added, removed or edited

 private:
  int rowOf(const QString& query) const;

  std::vector<Breakpoint> all_;
};

}  // namespace shardlens
