#include "ui/panels/buffers_panel.h"

#include "ui/models/format.h"
#include "ui/panels/bits_canvas.h"
#include "ui/panels/refcount_chart.h"
#include "ui/scenes/buffer_scene.h"
#include "ui/scenes/theme.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>

namespace shardlens {
namespace {

QLabel* label(const char* name, const QFont& font, const char* tone = "text") {
  auto* result = new QLabel;
  result->setObjectName(QLatin1String(name));
  result->setFont(font);
  result->setProperty("tone", QLatin1String(tone));
  result->setTextFormat(Qt::PlainText);
  return result;
}

}  // namespace

BuffersPanel::BuffersPanel(QWidget* parent)
    : Panel(QStringLiteral("buffersPanel"), tr("Mask buffers"), parent),
      model_(new BuffersModel(this)),
      choice_(new QComboBox),
      holders_(label("bufferHolders", textFont(12))),
      state_(label("bufferState", textFont(12, Weight::Bold), "accent")),
      foot_(label("bufferFoot", textFont(11), "muted")),
      bits_(new BitsCanvas),
      chart_(new RefcountChart),
      body_(new QWidget),
      none_(label("noBuffers", textFont(12), "muted")) {
  choice_->setObjectName(QStringLiteral("bufferChoice"));
  choice_->setAccessibleName(tr("Mask buffer to show"));
  choice_->setModel(model_);
  connect(choice_, &QComboBox::activated, this, [this](int row) {
    pinned_ = model_->buffers()[static_cast<std::size_t>(row)].id;
    showBuffer();
  });
  none_->setAlignment(Qt::AlignCenter);
  none_->setWordWrap(true);
  foot_->setWordWrap(true);

  auto* top = new QHBoxLayout;
  top->setSpacing(10);
  top->addWidget(choice_);
  top->addWidget(holders_, 1);
  top->addWidget(state_);
  auto* middle = new QHBoxLayout;
  middle->setSpacing(14);
  middle->addWidget(bits_, 5);
  middle->addWidget(chart_, 6);
  auto* inner = new QVBoxLayout(body_);
  inner->setContentsMargins(0, 0, 0, 0);
  inner->setSpacing(10);
  inner->addLayout(top);
  inner->addLayout(middle, 1);
  inner->addWidget(foot_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(13, 10, 13, 10);
  layout->addWidget(body_);
  layout->addWidget(none_, 1);
  setMinimumSize(220, 150);
}

void BuffersPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  journal_ = &journal;
  position_ = snapshot.position;
  {
    const QSignalBlocker quiet(choice_);
    model_->setSnapshot(journal, snapshot);
  }
  const bool fused = journal.meta("masking") == "fused";
  none_->setText(fused
                     ? tr("Masking is fused here: one pass masks, looks up and zeroes, so there is "
                          "no buffer to watch.")
                     : tr("No mask buffer yet. One appears when a look-up is masked."));
  const int count = model_->rowCount();
  header()->setNote(withEmulation(
      count == 0 ? QString()
                 : tr("%1 live · %2 released").arg(model_->live()).arg(count - model_->live()),
      journal));
  showBuffer();
}

void BuffersPanel::showBuffer() {
  const auto& buffers = model_->buffers();
  int row = model_->newestRow();
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    row = buffers[i].id == pinned_ ? static_cast<int>(i) : row;
  }
  body_->setVisible(row >= 0);
  none_->setVisible(row < 0);
  if (row < 0) {
    bits_->setBits({}, MaskState::InForce);
    return;
  }
  const BufferState& buffer = buffers[static_cast<std::size_t>(row)];
  const QSignalBlocker quiet(choice_);
  choice_->setCurrentIndex(row);
  holders_->setText(buffer.holders.empty() ? tr("held by nobody")
                                           : tr("held by %1").arg(holdersText(buffer)));
  state_->setText(buffer.refcount > 0 ? tr("refcount %1").arg(buffer.refcount) : tr("released"));
  auto bits = maskBits(*journal_, buffer.mask, position_);
  QStringList masked;
  for (const MaskBits& rank : bits) {
    if (masked.size() == 8) {
      masked << QStringLiteral("…");
      break;
    }
    masked << (masked.isEmpty()
                   ? tr("r%1 %2 of %3").arg(rank.rank).arg(rank.masked).arg(rank.bits.size())
                   : tr("r%1 %2").arg(rank.rank).arg(rank.masked));
  }
  foot_->setText(masked.isEmpty()
                     ? tr("bits not captured")
                     : (buffer.refcount > 0 ? tr("ids masked away: ") : tr("ids it masked: ")) +
                           masked.join(QStringLiteral(", ")));
  bits_->setBits(std::move(bits), buffer.refcount > 0 ? MaskState::InForce : MaskState::Released);
  chart_->setSteps(refcountSteps(*journal_, buffer.id), position_);
}

void BuffersPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) {
    chart_->applyTheme();
  }
  Panel::changeEvent(event);
}

}  // namespace shardlens
