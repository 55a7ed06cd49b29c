#include "ui/models/compared_steps_model.h"

#include "core/view/words/event_words.h"
#include "core/view/words/tone.h"
#include "ui/text/format.h"

#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

const QString kMissing = QStringLiteral("—");
const QString kDiffers = QStringLiteral("≠ ");

bool isAmong(const std::vector<EventId>& events, EventId event) {
  return std::binary_search(events.begin(), events.end(), event);
}

}  // namespace

void ComparedStepsModel::setComparison(const PairedTree::Side& left, const PairedTree::Side& right,
                                       std::shared_ptr<const EventPairs> pairs,
                                       std::shared_ptr<const DifferencePlaces> places) {
  beginResetModel();
  pairs_ = std::move(pairs);
  places_ = std::move(places);
  left_ = &left.journal;
  right_ = &right.journal;
  tree_ = std::make_unique<PairedTree>(left, right, *pairs_);
  nodes_.assign(1, Node());
  leftNodes_.clear();
  rightNodes_.clear();
  endResetModel();
}

void ComparedStepsModel::clear() {
  beginResetModel();
  tree_.reset();
  pairs_.reset();
  places_.reset();
  nodes_.clear();
  leftNodes_.clear();
  rightNodes_.clear();
  endResetModel();
}

ComparedStepsModel::Node& ComparedStepsModel::read(std::size_t place) const {
  Node& node = nodes_[place];
  if (std::exchange(node.isRead, true)) return node;
  for (const EventPair& events : place == kRoot ? tree_->roots() : tree_->childrenOf(node.events)) {
    const std::size_t child = nodes_.size();
    nodes_.push_back({events, place, static_cast<int>(node.children.size())});
    node.children.push_back(child);
    if (events.left != 0) leftNodes_.emplace(events.left, child);
    if (events.right != 0) rightNodes_.emplace(events.right, child);
  }
  return node;
}

EventPair ComparedStepsModel::eventsOf(const QModelIndex& index) const {
  return index.isValid() ? nodes_[placeOf(index)].events : EventPair();
}

QModelIndex ComparedStepsModel::indexOf(EventId event, Column in) const {
  const Journal* journal = in == Left ? left_ : right_;
  if (tree_ == nullptr || event == 0 || event > journal->size()) return {};
  const auto& known = in == Left ? leftNodes_ : rightNodes_;
  std::vector<EventId> around;  // from the event outwards
  for (EventId each = event; each != 0; each = journal->at(each).parent) around.push_back(each);
  std::size_t place = kRoot;
  for (auto each = around.rbegin(); each != around.rend(); ++each) {
    read(place);
    const auto found = known.find(*each);
    if (found == known.end()) return {};
    place = found->second;
  }
  return createIndex(nodes_[place].row, 0, place);
}

QModelIndex ComparedStepsModel::index(int row, int column, const QModelIndex& parent) const {
  if (tree_ == nullptr || row < 0 || column < 0 || column > Right) return {};
  const Node& node = read(placeOf(parent));
  const auto at = static_cast<std::size_t>(row);
  return at < node.children.size() ? createIndex(row, column, node.children[at]) : QModelIndex();
}

QModelIndex ComparedStepsModel::parent(const QModelIndex& child) const {
  const std::size_t parent = child.isValid() ? nodes_[placeOf(child)].parent : kRoot;
  return parent == kRoot ? QModelIndex() : createIndex(nodes_[parent].row, 0, parent);
}

int ComparedStepsModel::rowCount(const QModelIndex& parent) const {
  return tree_ == nullptr || parent.column() > 0
             ? 0
             : static_cast<int>(read(placeOf(parent)).children.size());
}

int ComparedStepsModel::columnCount(const QModelIndex& /*parent*/) const { return Right + 1; }

bool ComparedStepsModel::hasChildren(const QModelIndex& parent) const {
  if (tree_ == nullptr || parent.column() > 0) return false;
  return parent.isValid() ? tree_->hasChildren(eventsOf(parent)) : rowCount() > 0;
}

bool ComparedStepsModel::differs(const EventPair& events) const {
  using Side = DifferencePlaces::Side;
  return events.left == 0 || events.right == 0 ||
         isAmong(places_->events(Side::Left), events.left) ||
         isAmong(places_->events(Side::Right), events.right);
}

QVariant ComparedStepsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const EventPair events = eventsOf(index);
  const bool isLeft = index.column() == Left;
  const EventId event = isLeft ? events.left : events.right;
  const Journal& journal = isLeft ? *left_ : *right_;
  switch (role) {
    case Qt::DisplayRole: {
      if (event == 0) return kMissing;
      const QString title = toQString(view::eventWords(journal, event).title);
      return differs(events) ? kDiffers + title : title;
    }
    case Qt::ToolTipRole: {
      if (event == 0) {
        return isLeft ? tr("A has no such event") : tr("B has no such event");
      }
      const auto words = view::eventWords(journal, event);
      const QString text = tr("event %1: %2").arg(event).arg(toQString(words.title));
      return words.note.empty() ? text : text + u'\n' + toQString(words.note);
    }
    case ToneRole:
      return static_cast<int>(event == 0        ? view::Tone::Quiet
                              : differs(events) ? view::Tone::Warn
                                                : view::Tone::Plain);
    default:
      return {};
  }
}

QVariant ComparedStepsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == Left ? QStringLiteral("A") : QStringLiteral("B");
}

}  // namespace shardlens
