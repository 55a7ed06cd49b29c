#include "ui/shell/style.h"

#include "ui/scenes/zoom.h"

#include <QEvent>
#include <QPalette>
#include <QRegularExpression>
#include <QStyle>
#include <QStyleFactory>
#include <QWidget>

namespace shardlens {
namespace {

QPalette paletteOf(const Theme& colours) {
  QPalette palette;
  palette.setColor(QPalette::Window, colours.window);
  palette.setColor(QPalette::WindowText, colours.text);
  palette.setColor(QPalette::Base, colours.card);
  palette.setColor(QPalette::AlternateBase, colours.inset);
  palette.setColor(QPalette::Text, colours.text);
  palette.setColor(QPalette::PlaceholderText, colours.muted);
  palette.setColor(QPalette::Button, colours.card);
  palette.setColor(QPalette::ButtonText, colours.text);
  palette.setColor(QPalette::ToolTipBase, colours.card);
  palette.setColor(QPalette::ToolTipText, colours.text);
  palette.setColor(QPalette::Highlight, colours.accent);
  palette.setColor(QPalette::HighlightedText, colours.dark() ? colours.window : colours.card);
  palette.setColor(QPalette::Link, colours.accent);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, colours.faint);
  }
  return palette;
}

// %1 card, %2 border, %3 text, %4 muted, %5 accent, %6 accent soft, %7 window, %8 text on accent,
// %9 inset, %10 bad
const char* const kSheet = R"(
QToolTip { background: %1; color: %3; border: 1px solid %2; padding: 5px; }
QMainWindow { background: %7; }
QMainWindow::separator { background: transparent; width: 8px; height: 8px; }
QMenuBar { background: transparent; color: %3; border: 0; }
QMenuBar::item { padding: 5px 9px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: %6; }
QMenu { background: %1; color: %3; border: 1px solid %2; padding: 5px; }
QMenu::item { padding: 5px 26px 5px 22px; border-radius: 4px; }
QMenu::item:selected { background: %6; }
QMenu::item:disabled { color: %4; }
QMenu::separator { height: 1px; background: %2; margin: 5px 6px; }
QAbstractItemView { background: transparent; border: 0; color: %3; outline: 0; }
QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; }
QHeaderView { background: transparent; border: 0; }
QHeaderView::section { background: transparent; color: %4; border: 0; padding: 0 6px; }
QPushButton, QToolButton { background: %1; color: %3; border: 1px solid %2; border-radius: 5px;
  padding: 4px 13px; }
QPushButton:hover, QToolButton:hover { border-color: %5; }
QPushButton:focus, QToolButton:focus { border-color: %5; }
QPushButton:pressed, QToolButton:pressed, QToolButton:checked { background: %6; }
QPushButton:disabled, QToolButton:disabled { color: %4; background: %9; }
QPushButton[primary="true"] { background: %5; color: %8; border-color: %5; font-weight: bold; }
QPushButton[primary="true"]:disabled { background: %9; color: %4; border-color: %2; }
QPushButton[flat="true"] { background: transparent; border-color: transparent; color: %4; }
QPushButton[flat="true"]:hover { color: %5; }
QToolButton { padding: 2px 8px; color: %4; font-size: 11px; }
QComboBox { background: %1; color: %3; border: 1px solid %2; border-radius: 5px;
  padding: 2px 8px; min-height: 18px; combobox-popup: 0; }
QComboBox:hover, QComboBox:focus { border-color: %5; }
QComboBox::drop-down { border: 0; width: 22px; }
QComboBox::down-arrow { image: url(:/shardlens/icons/chevron.svg); width: 10px; height: 10px; }
QComboBox QAbstractItemView { background: %1; border: 1px solid %2; padding: 4px;
  selection-background-color: %6; selection-color: %3; }
QLineEdit { background: %1; color: %3; border: 1px solid %2; border-radius: 5px; padding: 4px 8px; }
QLineEdit:hover, QLineEdit:focus { border-color: %5; }
QAbstractItemView[offers="true"] { background: %1; border: 1px solid %2; padding: 0 4px;
  selection-background-color: %6; selection-color: %3; }
QAbstractItemView::indicator { width: 11px; height: 11px; border: 1px solid %10;
  border-radius: 3px; background: transparent; }
QAbstractItemView::indicator:checked { background: %10; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 1px; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 1px; }
QScrollBar::handle { background: %2; border-radius: 4px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: %4; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QTabBar { qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: %4; border: 0; border-bottom: 2px solid transparent;
  padding: 4px 12px; }
QTabBar::tab:selected { color: %3; border-bottom-color: %5; }
QTabBar::tab:hover { color: %5; }
QProgressBar { background: transparent; border: 0; }
QProgressBar::chunk { background: %5; width: 60px; }
QLabel { background: transparent; color: %3; }
QLabel[tone="muted"] { color: %4; }
QLabel[tone="accent"] { color: %5; }
QLabel[tone="bad"] { color: %10; }
)";

// A line stays a line.
QString zoomedSheet(const QString& sheet) {
  static const QRegularExpression kPixels(QStringLiteral("([0-9]+)px"));
  QString result;
  qsizetype end = 0;
  for (auto matches = kPixels.globalMatch(sheet); matches.hasNext();) {
    const auto match = matches.next();
    const int pixels = match.captured(1).toInt();
    result += sheet.mid(end, match.capturedStart() - end) +
              QStringLiteral("%1px").arg(pixels < 2 ? pixels : zoomed(pixels));
    end = match.capturedEnd();
  }
  return result + sheet.mid(end);
}

// Qt tells widgets of another font only while the event loop runs.
void useFont(const QFont& font) {
  if (font == QApplication::font()) {
    return;
  }
  QApplication::setFont(font);
  QEvent changed(QEvent::ApplicationFontChange);
  for (QWidget* widget : QApplication::allWidgets()) {
    QCoreApplication::sendEvent(widget, &changed);
  }
}

}  // namespace

Look lookOf(const QPalette& palette) {
  // QStyleHints::colorScheme() came with Qt 6.5.
  return palette.color(QPalette::Window).lightness() <
                 palette.color(QPalette::WindowText).lightness()
             ? Look::Dark
             : Look::Light;
}

// Only a palette of nobody's own lets the system's through.
Look systemLook() {
  const QPalette ours = QApplication::palette();
  QApplication::setPalette(QPalette());
  const Look look = lookOf(QApplication::palette());
  QApplication::setPalette(ours);
  return look;
}

void applyLook(QApplication& application, Look look) {
  setLook(look);
  const Theme& colours = theme();
  // Where one sheet follows another, Qt polishes each widget once for every widget around it. And
  // as long as there is a sheet, the style is the sheet's, whatever lies under it.
  application.setStyleSheet({});
  if (application.style()->name() != QStringLiteral("fusion")) {
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  }
  useFont(zoomed(textFont(12)));
  QApplication::setPalette(paletteOf(colours));
  const QString sheet = QString::fromLatin1(kSheet).arg(
      colours.card.name(), colours.border.name(), colours.text.name(), colours.muted.name(),
      colours.accent.name(), colours.accentSoft.name(), colours.window.name(),
      (colours.dark() ? colours.window : colours.card).name(), colours.inset.name(),
      colours.bad.name());
  application.setStyleSheet(zoomedSheet(sheet));
  // A style sheet that comes takes away the fonts that widgets were given since the first one did.
  Q_EMIT Zoom::now().changed();
  for (QWidget* widget : QApplication::allWidgets()) {
    widget->update();
  }
}

}  // namespace shardlens
