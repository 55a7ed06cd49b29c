#include "ui/models/breakpoints_model.h"

#include <algorithm>

namespace shardlens {
namespace {

constexpr std::size_t kMost = 200;

std::optional<Query> understood(const QString& text) {
  auto query = parseQuery(text.toStdString());
  return query && !query->empty() ? std::optional(std::move(*query)) : std::nullopt;
}

}  // namespace

bool BreakpointsModel::add(const QString& name, const QString& query) {
  const QString text = query.trimmed();
  if (rowOf(text) >= 0 || !understood(text) || all_.size() == kMost) {
    return false;
  }
  const int row = rowCount();
  beginInsertRows({}, row, row);
  all_.push_back({name.isEmpty() ? text : name, text});
  endInsertRows();
  Q_EMIT changed();
  return true;
}

void BreakpointsModel::remove(int row) {
  beginRemoveRows({}, row, row);
  all_.erase(all_.begin() + row);
  endRemoveRows();
  Q_EMIT changed();
}

void BreakpointsModel::toggle(const QString& name, const QString& query) {
  if (const int row = rowOf(query); row >= 0) {
    remove(row);
  } else {
    add(name, query);
  }
}

std::optional<bool> BreakpointsModel::stateOf(const QString& query) const {
  const int row = rowOf(query);
  return row < 0 ? std::nullopt : std::optional(all_[static_cast<std::size_t>(row)].isOn);
}

int BreakpointsModel::rowOf(const QString& query) const {
  const auto found = std::find_if(all_.begin(), all_.end(),
                                  [&](const Breakpoint& each) { return each.query == query; });
  return found == all_.end() ? -1 : static_cast<int>(found - all_.begin());
}

std::vector<Query> BreakpointsModel::enabled() const {
  std::vector<Query> queries;
  for (const Breakpoint& each : all_) {
    if (each.isOn) {
      queries.push_back(understood(each.query).value());
    }
  }
  return queries;
}

QStringList BreakpointsModel::hit(const Journal& journal, EventId event) {
  QStringList names;
  for (int row = 0; row < rowCount(); ++row) {
    Breakpoint& each = all_[static_cast<std::size_t>(row)];
    if (each.isOn && EventFilter(journal, understood(each.query).value()).matches(event)) {
      ++each.hits;
      names << each.name;
      Q_EMIT dataChanged(index(row, Hits), index(row, Hits));
    }
  }
  return names;
}

QVariantList BreakpointsModel::saved() const {
  QVariantList saved;
  for (const Breakpoint& each : all_) {
    saved << QVariant(QVariantList{each.name, each.query, each.isOn});
  }
  return saved;
}

void BreakpointsModel::load(const QVariantList& saved) {
  beginResetModel();
  all_.clear();
  for (const QVariant& each : saved) {
    const QVariantList parts = each.toList();
    const QString query = parts.value(1).toString();
    if (understood(query) && rowOf(query) < 0 && all_.size() < kMost) {
      all_.push_back({parts.value(0).toString(), query, parts.value(2).toBool()});
    }
  }
  endResetModel();
  Q_EMIT changed();
}

int BreakpointsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(all_.size());
}

int BreakpointsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant BreakpointsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) {
    return {};
  }
  const Breakpoint& each = all_[static_cast<std::size_t>(index.row())];
  if (index.column() == Name && role == Qt::CheckStateRole) {
    return each.isOn ? Qt::Checked : Qt::Unchecked;
  }
  if (role == Qt::TextAlignmentRole && index.column() == Hits) {
    return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole && role != Qt::EditRole && role != Qt::ToolTipRole) {
    return {};
  }
  return index.column() == Name        ? QVariant(each.name)
         : index.column() == QueryText ? QVariant(each.query)
                                       : QVariant(each.hits);
}

bool BreakpointsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  Breakpoint& each = all_[static_cast<std::size_t>(index.row())];
  const QString text = value.toString().trimmed();
  if (index.column() == Name && role == Qt::CheckStateRole) {
    each.isOn = value.toInt() == Qt::Checked;
  } else if (index.column() == Name && role == Qt::EditRole && !text.isEmpty()) {
    each.name = text;
  } else if (index.column() == QueryText && role == Qt::EditRole && understood(text) &&
             rowOf(text) < 0) {
    each.name = each.name == each.query ? text : each.name;
    each.query = text;
    each.hits = 0;
  } else {
    return false;
  }
  Q_EMIT dataChanged(index.siblingAtColumn(Name), index.siblingAtColumn(Hits));
  Q_EMIT changed();
  return true;
}

Qt::ItemFlags BreakpointsModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags usual = QAbstractTableModel::flags(index);
  return index.column() == Name        ? usual | Qt::ItemIsUserCheckable | Qt::ItemIsEditable
         : index.column() == QueryText ? usual | Qt::ItemIsEditable
                                       : usual;
}

QVariant BreakpointsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (section == Hits && role == Qt::TextAlignmentRole) {
    return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  }
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
    return {};
  }
  return section == Name ? tr("breakpoint") : section == QueryText ? tr("stops at") : tr("hits");
}

}  // namespace shardlens
