#include "ui/shell/style.h"

#include "ui/scenes/zoom.h"
#include "ui/shell/control_style.h"

#include <QEvent>
#include <QMainWindow>
#include <QPalette>
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
  palette.setColor(QPalette::Button, colours.card);
  palette.setColor(QPalette::ButtonText, colours.text);
  palette.setColor(QPalette::ToolTipBase, colours.card);
  palette.setColor(QPalette::ToolTipText, colours.text);
  palette.setColor(QPalette::Highlight, colours.accent);
  palette.setColor(QPalette::HighlightedText, colours.dark() ? colours.window : colours.card);
  palette.setColor(kAccentRole, colours.accent);
  palette.setColor(kMutedRole, colours.muted);
  palette.setColor(kBadRole, colours.bad);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, colours.faint);
  }
  return palette;
}

// Sends the font change itself, because Qt does so only while the event loop runs.
void useFonts() {
  const QFont font = zoomed(textFont(12));
  if (font == QApplication::font()) {
    return;
  }
  QApplication::setFont(zoomed(textFont(11)), "QToolButton");
  QApplication::setFont(font);
  QEvent changed(QEvent::ApplicationFontChange);
  QEvent restyled(QEvent::StyleChange);
  for (QWidget* widget : QApplication::allWidgets()) {
    QCoreApplication::sendEvent(widget, &changed);
    // Makes it read the size of dock separators again.
    if (qobject_cast<QMainWindow*>(widget) != nullptr) {
      QCoreApplication::sendEvent(widget, &restyled);
    }
  }
}

}  // namespace

ColourScheme colourSchemeOf(const QPalette& palette) {
  // QStyleHints::colorScheme() requires Qt 6.5.
  return palette.color(QPalette::Window).lightness() <
                 palette.color(QPalette::WindowText).lightness()
             ? ColourScheme::Dark
             : ColourScheme::Light;
}

// Resets the palette for a moment, because an application palette hides that of the desktop.
ColourScheme systemColourScheme() {
  const QPalette ours = QApplication::palette();
  QApplication::setPalette(QPalette());
  const ColourScheme scheme = colourSchemeOf(QApplication::palette());
  QApplication::setPalette(ours);
  return scheme;
}

void applyColourScheme(QApplication& application, ColourScheme scheme) {
  setColourScheme(scheme);
  if (qobject_cast<ControlStyle*>(application.style()) == nullptr) {
    QApplication::setStyle(new ControlStyle);
  }
  useFonts();
  QApplication::setPalette(paletteOf(theme()));
  for (QWidget* widget : QApplication::allWidgets()) {
    widget->update();
  }
}

}  // namespace shardlens
