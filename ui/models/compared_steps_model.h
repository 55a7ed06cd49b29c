#pragma once

#include "core/compare/difference_places.h"
#include "core/compare/paired_tree.h"

#include <QAbstractItemModel>
#include <deque>
#include <memory>
#include <unordered_map>

namespace shardlens {

// The events of two compared recordings as one tree, with a column for each. An event that one
// recording lacks is a dash there. The children of a row are read when a view needs them.
class ComparedStepsModel final : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { Left, Right };
  enum Role {
    ToneRole = Qt::UserRole,  // Tone: Warn if the event or one inside it differs, Quiet for a dash
  };

  using QAbstractItemModel::QAbstractItemModel;

  // Shows these recordings. The journals must live until the next call or clear(). No pointer may
  // be null.
  void setComparison(const PairedTree::Side& left, const PairedTree::Side& right,
                     std::shared_ptr<const EventPairs> pairs,
                     std::shared_ptr<const DifferencePlaces> places);
  void clear();

  // Returns the events of a row; two zeros for an invalid index.
  EventPair eventsOf(const QModelIndex& index) const;
  // Returns the row of an event of one recording; invalid if it has none. Reads the rows around it.
  QModelIndex indexOf(EventId event, Column in) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  bool hasChildren(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Node {
    EventPair events;
    std::size_t parent = 0;
    int row = 0;
    bool isRead = false;
    std::vector<std::size_t> children = {};
  };

  static constexpr std::size_t kRoot = 0;

  std::size_t placeOf(const QModelIndex& index) const {
    return index.isValid() ? index.internalId() : kRoot;
  }
  Node& read(std::size_t place) const;
  bool differs(const EventPair& events) const;

  std::shared_ptr<const EventPairs> pairs_;
  std::shared_ptr<const DifferencePlaces> places_;
  const Journal* left_ = nullptr;
  const Journal* right_ = nullptr;
  std::unique_ptr<PairedTree> tree_;
  mutable std::deque<Node> nodes_;  // the first one is the invisible root
  mutable std::unordered_map<EventId, std::size_t> leftNodes_;
  mutable std::unordered_map<EventId, std::size_t> rightNodes_;
};

}  // namespace shardlens
