#include "ui/pages/comparison_page.h"

#include "core/compare/differences_table.h"
#include "core/compare/paired_tree.h"
#include "core/compare/value_difference.h"
#include "core/trace/journal/tensor_ranks.h"
#include "ui/models/compared_steps_model.h"
#include "ui/models/problem_watch.h"
#include "ui/models/tensors_model.h"
#include "ui/pages/compared_totals.h"
#include "ui/pages/comparison_head.h"
#include "ui/text/empty_journal.h"
#include "ui/text/format.h"
#include "ui/widgets/choice_box.h"
#include "ui/widgets/compared_tree.h"
#include "ui/widgets/filter_line.h"
#include "ui/widgets/row_actions.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/window_notation.h"

#include <QHeaderView>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

namespace shardlens {
namespace {

using ComparisonColumn = DifferencesTable::Column;

constexpr std::int64_t kMostCompared = 1 << 20;  // elements of all ranks that the verdict compares

QString summaryOf(const ComparedRecordings& result) {
  QString text = QObject::tr("%1 in both").arg(countText(result.steps, "step", "steps"));
  if (result.leftSteps > 0) text += QObject::tr(", %1 only in A").arg(result.leftSteps);
  if (result.rightSteps > 0) text += QObject::tr(", %1 only in B").arg(result.rightSteps);
  text += result.all == 0 ? QObject::tr(" · no differences")
                          : QStringLiteral(" · ") + countText(static_cast<int>(result.all),
                                                              "difference", "differences");
  return result.all > result.differences.size()
             ? text + QObject::tr(", the first %1 are listed").arg(result.differences.size())
             : text;
}

}  // namespace

ComparisonPage::ComparisonPage(QWidget* parent)
    : QWidget(parent),
      model_(new TableModel(this)),
      totals_(new TableModel(this)),
      steps_(new ComparedStepsModel(this)),
      tensors_(new TensorsModel(this)),
      head_(new ComparisonHead),
      tree_(new ComparedTree(*steps_)),
      table_(new QuietTable(QStringLiteral("differencesView"), *model_,
                            {.marked = TableModel::MarkedRole, .tone = TableModel::ToneRole})),
      choice_(new ChoiceBox(*tensors_, tr("Tensor to compare"), /*letters=*/14)),
      compared_(new ComparedTensors) {
  model_->setTable(differencesTable({}));
  totals_->setTable(comparedTotals(emptyJournal(), emptyJournal()));
  setObjectName(QStringLiteral("comparisonPage"));
  setAccessibleName(tr("Comparison of two recordings"));
  auto* tensors = new QWidget;
  auto* right = new QVBoxLayout(tensors);
  right->setContentsMargins(0, 0, 0, 0);
  choice_->setObjectName(QStringLiteral("comparedTensor"));
  right->addWidget(choice_);
  right->addWidget(compared_, 1);
  auto* parts = new QSplitter(Qt::Horizontal);
  parts->setChildrenCollapsible(false);
  parts->addWidget(makeLists());
  parts->addWidget(tensors);
  parts->setStretchFactor(0, 2);
  parts->setStretchFactor(1, 3);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(6, 2, 6, 4);
  column->addWidget(head_);
  column->addWidget(parts, 1);
  connect(head_, &ComparisonHead::toleranceChosen, this, [this] {
    if (isOpen()) begin();
  });
  connect(head_, &ComparisonHead::previousRequested, this, &ComparisonPage::goToPreviousDifference);
  connect(head_, &ComparisonHead::nextRequested, this, &ComparisonPage::goToNextDifference);
  connect(head_, &ComparisonHead::windowRequested, this,
          [this] { Q_EMIT otherRequested(other_, at_); });
  connect(head_, &ComparisonHead::closeRequested, this, &ComparisonPage::close);
  connect(choice_, &QComboBox::currentIndexChanged, this, [this] {
    pinned_ = choice_->currentData(ChoiceModel::IdRole).toUInt();
    showPosition();
  });
}

ComparisonPage::~ComparisonPage() = default;

QWidget* ComparisonPage::makeLists() {
  auto* totals =
      new QuietTable(QStringLiteral("comparedTotals"), *totals_, {.tone = TableModel::ToneRole});
  totals->setAccessibleName(tr("Totals of both recordings"));
  totals->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  totals->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  table_->setAccessibleName(tr("Differences"));
  auto* columns = table_->horizontalHeader();
  for (const int column : {ComparisonColumn::In, ComparisonColumn::Left, ComparisonColumn::Right}) {
    columns->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  }
  columns->setSectionResizeMode(ComparisonColumn::Difference, QHeaderView::Stretch);
  leadToEvents(
      *table_, [](const QModelIndex& row) { return row.data(TableModel::EventRole).toUInt(); },
      [this](WithEvent action, EventId event) {
        action == WithEvent::Go ? Q_EMIT positionRequested(event)
                                : Q_EMIT similarRequested(action, event);
      });
  connect(tree_, &QTreeView::activated, this, &ComparisonPage::choose);
  connect(tree_, &QTreeView::clicked, this, &ComparisonPage::choose);
  auto* list = new QWidget;
  auto* column = new QVBoxLayout(list);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(new FilterLine(*table_));
  column->addWidget(table_, 1);
  auto* lists = new QSplitter(Qt::Vertical);
  lists->setChildrenCollapsible(false);
  lists->addWidget(totals);
  lists->addWidget(tree_);
  lists->addWidget(list);
  lists->setSizes({200, 340, 220});
  return lists;
}

void ComparisonPage::compare(const RecordingSource& left, const QString& right,
                             const QString& name) {
  drop();
  ours_ = left;
  other_ = right;
  head_->setTitle(tr("A: this recording  ·  B: %1").arg(name));
  isNew_ = true;
  begin();
  opener_ = std::make_unique<RecordingOpener>(theirs());
  connect(opener_.get(), &RecordingOpener::opened, this, [this](const SharedRecording& recording) {
    right_ = recording;
    opener_.release()->deleteLater();  // it is the sender of this signal
    present();
    Q_EMIT changed();
  });
  connect(opener_.get(), &RecordingOpener::failed, this, [this] {  // the comparison reports it
    opener_.release()->deleteLater();
    Q_EMIT changed();
  });
  Q_EMIT shown();
}

RecordingSource ComparisonPage::theirs() const { return {QStringList(other_), ours_.steps}; }

// Starts the comparison, or starts it again with another tolerance.
void ComparisonPage::begin() {
  result_.reset();
  steps_->clear();
  model_->setTable(differencesTable({}));
  table_->setEmptyText({});
  head_->setSummary(tr("Reading and comparing…"), /*isBusy=*/true);
  head_->setCompared(false);
  comparison_ = std::make_unique<RecordingComparison>(ours_, theirs(), head_->tolerance());
  connect(comparison_.get(), &RecordingComparison::compared, this, &ComparisonPage::take);
  connect(comparison_.get(), &RecordingComparison::failed, this, &ComparisonPage::end);
}

void ComparisonPage::take(const std::shared_ptr<const ComparedRecordings>& result) {
  result_ = result;
  table_->setEmptyText(tr("The recordings do not differ."));
  model_->setTable(differencesTable(result->differences));
  head_->setCompared(true);
  if (hasFocus()) table_->setFocus();
  table_->selectRow(0);
  present();
  end(summaryOf(*result));
}

void ComparisonPage::end(const QString& summary) {
  head_->setSummary(summary, /*isBusy=*/false);
  comparison_.release()->deleteLater();  // it is the sender of this signal
  Q_EMIT changed();
}

bool ComparisonPage::isBusy() const { return comparison_ != nullptr || opener_ != nullptr; }

// Shows both recordings once B is read and compared.
void ComparisonPage::present() {
  if (result_ == nullptr || right_ == nullptr || left_ == nullptr) return;
  const Journal& theirs = right_->reader->journal();
  at_ = result_->pairs.rightUpTo(snapshot_.position);
  steps_->setComparison({*left_, snapshot_.histories}, {theirs, otherSnapshot().histories},
                        {result_, &result_->pairs}, {result_, &result_->places});
  totals_->setTable(comparedTotals(*left_, theirs));
  showPosition();
  const bool isAtEnd = snapshot_.position == 0 || snapshot_.position == left_->size();
  if (std::exchange(isNew_, false) && isAtEnd) goToFirstDifference();
}

void ComparisonPage::setWatch(const ProblemWatch& watch) {
  watch_ = &watch;
  connect(watch_, &ProblemWatch::changed, this, [this] {
    if (left_ != nullptr && isVisible() && watch_->inferred(*left_) != inferred_) showPosition();
  });
}

void ComparisonPage::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  const bool isOther = std::exchange(left_, &journal) != &journal;
  const bool isMoved = snapshot_.position != snapshot.position;
  snapshot_ = snapshot;
  if (!isOpen()) return;
  if (isOther) {
    clearTensors();
    return present();
  }
  if (result_ != nullptr && isMoved) {
    at_ = requested_ && requested_->left == snapshot.position
              ? requested_->right
              : result_->pairs.rightUpTo(snapshot.position);
    requested_.reset();
  }
  if (isVisible()) showPosition();
}

Snapshot ComparisonPage::otherSnapshot() const { return right_->states->at(at_); }

// Keeps the chosen tensor.
void ComparisonPage::listTensors() {
  const QSignalBlocker quiet(choice_);
  inferred_ = watch_ == nullptr ? nullptr : watch_->inferred(*left_);
  tensors_->setSnapshot(*left_, snapshot_, notationOf(*this), inferred_);
  choice_->setCurrentIndex(tensors_->rowOf(pinned_));
}

void ComparisonPage::showPosition() {
  if (result_ == nullptr || right_ == nullptr || left_ == nullptr) return;
  const QModelIndex ours = steps_->indexOf(snapshot_.position, ComparedStepsModel::Left);
  const bool isTheirsOnly = at_ != 0 && !result_->pairs.leftOf(at_);
  const QModelIndex row = isTheirsOnly ? steps_->indexOf(at_, ComparedStepsModel::Right) : ours;
  tree_->setCurrentIndex(row);
  tree_->scrollTo(row, QAbstractItemView::PositionAtCenter);
  listTensors();
  const TensorId chosen = snapshot_.tensor(pinned_) ? pinned_ : 0;
  const Snapshot there = otherSnapshot();
  const TensorId tensor = chosen != 0 ? chosen : snapshot_.focus;
  const Journal& theirs = right_->reader->journal();
  const TensorId other =
      tensor == 0 || (isTheirsOnly && chosen == 0)
          ? there.focus
          : counterpartOf(*left_, snapshot_, tensor, result_->pairs, theirs, there);
  compared_->setSides({left_, snapshot_, tensor}, {&theirs, there, other}, verdict(tensor, other));
}

// Returns the largest difference of the values; reads up to kMostCompared elements.
ComparedTensors::Verdict ComparisonPage::verdict(TensorId ours, TensorId theirs) const {
  if (ours == 0 || theirs == 0) return {};
  const Journal& other = right_->reader->journal();
  const TensorRecord left = left_->tensor(ours);
  const TensorRecord right = other.tensor(theirs);
  if (left.dtype != right.dtype || left.placements != right.placements) {
    return {tr("Difference A − B; placed differently in A and B")};
  }
  if (left_->values().size() == 0 || other.values().size() == 0) return {tr("No values recorded")};
  const std::vector<int> ranks = hostedRanks(*left_);
  if (elementCount(left.shape) > kMostCompared / std::max<std::int64_t>(1, std::ssize(ranks))) {
    return {tr("Difference A − B")};
  }
  const auto apart = valueDifference({left_, ours, snapshot_.position}, {&other, theirs, at_},
                                     ranks, head_->tolerance());
  if (!apart) return {tr("Equal within the tolerance")};
  return {tr("Largest difference: %1").arg(toQString(apart->text)), apart->rank};
}

// Goes to the event of a row. A row that only B has moves A to the last event before it that both
// have.
void ComparisonPage::choose(const QModelIndex& row) {
  const EventPair events = steps_->eventsOf(row);
  if (events.left != 0) {
    Q_EMIT positionRequested(events.left);
  } else if (events.right != 0) {
    goTo(Place{result_->pairs.leftUpTo(events.right), events.right});
  }
}

void ComparisonPage::goTo(const std::optional<Place>& place) {
  if (!place) return;
  head_->setSummary(summaryOf(*result_), isBusy());
  requested_ = place;  // because setSnapshot() is called later
  at_ = place->right;
  Q_EMIT positionRequested(place->left);
  showPosition();
}

void ComparisonPage::goToFirstDifference() {
  if (result_ != nullptr) goTo(result_->places.first());
}

void ComparisonPage::goToNextDifference() {
  if (result_ == nullptr) return;
  goTo(result_->places.next({snapshot_.position, at_}), result_->places.first(),
       tr("No later difference. This is the first one."));
}

void ComparisonPage::goToPreviousDifference() {
  if (result_ == nullptr) return;
  goTo(result_->places.previous({snapshot_.position, at_}), result_->places.last(),
       tr("No earlier difference. This is the last one."));
}

// Goes to the place, or to the one at the other end and says that.
void ComparisonPage::goTo(const std::optional<Place>& place, const std::optional<Place>& other,
                          const QString& note) {
  goTo(place ? place : other);
  if (!place && other) head_->setSummary(note, /*isBusy=*/false);
}

void ComparisonPage::close() {
  drop();
  other_.clear();
  left_ = nullptr;
  snapshot_ = {};
  Q_EMIT closed();
}

// Drops all references to B, and ends what reads it.
void ComparisonPage::drop() {
  comparison_.reset();
  opener_.reset();
  result_.reset();
  steps_->clear();
  clearTensors();
  right_.reset();
  at_ = 0;
  requested_.reset();
}

// Drops the references of the tensors to both recordings.
void ComparisonPage::clearTensors() {
  compared_->clear();
  pinned_ = 0;
  inferred_.reset();
  const QSignalBlocker quiet(choice_);
  tensors_->setSnapshot(emptyJournal(), Snapshot());
}

QString ComparisonPage::summary() const { return head_->summary(); }

}  // namespace shardlens
