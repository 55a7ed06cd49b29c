#include "ui/panels/inspector_panel.h"

#include "core/model/spec.h"
#include "core/query/history/element_history.h"
#include "ui/models/problem_watch.h"
#include "ui/models/tensors_model.h"
#include "ui/panels/element_figures_box.h"
#include "ui/panels/element_history_box.h"
#include "ui/scenes/inferred_view.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/format.h"
#include "ui/widgets/choice_box.h"
#include "ui/widgets/element_histogram.h"
#include "ui/widgets/slice_bar.h"
#include "ui/widgets/slice_canvas.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/window_notation.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

enum Drawing { Table, HeatMap, Histogram };

// Values of against_ that are not ranks.
constexpr int kNothing = -3;
constexpr int kBefore = -2;

constexpr int kWide = 620;              // minimum width to place the history beside the cells
constexpr int kHigh = 430;              // minimum height to place it below them
constexpr std::int64_t kReads = 20000;  // elements per slice, a few milliseconds

struct Choice {
  QString text;
  int data;
};

// Replaces the choices. Keeps the selected one if it still exists; otherwise selects the first.
void refill(QComboBox& box, const std::vector<Choice>& choices) {
  const QSignalBlocker quiet(box);
  const QVariant before = box.currentData();
  bool isSame = box.count() == static_cast<int>(choices.size());
  for (int row = 0; isSame && row < box.count(); ++row) {
    isSame = box.itemData(row).toInt() == choices[static_cast<std::size_t>(row)].data;
  }
  if (isSame) {
    return;
  }
  box.clear();
  for (const Choice& choice : choices) {
    box.addItem(choice.text, choice.data);
  }
  box.setCurrentIndex(std::max(0, box.findData(before)));
}

}  // namespace

InspectorPanel::InspectorPanel(QWidget* parent)
    : Panel(parent),
      tensors_(new TensorsModel(this)),
      choice_(new ChoiceBox(*tensors_, tr("Tensor to inspect"), /*letters=*/14)),
      rank_(new QComboBox),
      display_(new QComboBox),
      against_(new QComboBox),
      indices_(new QComboBox),
      bar_(new SliceBar),
      canvas_(new SliceCanvas),
      histogram_(new ElementHistogram),
      displays_(new QStackedWidget),
      figures_(new ElementFiguresBox),
      parts_(new QBoxLayout(QBoxLayout::TopToBottom, this)),
      cells_(new QWidget),
      history_(new ElementHistoryBox),
      inferredFrom_(new ElidedLabel(ElidedLabel::Role::Aside)) {
  makeControls();
  connect(&reading_, &QTimer::timeout, this, &InspectorPanel::readMore);
}

void InspectorPanel::makeControls() {
  choice_->setObjectName(QStringLiteral("inspectedTensor"));
  choice_->setToolTip(tr("Choose the tensor to inspect"));
  controls_ = new QBoxLayout(QBoxLayout::TopToBottom);
  auto* whose = new QHBoxLayout;
  auto* how = new QHBoxLayout;
  for (QBoxLayout* row : {static_cast<QBoxLayout*>(whose), static_cast<QBoxLayout*>(how)}) {
    controls_->addLayout(row);
    row->setSpacing(6);
  }
  controls_->setSpacing(5);
  whose->addWidget(choice_, 1);
  const auto add = [](QHBoxLayout* row, QComboBox* box, const char* name, const QString& accessible,
                      int letters) {
    box->setObjectName(QLatin1String(name));
    box->setAccessibleName(accessible);
    box->setToolTip(accessible);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(letters);
    box->setMaxVisibleItems(20);
    row->addWidget(box);
  };
  add(whose, rank_, "rankChoice", tr("Elements to show: the whole or one rank"), 6);
  add(how, display_, "lookChoice", tr("Display"), 8);
  add(how, against_, "againstChoice", tr("Compare with"), 6);
  add(how, indices_, "indicesChoice", tr("Indices of rows and columns"), 5);
  how->addStretch(1);
  refill(*display_,
         {{tr("Table"), Table}, {tr("Heat map"), HeatMap}, {tr("Histogram"), Histogram}});
  using Indices = SliceCanvas::Indices;
  refill(*indices_, {{tr("global"), static_cast<int>(Indices::Global)},
                     {tr("local"), static_cast<int>(Indices::Local)}});
  canvas_->setIndices(Indices::Global);
  displays_->addWidget(canvas_);
  displays_->addWidget(histogram_);
  auto* column = new QVBoxLayout(cells_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(5);
  inferredFrom_->setObjectName(QStringLiteral("inferredFrom"));
  inferredFrom_->hide();
  column->addWidget(inferredFrom_);
  column->addLayout(controls_);
  column->addWidget(bar_);
  column->addWidget(displays_, 1);
  column->addWidget(figures_);
  bar_->hide();
  for (QWidget* part : {cells_, static_cast<QWidget*>(history_)}) {  // each gets half of the room
    part->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
    parts_->addWidget(part, 1);
  }
  parts_->setContentsMargins(8, 6, 8, 8);
  parts_->setSpacing(8);

  connect(choice_, &QComboBox::currentIndexChanged, this, [this] {
    pinned_ = choice_->currentData(ChoiceModel::IdRole).toUInt();
    readTensor();
  });
  connect(rank_, &QComboBox::currentIndexChanged, this, [this] {
    fillAgainst();
    showElements();
  });
  connect(against_, &QComboBox::currentIndexChanged, this, &InspectorPanel::showElements);
  connect(display_, &QComboBox::currentIndexChanged, this, &InspectorPanel::showDisplay);
  connect(indices_, &QComboBox::currentIndexChanged, this,
          [this] { canvas_->setIndices(static_cast<Indices>(indices_->currentData().toInt())); });
  connect(bar_, &SliceBar::sliceChosen, this, [this] { canvas_->setSlice(bar_->slice()); });
  connect(canvas_, &SliceCanvas::cellChosen, this, &InspectorPanel::showHistory);
  leadToEvents(history_->rows());
  connect(history_, &ElementHistoryBox::openedOrClosed, this, [this](bool hadFocus) {
    arrange();
    if (hadFocus) {
      canvas_->setFocus();
    } else if (history_->isOpen() && cells_->isHidden()) {
      history_->setFocus();
    }
  });
  connect(figures_, &ElementFiguresBox::elementRequested, this, &InspectorPanel::jump);
  connect(figures_, &ElementFiguresBox::differenceRequested, this, [this](const Shape& global) {
    if (const auto local = canvas_->elements().shown.local(global)) {
      jump(*local);
    }
  });
}

void InspectorPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  if (std::exchange(journal_, &journal) != &journal) {
    pinned_ = 0;
    history_->close();
  }
  snapshot_ = snapshot;
  listTensors();
  isStale_ = true;
  if (!visibleRegion().isEmpty() || !snapshot.tensor(chosen())) {
    readTensor();
  }
}

void InspectorPanel::setWatch(const ProblemWatch& watch) {
  watch_ = &watch;
  connect(watch_, &ProblemWatch::changed, this, [this] {
    const bool isNew = journal_ != nullptr && watch_->inferred(*journal_) != inferred_;
    isStale_ |= isNew;
    if (isNew) listTensors();
    if (!visibleRegion().isEmpty()) readStale();
  });
}

// Keeps the chosen tensor.
void InspectorPanel::listTensors() {
  const QSignalBlocker quiet(choice_);
  inferred_ = watch_ == nullptr ? nullptr : watch_->inferred(*journal_);
  tensors_->setSnapshot(*journal_, snapshot_, notationOf(*this), inferred_);
  choice_->setCurrentIndex(tensors_->rowOf(pinned_));
}

bool InspectorPanel::isReading() const { return reading_.isActive() || history_->isReading(); }

void InspectorPanel::offerAt(QMenu& menu, QPoint /*place*/) {
  if (journal_ != nullptr) {
    offerWhatIf(menu, *journal_, chosen());
  }
}

TensorId InspectorPanel::chosen() const {
  return snapshot_.tensor(pinned_) ? pinned_ : snapshot_.focus;
}

int InspectorPanel::chosenRank() const {
  return rank_->count() == 0 ? TensorElements::kWhole : rank_->currentData().toInt();
}

void InspectorPanel::readTensor() {
  isStale_ = false;
  if (journal_ == nullptr) {
    return;
  }
  TensorView view = viewTensor(*journal_, snapshot_, chosen());
  if (inferred_ != nullptr) placeInferred(view, *inferred_, snapshot_.position);
  view_ = view.record == nullptr ? nullptr : std::make_shared<const TensorView>(std::move(view));
  showPlacement();
  fillRanks();
  fillAgainst();
  showElements();
  history_->setPosition(snapshot_.position);
}

// States the tensor's placements in the header, and what inferred ones follow from above the cells.
void InspectorPanel::showPlacement() {
  const TensorHeader words = view_ == nullptr ? TensorHeader()
                                              : tensorHeader(*journal_, *view_, inferred_.get(),
                                                             snapshot_.position, notationOf(*this));
  header()->setDetail(words.detail);
  inferredFrom_->setVisible(!words.inferredFrom.isEmpty());
  inferredFrom_->setText(words.inferredFrom);
}

void InspectorPanel::fillRanks() {
  std::vector<Choice> choices{{tr("whole"), TensorElements::kWhole}};
  for (const RankPart& part : view_ == nullptr ? std::vector<RankPart>() : view_->parts) {
    choices.push_back({tr("rank %1").arg(part.rank), part.rank});
  }
  refill(*rank_, choices);
}

// Offers the previous values, and the ranks with shards of the same shape.
void InspectorPanel::fillAgainst() {
  std::vector<Choice> choices{{tr("values"), kNothing}, {tr("− previous value"), kBefore}};
  const RankPart* shown = view_ == nullptr ? nullptr : view_->part(chosenRank());
  for (const RankPart& part : shown == nullptr ? std::vector<RankPart>() : view_->parts) {
    if (part.rank != shown->rank && part.local == shown->local &&
        part.where != RankLocation::NotInMesh) {
      choices.push_back({tr("− rank %1").arg(part.rank), part.rank});
    }
  }
  refill(*against_, choices);
}

void InspectorPanel::showElements() {
  InspectedElements elements;
  const int rank = chosenRank();
  if (view_ != nullptr) {
    elements.shown = TensorElements(*journal_, view_, rank);
    const int against = against_->currentData().toInt();
    if (against == kBefore) {
      elements.against = TensorElements(
          *journal_, std::make_shared<const TensorView>(beforeThat(*journal_, *view_)), rank);
    } else if (against != kNothing) {
      elements.against = TensorElements(*journal_, view_, against);
    }
  }
  indices_->setVisible(rank != TensorElements::kWhole);
  against_->setEnabled(view_ != nullptr);
  bar_->setShape(elements.shown.shape());
  scan_ = ElementScan(elements);
  canvas_->setElements(std::move(elements), bar_->slice());
  figures_->setCheck(check());
  readMore();
}

void InspectorPanel::showDisplay() {
  const int display = display_->currentData().toInt();
  displays_->setCurrentIndex(display == Histogram && canvas_->emptyText().isEmpty() ? 1 : 0);
  canvas_->setDraws(display == Table ? SliceCanvas::Draws::Numbers : SliceCanvas::Draws::Colours);
  figures_->setFigures(figuresText(), canvas_->elements(), scan_);
}

void InspectorPanel::readMore() {
  const InspectedElements& elements = canvas_->elements();
  const auto parts = static_cast<std::int64_t>(elements.shown.parts() +
                                               (elements.against ? elements.against->parts() : 0));
  bool isMore = false;
  if (!scan_.isDone()) {
    isMore = scan_.advance(elements, std::max<std::int64_t>(1, kReads / parts));
  }
  isMore ? reading_.start(0) : reading_.stop();
  if (!isMore || scan_.isDone()) {
    const ElementFigures& figures = scan_.figures();
    canvas_->setScale(ColourScale(figures.min, figures.max, theme().dark()));
    histogram_->setScan(scan_);
  }
  showDisplay();
}

QString InspectorPanel::figuresText() const {
  const TensorElements& shown = canvas_->elements().shown;
  if (canvas_->elements().missing().isEmpty()) {
    QStringList parts{figuresWords(scan_), canvas_->sampledText()};
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
  }
  const ValueRecord* value = shown.value();
  const bool isAll = value != nullptr && value->level != CaptureLevel::All;
  return isAll ? figuresWords(value->statistics) : QString();
}

std::optional<CheckRecord> InspectorPanel::check() const {
  const auto state = view_ == nullptr ? std::nullopt : snapshot_.tensor(view_->record->id);
  const EventId check = state ? checkOf(*journal_, state->id, state->changed) : 0;
  return check == 0 ? std::nullopt
                    : std::optional(readCheck(journal_->detail(journal_->at(check))));
}

void InspectorPanel::jump(const Shape& at) {
  TensorSlice slice = bar_->slice();
  slice.show(at);
  bar_->setSlice(slice);
  canvas_->setSlice(slice);
  canvas_->setCurrent({slice.rowOf(at), slice.columnOf(at)});
  if (display_->currentData().toInt() == Histogram) {
    display_->setCurrentIndex(display_->findData(Table));
  }
  canvas_->setFocus();
}

void InspectorPanel::showElement(TensorId tensor, int rank, const Shape& local) {
  choice_->setCurrentIndex(tensors_->rowOf(tensor));
  readStale();
  rank_->setCurrentIndex(std::max(0, rank_->findData(rank)));
  if (local.size() == canvas_->slice().shape().size()) {
    jump(local);
  }
}

void InspectorPanel::showHistory() {
  if (view_ == nullptr || !canvas_->emptyText().isEmpty()) {
    return;
  }
  const SliceCell cell = canvas_->current();
  const auto global = canvas_->elements().shown.global(canvas_->slice().at(cell.row, cell.column));
  if (!global) {
    return;
  }
  history_->open(*journal_, {view_->record->id, *global}, snapshot_.position);
}

// Reads in paintEvent(), because Qt calls a dock visible that is a tab behind another one, but
// never paints it.
void InspectorPanel::paintEvent(QPaintEvent* event) {
  Panel::paintEvent(event);
  if (isStale_) {
    QMetaObject::invokeMethod(this, &InspectorPanel::readStale, Qt::QueuedConnection);
  }
}

void InspectorPanel::readStale() {
  if (isStale_) {
    readTensor();
  }
}

void InspectorPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  arrange();
}

// Places the history beside the cells or below them. If there is no room for both, the history
// replaces the cells until it is closed.
void InspectorPanel::arrange() {
  const bool isWide = width() >= zoomed(kWide);
  const bool isOpen = history_->isOpen();
  parts_->setDirection(isWide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  controls_->setDirection(isWide && !isOpen ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  figures_->setDirection(isWide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  cells_->setVisible(!isOpen || isWide || height() >= zoomed(kHigh));
}

}  // namespace shardlens
