#include "ui/shell/presentation.h"

#include "ui/pages/tour.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/shards_panel.h"
#include "ui/scenes/zoom.h"
#include "ui/shell/dock_layout.h"
#include "ui/shell/main_window.h"
#include "ui/shell/top_bar.h"

#include <QApplication>
#include <QLayout>

namespace shardlens {
namespace {

constexpr double kLarger = 1.5;

// Completes pending layout changes, so that the window has its new size.
void settle(const QWidget& window) {
  window.layout()->activate();
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
}

}  // namespace

Presentation::Presentation(MainWindow& window, DockLayout& docks, TopBar& top)
    : QObject(&window), window_(window), docks_(docks), top_(top) {}

void Presentation::setOn(bool on) {
  if (on == on_) {
    return;
  }
  on_ = on;
  on ? begin() : end();
  Q_EMIT changed(on);
}

void Presentation::begin() {
  window_.findChild<Tour*>()->finish();
  layout_ = docks_.save();
  zoom_ = Zoom::now().factor();
  state_ = window_.windowState();
  focus_ = QApplication::focusWidget();
  QDockWidget* beside = nullptr;
  QDockWidget* notes = nullptr;
  for (QDockWidget* dock : docks_.docks()) {
    if (qobject_cast<NotesPanel*>(dock->widget()) != nullptr) {
      notes = dock;
    } else if (focus_ != nullptr && dock->isAncestorOf(focus_)) {
      beside = dock;
    }
  }
  // Hidden docks are not laid out again for the zoom and for the size of the window.
  docks_.showOnly(nullptr, nullptr, 0);
  top_.setSlim(true);
  window_.useZoom(zoom_ * kLarger);
  window_.setWindowState(state_ | Qt::WindowFullScreen);
  auto* panel = window_.findChild<NotesPanel*>();
  panel->setLarge(true);
  window_.findChild<ShardsPanel*>()->setAlwaysNumbers(true);
  settle(window_);
  // The panel beside takes two fifths of the width; see DockLayout::showOnly().
  const int width = beside == nullptr ? window_.width() : window_.width() * 3 / 5 - zoomed(16);
  docks_.showOnly(beside, notes, panel->heightForNotes(width) + panel->header()->height());
  if (focus_ != nullptr && beside != nullptr) {
    focus_->setFocus();  // hiding the docks took it away
  }
}

void Presentation::end() {
  window_.findChild<NotesPanel*>()->setLarge(false);
  window_.findChild<ShardsPanel*>()->setAlwaysNumbers(false);
  window_.setWindowState(state_);
  top_.setSlim(false);
  window_.useZoom(zoom_);
  settle(window_);
  docks_.restore(layout_);
  restoreFocus();
}

void Presentation::restoreFocus() {
  if (focus_ != nullptr) {
    focus_->setFocus();
  }
}

}  // namespace shardlens
