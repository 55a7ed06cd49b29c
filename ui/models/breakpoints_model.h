#pragma once

#include "core/query/event_filter.h"

#include <QAbstractTableModel>
#include <QVariantList>
#include <optional>
#include <vector>

namespace shardlens {

// What a run stops at: events that a query asks for. It has a name, is on or off, and counts how
// often something has stopped at it.
struct Breakpoint {
  QString name;
  QString query;  // which can be understood
  bool isOn = true;
  int hits = 0;
};

// The breakpoints of what is open, a row each, to be switched and edited. No two have the same
// query.
class BreakpointsModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Name, QueryText, Hits, kColumns };

  using QAbstractTableModel::QAbstractTableModel;

  // False where there is one with this query, or it cannot be understood. Without a name it is
  // called as it is written.
  bool add(const QString& name, const QString& query);
  void remove(int row);
  // Adds it, or removes the one with this query.
  void toggle(const QString& name, const QString& query);
  // Whether the one with this query is on; none where there is none.
  std::optional<bool> stateOf(const QString& query) const;
  bool isEmpty() const { return all_.empty(); }

  // The queries of those that are on.
  std::vector<Query> enabled() const;
  // The names of those that stop at the event, which is counted.
  QStringList hit(const Journal& journal, EventId event);

  // As they are remembered: what cannot be understood is left out.
  QVariantList saved() const;
  void load(const QVariantList& saved);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 Q_SIGNALS:
  void changed();  // which there are, or which of them are on

 private:
  int rowOf(const QString& query) const;

  std::vector<Breakpoint> all_;
};

}  // namespace shardlens
