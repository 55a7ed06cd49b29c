#include "ui/panels/buffers_panel.h"

#include "core/view/words/detail_words.h"
#include "core/view/words/empty_text.h"
#include "ui/models/buffers_model.h"
#include "ui/panels/all_buffers_box.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/empty_journal.h"
#include "ui/text/format.h"
#include "ui/text/program.h"
#include "ui/widgets/bits_canvas.h"
#include "ui/widgets/choice_box.h"
#include "ui/widgets/note_box.h"
#include "ui/widgets/refcount_chart.h"
#include "ui/widgets/table_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <utility>

namespace shardlens {
namespace {

QLabel* label(const char* name, const QFont& font,
              QPalette::ColorRole role = QPalette::WindowText) {
  auto* result = new QLabel;
  result->setObjectName(QLatin1String(name));
  atEachZoom(result, [=] { result->setFont(zoomed(font)); });
  result->setForegroundRole(role);
  result->setTextFormat(Qt::PlainText);
  return result;
}

}  // namespace

BuffersPanel::BuffersPanel(QWidget* parent)
    : Panel(parent),
      model_(new BuffersModel(this)),
      choice_(new ChoiceBox(*model_, tr("Mask buffer to show"), /*letters=*/10)),
      holders_(label("bufferHolders", textFont(12))),
      state_(label("bufferState", textFont(12, Weight::Bold), kAccentRole)),
      foot_(label("bufferFoot", textFont(11), kMutedRole)),
      bits_(new BitsCanvas),
      chart_(new RefcountChart),
      body_(new QWidget),
      all_(new AllBuffersBox),
      form_(new QToolButton),
      none_(label("noBuffers", textFont(12), kMutedRole)),
      alarm_(new NoteBox(QStringLiteral("bufferAlarm"))) {
  choice_->setObjectName(QStringLiteral("bufferChoice"));
  connect(choice_, &QComboBox::activated, this, [this] {
    pinned_ = choice_->currentData(ChoiceModel::IdRole).toUInt();
    showBuffer();
  });
  connect(chart_, &RefcountChart::clicked, this, &BuffersPanel::goNear);
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
  layout->setSpacing(8);
  layout->addWidget(alarm_);
  layout->addWidget(body_);
  layout->addWidget(all_, 1);
  layout->addWidget(none_, 1);
  form_->setObjectName(QStringLiteral("allBuffers"));
  form_->setText(tr("all"));
  form_->setToolTip(tr("Show all mask buffers and their events as a table"));
  form_->setAccessibleName(tr("Show all mask buffers as a table"));
  form_->setCheckable(true);
  form_->setFocusPolicy(Qt::TabFocus);
  atEachZoom(form_, [button = form_] { button->setFixedHeight(zoomed(22)); });
  header()->addControl(form_);
  connect(form_, &QToolButton::toggled, this, [this] { showBuffer(); });
  leadToEvents(all_->buffers());
  leadToEvents(all_->events());
}

void BuffersPanel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  if (std::exchange(journal_, &journal) != &journal) {
    pinned_ = 0;
  }
  snapshot_ = snapshot;
  {
    const QSignalBlocker quiet(choice_);
    model_->setSnapshot(snapshot);
  }
  const bool fused = journal.meta("masking") == "fused" &&
                     journal.totals().count(EventKind::MaskMaterialized) == 0;
  none_->setText(fused ? tr("No mask buffers: masking is fused into the lookup. A scenario with "
                            "\"masking\": \"stepwise\" shows them.")
                       : toQString(view::noneText(
                             journal, "mask buffers",
                             "No mask buffers yet. An embedding that masks ids creates one.")));
  const int count = static_cast<int>(snapshot.buffers.size());
  const int live = snapshot.liveBuffers;
  header()->setNote(withEmulation(
      count == 0 ? QString() : tr("%1 in use · %2 released").arg(live).arg(count - live), journal));
  showAlarm(snapshot);
  showBuffer();
}

// Shows errors of mask buffers, whose message is in other panels: a refused step, or, once the
// program is over, a buffer that was not released.
void BuffersPanel::showAlarm(const Snapshot& snapshot) {
  const int steps = static_cast<int>(programOf(*journal_)->lines.size());
  const bool over = snapshot.position == journal_->size() && snapshot.step == steps - 1 &&
                    !snapshot.open.empty() && journal_->at(snapshot.open.front()).duration >= 0;
  using Kind = view::BufferAlarm::Kind;
  const auto alarm = view::bufferAlarm(
      *journal_, snapshot, over ? view::ProgramState::Ended : view::ProgramState::Running);
  wrong_ = alarm;
  needed_ = findNeeded();
  const bool refused = alarm.kind == Kind::Conflict || alarm.kind == Kind::Drained;
  QString text;
  if (!needed_.empty()) {
    text = tr("<b>Conflict:</b> the ids of the refused lookup need another mask than the one held");
  } else if (alarm.kind == Kind::Conflict) {
    text = tr("<b>Conflict:</b> the refused step materializes a buffer that is in use");
  } else if (alarm.kind == Kind::Drained) {
    text = tr("<b>Drained:</b> the refused step needs a mask that was released");
  } else if (const int live = snapshot.liveBuffers; alarm.kind == Kind::Leak) {
    text = tr("<b>Not released:</b> the program has ended with %1 in use.")
               .arg(live == 1 ? tr("a buffer") : tr("%1 buffers").arg(live));
  }
  alarm_->setVisible(!text.isEmpty());
  alarm_->setText(refused ? NoteBox::Kind::Problem : NoteBox::Kind::Warning, text);
}

// Returns the mask that a refused lookup needs in place of the one that the buffer of the alarm
// holds. Empty without such a conflict.
std::vector<MaskBits> BuffersPanel::findNeeded() const {
  const auto buffer = snapshot_.buffer(wrong_.buffer);
  if (wrong_.kind != view::BufferAlarm::Kind::Conflict || !buffer) {
    return {};
  }
  auto needed = refusedBits(*journal_, snapshot_);
  return needed == maskBits(*journal_, buffer->mask, snapshot_.position) ? std::vector<MaskBits>()
                                                                         : std::move(needed);
}

void BuffersPanel::showBuffer() {
  const int row = model_->rowOf(pinned_);
  const auto found = snapshot_.buffer(row == 0 ? snapshot_.newestBuffer : pinned_);
  form_->setVisible(found.has_value());
  body_->setVisible(found && !form_->isChecked());
  const bool isTable = found && form_->isChecked();
  all_->setVisible(isTable);
  if (isTable) {
    all_->setSnapshot(*journal_, snapshot_, wrong_);
  } else {
    all_->setSnapshot(emptyJournal(), {}, {});
  }
  none_->setVisible(!found);
  shown_ = found ? found->id : 0;
  if (!found) {
    bits_->setBits({}, MaskState::InForce);
    return;
  }
  const BufferState& buffer = *found;
  const QSignalBlocker quiet(choice_);
  choice_->setCurrentIndex(row);
  holders_->setText(
      buffer.holders.empty()
          ? tr("#%1: no holders").arg(buffer.id)
          : tr("#%1 held by %2").arg(buffer.id).arg(toQString(view::holdersText(buffer))));
  state_->setText(buffer.refcount > 0 ? tr("refcount %1").arg(buffer.refcount) : tr("released"));
  auto bits = maskBits(*journal_, buffer.mask, snapshot_.position);
  QStringList masked;
  for (const MaskBits& rank : bits) {
    if (masked.size() == 8) {
      masked << QStringLiteral("…");
      break;
    }
    masked << (masked.isEmpty()
                   ? tr("%2 of %3 on rank %1").arg(rank.rank).arg(rank.masked).arg(rank.bits.size())
                   : tr("%2 on %1").arg(rank.rank).arg(rank.masked));
  }
  foot_->setText(masked.isEmpty() ? tr("bits not captured")
                                  : (buffer.refcount > 0 ? tr("masked ids: ")
                                                         : tr("ids masked until release: ")) +
                                        masked.join(QStringLiteral(", ")));
  bits_->setBits(std::move(bits), buffer.refcount > 0 ? MaskState::InForce : MaskState::Released,
                 wrong_.buffer == buffer.id ? needed_ : std::vector<MaskBits>());
  const auto changes = snapshot_.histories->buffers.changesOf(buffer.id);
  chart_->setSteps(refcountSteps(changes, journal_->size()), snapshot_.position);
}

void BuffersPanel::goNear(double position) {
  EventId nearest = 0;
  for (const auto& [id, refcount] : snapshot_.histories->buffers.changesOf(shown_)) {
    if (nearest == 0 || std::abs(id - position) < std::abs(nearest - position)) {
      nearest = id;
    }
  }
  if (nearest != 0) {
    Q_EMIT positionRequested(nearest);
  }
}

void BuffersPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) {
    chart_->applyTheme();
  }
  Panel::changeEvent(event);
}

}  // namespace shardlens
