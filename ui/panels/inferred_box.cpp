#include "ui/panels/inferred_box.h"

#include "core/inference/tables.h"
#include "core/inference/words.h"
#include "ui/models/table_model.h"
#include "ui/panels/panel.h"
#include "ui/scenes/zoom.h"
#include "ui/text/empty_journal.h"
#include "ui/text/format.h"
#include "ui/widgets/filter_line.h"
#include "ui/widgets/table_view.h"

#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>

namespace shardlens {
namespace {

// Returns the ledger of a gradient, or of the gradient of a parameter, for the first step that ends
// after the position; else for the last one. Null if there is none.
const GradientLedger* ledgerOf(const Journal& journal, const Snapshot& snapshot,
                               const InferredPlacements& inferred) {
  const std::string gradient = journal.tensor(snapshot.focus).name + ".grad";
  const GradientLedger* found = nullptr;
  for (const auto& ledger : inferred.ledgers) {
    if (ledger.tensor != snapshot.focus && ledger.name != gradient) continue;
    found = &ledger;
    if (ledger.read >= snapshot.position) break;
  }
  return found;
}

// Returns the name by which the program knows the tensor, as "0.weight.grad", or that of the
// recording.
QString nameOf(const Journal& journal, TensorId id, const InferredPlacements& inferred) {
  for (const auto& ledger : inferred.ledgers) {
    if (ledger.tensor == id) return toQString(ledger.name);
  }
  return toQString(journal.tensor(id).name);
}

}  // namespace

InferredBox::InferredBox(QWidget* parent)
    : QWidget(parent),
      evidenceModel_(new TableModel(this)),
      ledgerModel_(new TableModel(this)),
      evidence_(new QuietTable(QStringLiteral("evidenceView"), *evidenceModel_,
                               {.tone = TableModel::ToneRole})),
      ledger_(new QuietTable(QStringLiteral("ledgerView"), *ledgerModel_,
                             {.tone = TableModel::ToneRole})),
      title_(new ElidedLabel(ElidedLabel::Role::Detail)),
      ledgerTitle_(new ElidedLabel(ElidedLabel::Role::Detail)),
      summary_(new ElidedLabel(ElidedLabel::Role::Aside)) {
  setObjectName(QStringLiteral("inferredBox"));
  title_->setObjectName(QStringLiteral("inferredTitle"));
  ledgerTitle_->setObjectName(QStringLiteral("ledgerTitle"));
  summary_->setObjectName(QStringLiteral("ledgerSummary"));
  evidence_->setAccessibleName(tr("Inferred placements and their evidence"));
  ledger_->setAccessibleName(tr("Reduction ledger of the gradient"));
  evidenceModel_->setTable(evidenceTable(emptyJournal(), {}, {}));
  ledgerModel_->setTable(ledgerTable(emptyJournal(), {}, {}));
  evidence_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  evidence_->horizontalHeader()->setSectionResizeMode(2, QHeaderView::Stretch);
  ledger_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  ledger_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(title_);
  layout->addWidget(new FilterLine(*evidence_));
  layout->addWidget(evidence_);
  layout->addWidget(ledgerTitle_);
  layout->addWidget(summary_);
  layout->addWidget(new FilterLine(*ledger_));
  layout->addWidget(ledger_);
  atEachZoom(this, [this] {
    title_->setFixedHeight(zoomed(26));
    ledgerTitle_->setFixedHeight(zoomed(26));
  });
  hide();
}

void InferredBox::setTensor(const Journal& journal, const Snapshot& snapshot,
                            const InferredPlacements* inferred) {
  const bool isKnown = inferred != nullptr && snapshot.focus != 0;
  const auto found = isKnown ? inferred->contents.at(snapshot.focus, snapshot.position)
                             : std::vector<InferredPlacement>();
  setVisible(!found.empty());
  if (found.empty()) return;
  title_->setText(tr("Inferred placements of %1").arg(nameOf(journal, snapshot.focus, *inferred)));
  evidenceModel_->setTable(evidenceTable(journal, inferred->axes, found));
  evidence_->setFixedHeight(evidence_->sizeHint().height());
  showLedger(journal, snapshot, *inferred);
}

void InferredBox::showLedger(const Journal& journal, const Snapshot& snapshot,
                             const InferredPlacements& inferred) {
  const GradientLedger* ledger = ledgerOf(journal, snapshot, inferred);
  for (QWidget* part : {static_cast<QWidget*>(ledgerTitle_), static_cast<QWidget*>(summary_),
                        static_cast<QWidget*>(ledger_)}) {
    part->setVisible(ledger != nullptr);
  }
  if (ledger == nullptr) return;
  ledgerTitle_->setText(
      tr("Reduction ledger of %1").arg(toQString(nameText(ledger->name, ledger->ranks))));
  const auto summary = ledgerSummary(*ledger, inferred.axes);
  summary_->setText(summary.empty() ? tr("not reduced") : toQString(summary));
  ledgerModel_->setTable(ledgerTable(journal, inferred.axes, *ledger));
  ledger_->setFixedHeight(ledger_->sizeHint().height());
}

}  // namespace shardlens
