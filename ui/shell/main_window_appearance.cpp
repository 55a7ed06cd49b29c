// Part of MainWindow: colour scheme, zoom, notation, docks, and the settings that store them.
#include "ui/pages/command_palette.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/shell/main_window.h"
#include "ui/shell/presentation.h"
#include "ui/shell/program_editing.h"
#include "ui/shell/recent_files.h"
#include "ui/shell/settings.h"
#include "ui/shell/style.h"
#include "ui/text/format.h"
#include "ui/widgets/motion.h"
#include "ui/widgets/window_notation.h"

#include <QApplication>
#include <QScreen>
#include <utility>

namespace shardlens {

// Stores the setting at once, as all settings that a person makes.
void MainWindow::setDark(bool dark) {
  useDark(dark);
  storeColours();
}

void MainWindow::useDark(bool dark) {
  commands_->action("asSystem").setChecked(false);
  useColourScheme(dark ? ColourScheme::Dark : ColourScheme::Light);
}

void MainWindow::storeColours() {
  if (memory_ == Memory::Keeps) {
    QSettings store = settings();
    store.setValue(QStringLiteral("dark"), isDark());
    store.setValue(QStringLiteral("asSystem"), commands_->action("asSystem").isChecked());
  }
}

void MainWindow::followSystem() {
  if (commands_->action("asSystem").isChecked()) {
    useColourScheme(systemColourScheme());
  }
}

// Applies to all windows of the program.
void MainWindow::useColourScheme(ColourScheme scheme) {
  applyColourScheme(*qApp, scheme);
  for (QWidget* each : QApplication::topLevelWidgets()) {
    if (auto* window = qobject_cast<MainWindow*>(each)) {
      window->commands_->action("dark").setChecked(scheme == ColourScheme::Dark);
      window->showProblemCount();
      window->redraw();
    }
  }
}

void MainWindow::setZoom(double zoom) {
  useZoom(zoom);
  if (memory_ == Memory::Keeps && !presentation_->isOn()) {
    settings().setValue(QStringLiteral("zoom"), Zoom::now().factor() / normalZoom_);
  }
}

void MainWindow::useZoom(double zoom) {
  Zoom::now().set(zoom);
  applyColourScheme(*qApp, theme().scheme);
  redraw();
}

// Stores the setting at once, for windows that are opened later. Applies to all windows.
void MainWindow::setMotion(bool enabled) {
  Motion::setEnabled(enabled);
  if (memory_ == Memory::Keeps) {
    settings().setValue(QStringLiteral("motion"), enabled);
  }
  for (QWidget* other : QApplication::topLevelWidgets()) {
    if (auto* window = qobject_cast<MainWindow*>(other)) {
      window->commands_->action("motion").setChecked(enabled);
    }
  }
}

bool MainWindow::isDark() const { return commands_->action("dark").isChecked(); }

// Stores the setting at once, for windows that are opened later.
void MainWindow::setNotation(view::Notation notation) {
  if (memory_ == Memory::Keeps) {
    settings().setValue(QStringLiteral("notation"), toQString(view::notationName(notation)));
  }
  useNotation(notation);
}

void MainWindow::useNotation(view::Notation notation) {
  const auto check = [&](const char* command, view::Notation each) {
    commands_->action(command).setChecked(each == notation);
  };
  check("notationDTensor", view::Notation::DTensor);
  check("notationAxes", view::Notation::NamedAxes);
  check("notationJax", view::Notation::PartitionSpec);
  if (notation == this->notation()) {
    return;
  }
  setNotationOf(*this, notation);
  problems_.setNotation(notation);
  if (document() != nullptr) {
    watchProblems();
  }
  editing_->showNotation();
  redraw();
}

view::Notation MainWindow::notation() const { return notationOf(*this); }

void MainWindow::resetLayout() {
  if (document() != nullptr) {
    presentation_->setOn(false);
    showPanels();
    docks_->reset();
  }
}

void MainWindow::usePerspective(Perspective perspective) {
  presentation_->setOn(false);
  if (perspective == Perspective::Compare && comparison_->isOpen()) {
    return showComparison();
  }
  showPanels();
  docks_->setPerspective(perspective);
}

void MainWindow::showComparison() {
  middle_->setCurrentWidget(comparison_);
  comparison_->setSnapshot(cursor_.journal(), cursor_.snapshot());
  comparison_->setFocus();
  showAvailable();
}

// Does nothing while the welcome page is shown.
void MainWindow::showPanels() {
  if (middle_->currentWidget() == comparison_) {
    middle_->setCurrentWidget(area_);
  }
}

void MainWindow::bringUp(const Panel& panel) {
  showPanels();
  docks_->bringUp(panel);
}

// Runs once, when the docks are first shown: restores the stored layout, or the default one.
void MainWindow::placeDocks() {
  if (std::exchange(placed_, true)) {
    return;
  }
  docks_->reset();
  if (memory_ == Memory::Keeps) {
    docks_->restore(settings().value(QStringLiteral("docks")).toByteArray());
  }
}

void MainWindow::remember() {
  if (memory_ == Memory::Keeps) {
    QSettings store = settings();
    store.setValue(QStringLiteral("geometry"), saveGeometry());
    if (placed_) {
      store.setValue(QStringLiteral("docks"), docks_->save());
    }
    store.setValue(QStringLiteral("recentCommands"), palette_->recent());
  }
}

void MainWindow::recall() {
  resize(1440, 900);
  if (memory_ == Memory::Forgets) {
    return setMotion(false);
  }
  constexpr QSize kFrame(16, 48);  // of the window, and panels of the desktop
  resize(size().boundedTo(screen()->availableGeometry().size() - kFrame));
  const QSettings store = settings();
  restoreGeometry(store.value(QStringLiteral("geometry")).toByteArray());
  useZoom(normalZoom_ * store.value(QStringLiteral("zoom"), 1).toDouble());
  useDark(store.value(QStringLiteral("dark")).toBool());
  palette_->setRecent(store.value(QStringLiteral("recentCommands")).toStringList());
  const bool isNew = !store.contains(QStringLiteral("dark"));
  commands_->action("asSystem").setChecked(store.value(QStringLiteral("asSystem"), isNew).toBool());
  followSystem();
  setMotion(store.value(QStringLiteral("motion"), true).toBool());
  const auto notation =
      view::parseNotation(store.value(QStringLiteral("notation")).toString().toStdString());
  useNotation(notation.value_or(view::Notation::DTensor));
  recent_->load();
}

}  // namespace shardlens
