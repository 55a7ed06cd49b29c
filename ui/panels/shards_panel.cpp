#include "ui/panels/shards_panel.h"

#include "core/query/language/query.h"
#include "ui/models/problem_watch.h"
#include "ui/models/tensors_model.h"
#include "ui/scenes/inferred_view.h"
#include "ui/scenes/whole_scene.h"
#include "ui/scenes/zoom.h"
#include "ui/text/format.h"
#include "ui/widgets/choice_box.h"
#include "ui/widgets/shards_canvas.h"
#include "ui/widgets/shards_scroll.h"
#include "ui/widgets/slice_bar.h"
#include "ui/widgets/whole_canvas.h"
#include "ui/widgets/window_notation.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QMenu>
#include <QShortcut>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <utility>

namespace shardlens {
namespace {

// Describes what the hues distinguish. With more than kHues rows, neighbours look alike.
QString hueText(const TensorView& view) {
  constexpr std::int64_t kHues = 48;
  const Shape& shape = view.record->shape;
  if (shape.empty()) {
    return {};
  }
  if (view.fetches) {
    return QObject::tr("ids are coloured like the row they look up");
  }
  const auto text = [](std::int64_t count, const QString& index) {
    return count <= kHues ? QObject::tr("colour = %1").arg(index)
                          : QObject::tr("colour = %1, neighbours look alike").arg(index);
  };
  if (view.origin) {
    return text(view.origin->table[static_cast<std::size_t>(view.origin->dim)],
                QObject::tr("table row"));
  }
  if (shape.size() == 1) {
    return text(shape[0], QObject::tr("element"));
  }
  return shape.size() == 2
             ? text(shape[0], QObject::tr("row"))
             : text(gridOf(shape).rows, QObject::tr("index in all dimensions but the last"));
}

}  // namespace

ShardsPanel::ShardsPanel(QWidget* parent)
    : Panel(parent),
      tensors_(new TensorsModel(this)),
      choice_(new ChoiceBox(*tensors_, tr("Tensor to show"), /*letters=*/14)),
      scroll_(new ShardsScroll(this)),
      canvas_(&scroll_->canvas()),
      slice_(new SliceBar),
      whole_(new WholeCanvas(this)),
      inferredFrom_(new ElidedLabel(ElidedLabel::Role::Aside)) {
  choice_->setObjectName(QStringLiteral("tensorChoice"));
  choice_->setToolTip(tr("Choose the tensor to show"));
  atEachZoom(choice_, [box = choice_] { box->setFixedHeight(zoomed(24)); });
  choice_->setFocusPolicy(Qt::TabFocus);
  header()->addControl(choice_);
  connect(choice_, &QComboBox::currentIndexChanged, this, [this] {
    pinned_ = choice_->currentData(ChoiceModel::IdRole).toUInt();
    showTensor(&canvas_->view());
  });

  connect(canvas_, &ShardsCanvas::cellRequested, this, [this](int rank, const Shape& local) {
    Q_EMIT elementRequested(canvas_->view().record->id, rank, local);
  });
  connect(new QShortcut(Qt::Key_F12, canvas_, nullptr, nullptr, Qt::WidgetShortcut),
          &QShortcut::activated, this, [this] {
            if (const EventId change = changeOf(canvas_->currentRank()); change != 0) {
              Q_EMIT positionRequested(change);
            }
          });
  connect(slice_, &SliceBar::sliceChosen, this, [this] {
    isSliceChosen_ = true;
    canvas_->setSlice(slice_->slice());
  });
  slice_->setSlice(TensorSlice());
  slice_->setObjectName(QStringLiteral("shardsSlice"));
  slice_->setContentsMargins(10, 6, 10, 0);
  scroll_->setObjectName(QStringLiteral("shardsScroll"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(1, 0, 1, 1);
  layout->setSpacing(0);
  inferredFrom_->setObjectName(QStringLiteral("inferredFrom"));
  inferredFrom_->hide();
  auto* reason = new QHBoxLayout;
  reason->setContentsMargins(12, 0, 12, 0);
  reason->addWidget(inferredFrom_);
  layout->addLayout(reason);
  layout->addWidget(slice_);
  layout->addWidget(scroll_, 1);
  layout->addWidget(whole_);
}

EventId ShardsPanel::changeOf(std::optional<int> rank) const {
  const auto value = rank ? journal_->value(chosen(), *rank, snapshot_.position) : std::nullopt;
  return value ? value->event : 0;
}

void ShardsPanel::setAlwaysNumbers(bool always) { canvas_->setAlwaysNumbers(always); }

void ShardsPanel::showRank(int rank) {
  canvas_->setFocus(Qt::OtherFocusReason);
  canvas_->goToRank(rank);
}

void ShardsPanel::offerAt(QMenu& menu, QPoint place) {
  const QPointF there = canvas_->mapFrom(this, place);
  if (const QString words = canvas_->words(there); !words.isEmpty()) {
    connect(menu.addAction(tr("Copy")), &QAction::triggered, this,
            [words] { QGuiApplication::clipboard()->setText(words); });
  }
  const ShardCard* card = canvas_->cardAt(there);
  const auto rank = card == nullptr ? std::nullopt : std::optional(card->ranks.front());
  const EventId change = changeOf(rank);
  if (change != 0) {
    QAction* go = menu.addAction(tr("Go to the event that made this value"));
    go->setShortcut(Qt::Key_F12);
    connect(go, &QAction::triggered, this, [this, change] { Q_EMIT positionRequested(change); });
  }
  if (rank) {
    offerQuery(menu, tr("rank"), QStringLiteral("rank:%1").arg(*rank));
  }
  if (const TensorRecord* tensor = canvas_->view().record.get(); tensor != nullptr) {
    // A value in a query cannot contain a quote.
    if (!tensor->name.empty() && tensor->name.find('"') == std::string::npos) {
      offerQuery(menu, tr("tensor"),
                 QStringLiteral("tensor:") + toQString(writtenValue(tensor->name)));
    }
    offerWhatIf(menu, *journal_, chosen());
  }
}

// Hides the whole tensor if the shards would have no room.
void ShardsPanel::resizeEvent(QResizeEvent* event) {
  constexpr double kRoomForBoth = 290;
  Panel::resizeEvent(event);
  whole_->setVisible(height() >= zoomed(kRoomForBoth));
}

void ShardsPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  const bool isOther = std::exchange(journal_, &journal) != &journal;
  pinned_ = isOther ? 0 : pinned_;
  snapshot_ = snapshot;
  listTensors();
  showTensor(isOther ? nullptr : &canvas_->view());
}

void ShardsPanel::setWatch(const ProblemWatch& watch) {
  watch_ = &watch;
  connect(watch_, &ProblemWatch::changed, this, [this] {
    const bool isNew = journal_ != nullptr && watch_->inferred(*journal_) != inferred_;
    if (!isNew) return;
    listTensors();
    showTensor(nullptr);
  });
}

// Keeps the chosen tensor.
void ShardsPanel::listTensors() {
  const QSignalBlocker quiet(choice_);
  inferred_ = watch_ == nullptr ? nullptr : watch_->inferred(*journal_);
  tensors_->setSnapshot(*journal_, snapshot_, notationOf(*this), inferred_);
  choice_->setCurrentIndex(tensors_->rowOf(pinned_));
}

TensorId ShardsPanel::chosen() const {
  return snapshot_.tensor(pinned_) ? pinned_ : snapshot_.focus;
}

void ShardsPanel::showTensor(const TensorView* before) {
  if (journal_ == nullptr) {
    return;
  }
  auto viewed = std::make_shared<TensorView>(viewTensor(*journal_, snapshot_, chosen(), before));
  TensorView& shown = *viewed;
  if (inferred_ != nullptr) placeInferred(shown, *inferred_, snapshot_.position);
  const TensorHeader words =
      tensorHeader(*journal_, shown, inferred_.get(), snapshot_.position, notationOf(*this));
  inferredFrom_->setVisible(!words.inferredFrom.isEmpty());
  inferredFrom_->setText(words.inferredFrom);
  header()->setDetail(words.detail);
  chooseSlice(shown.record.get());
  whole_->setTensor(*journal_, snapshot_, viewed);
  canvas_->setTensor(*journal_, snapshot_, std::move(viewed), slice_->slice());
  const TensorView& view = canvas_->view();
  header()->setNote(view.record == nullptr ? QString()
                    : isOfRefusedStep()    ? tr("the step was refused: the tensor before it")
                                           : hueText(view));
}

// A refused step has no result, so that the panel shows a tensor that the step read.
bool ShardsPanel::isOfRefusedStep() const {
  return snapshot_.newestError != 0 && pinned_ == 0 &&
         journal_->at(snapshot_.newestError).step == snapshot_.step;
}

// Keeps a slice that was chosen by hand as long as the shape stays the same.
void ShardsPanel::chooseSlice(const TensorRecord* tensor) {
  const Shape shape = tensor == nullptr ? Shape() : tensor->shape;
  isSliceChosen_ = isSliceChosen_ && shape == slice_->slice().shape();
  if (!isSliceChosen_) {
    slice_->setSlice(tensor == nullptr ? TensorSlice() : firstSlice(*tensor));
  }
}

}  // namespace shardlens
