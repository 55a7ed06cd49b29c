#include "ui/panels/tensors_panel.h"

#include "core/query/history/tensor_uses_table.h"
#include "ui/models/table_model.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/empty_journal.h"
#include "ui/text/format.h"
#include "ui/widgets/filter_line.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/window_notation.h"

#include <QElapsedTimer>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QSplitter>
#include <QVBoxLayout>
#include <utility>

namespace shardlens {
namespace {

constexpr std::int64_t kUsesSlice = 8;  // ms
constexpr EventId kUsesAtOnce = 1024;   // events between two looks at the clock
constexpr int kWholeTensor = -1;        // in place of a rank, in Panel::elementRequested()

}  // namespace

TensorsPanel::TensorsPanel(QWidget* parent)
    : Panel(parent),
      tensors_(new TableModel(this)),
      events_(new TableModel(this)),
      list_(new QuietTable(QStringLiteral("tensorList"), *tensors_,
                           {.marked = TableModel::MarkedRole, .tone = TableModel::ToneRole})),
      table_(new QuietTable(QStringLiteral("tensorUses"), *events_,
                            {.marked = TableModel::MarkedRole, .tone = TableModel::ToneRole})),
      title_(new QLabel) {
  const auto none = std::make_shared<TensorUses>(emptyJournal());
  tensors_->setTable(tensorsTable(emptyJournal(), none, 0));
  events_->setTable(tensorUsesTable(emptyJournal(), none, 0, 0));
  list_->setAccessibleName(tr("Tensors"));
  table_->setAccessibleName(tr("Uses of the selected tensor"));
  list_->setEmptyText(tr("No tensors yet."));
  list_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  list_->horizontalHeader()->setSectionResizeMode(TensorColumn::Name, QHeaderView::Stretch);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setSectionResizeMode(2, QHeaderView::Stretch);
  title_->setObjectName(QStringLiteral("usesTitle"));
  title_->setTextFormat(Qt::PlainText);
  title_->setContentsMargins(8, 2, 8, 2);
  atEachZoom(title_, [label = title_] { label->setFont(zoomed(textFont(11, Weight::Bold))); });
  auto* above = new QWidget;
  auto* upper = new QVBoxLayout(above);
  upper->setContentsMargins(0, 0, 0, 0);
  upper->addWidget(new FilterLine(*list_));
  upper->addWidget(list_, 1);
  auto* below = new QWidget;
  auto* lower = new QVBoxLayout(below);
  lower->setContentsMargins(0, 0, 0, 0);
  lower->setSpacing(0);
  lower->addWidget(title_);
  lower->addWidget(table_, 1);
  auto* parts = new QSplitter(Qt::Vertical);
  parts->setChildrenCollapsible(false);
  parts->addWidget(above);
  parts->addWidget(below);
  parts->setStretchFactor(0, 3);
  parts->setStretchFactor(1, 2);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(1, 2, 1, 2);
  layout->addWidget(parts);
  setFocusProxy(list_);
  leadToEvents(*list_);
  leadToEvents(*table_);
  connect(list_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &TensorsPanel::showUses);
  connect(&reading_, &QTimer::timeout, this, &TensorsPanel::readMore);
}

void TensorsPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  const bool isOther = std::exchange(journal_, &journal) != &journal ||
                       (uses_ != nullptr && uses_->read() > journal.size());
  if (isOther || uses_ == nullptr) uses_ = std::make_shared<TensorUses>(journal);
  snapshot_ = snapshot;
  isStale_ = true;
  if (isOther || !visibleRegion().isEmpty()) showTensors();
}

// Reads the uses only while the panel is painted, because it may be a tab behind other panels.
void TensorsPanel::paintEvent(QPaintEvent* event) {
  Panel::paintEvent(event);
  if (uses_ != nullptr && uses_->read() < std::min(journal_->size(), TensorUses::kMostRead)) {
    reading_.start(0);
  } else if (isStale_) {
    QMetaObject::invokeMethod(this, &TensorsPanel::showTensors, Qt::QueuedConnection);
  }
}

void TensorsPanel::readMore() {
  QElapsedTimer time;
  time.start();
  bool hasMore = uses_->advance(kUsesAtOnce);
  while (hasMore && time.elapsed() < kUsesSlice) hasMore = uses_->advance(kUsesAtOnce);
  if (!hasMore) {
    reading_.stop();
    showTensors();
  }
}

void TensorsPanel::showTensors() {
  isStale_ = false;
  tensors_->setTable(tensorsTable(*journal_, uses_, snapshot_.focus, notationOf(*this)));
  showColumns();
  const auto count = static_cast<std::int64_t>(uses_->tensors().size());
  header()->setNote(uses_->isCut()
                        ? tr("%1 in the first %2 events").arg(count).arg(TensorUses::kMostRead)
                        : countText(count, tr("tensor"), tr("tensors")));
  if (!list_->currentIndex().isValid() && tensors_->markedRow() >= 0) {
    const QModelIndex marked = tensors_->index(tensors_->markedRow(), TensorColumn::Name);
    list_->setCurrentIndex(marked);
    list_->scrollTo(marked);
  }
  showUses();
}

void TensorsPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  showColumns();
}

// Rather than shorten the names of the tensors of modules, a narrow panel hides the modules, which
// tooltips have, too, and the first and last event.
void TensorsPanel::showColumns() {
  constexpr int kNarrow = 640;
  const bool hasModules = uses_ != nullptr && uses_->hasModules();
  const bool isNarrow = hasModules && width() < zoomed(kNarrow);
  list_->setColumnHidden(TensorColumn::Module, !hasModules || isNarrow);
  list_->setColumnHidden(TensorColumn::Made, isNarrow);
  list_->setColumnHidden(TensorColumn::LastUse, isNarrow);
}

TensorId TensorsPanel::selected() const {
  const int row = list_->currentIndex().row();
  const auto& all = uses_->tensors();
  const std::size_t place =
      row < 0 || row >= tensors_->rowCount() ? all.size() : tensors_->placeOf(row);
  return place < all.size() ? all[place] : 0;
}

void TensorsPanel::showUses() {
  if (uses_ == nullptr) return;
  const TensorId tensor = selected();
  title_->setText(tensor == 0 ? tr("Select a tensor to see its uses")
                              : tr("Uses of %1").arg(toQString(journal_->tensor(tensor).name)));
  events_->setTable(
      tensorUsesTable(*journal_, uses_, tensor, snapshot_.position, notationOf(*this)));
}

void TensorsPanel::offerAt(QMenu& menu, QPoint /*place*/) {
  const TensorId tensor = uses_ == nullptr ? 0 : selected();
  if (tensor == 0) return;
  connect(menu.addAction(tr("Show in Inspector")), &QAction::triggered, this,
          [this, tensor] { Q_EMIT elementRequested(tensor, kWholeTensor, {}); });
  offerWhatIf(menu, *journal_, tensor);
}

}  // namespace shardlens
