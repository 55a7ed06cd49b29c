#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>

namespace shardlens {

enum class Look { Light, Dark };

// The colours of everything that is not an element of a tensor. One look at a time, for the whole
// program: a panel asks for it whenever it paints and never keeps a colour.
struct Theme {
  Look look = Look::Light;
  QColor window;  // behind the cards
  QColor card;    // a panel
  QColor inset;   // a quiet area inside a card
  QColor border;  // of cards
  QColor text;
  QColor muted;       // second to the text
  QColor faint;       // what has not happened yet
  QColor accent;      // the current thing
  QColor accentSoft;  // behind the current thing
  QColor good;
  QColor goodSoft;
  QColor warn;
  QColor warnSoft;
  QColor bad;
  QColor badSoft;
  QColor rank;     // the outline of a rank
  QColor onCells;  // text on element colours
  QColor set;      // a bit that is set

  bool dark() const { return look == Look::Dark; }
};

const Theme& theme();
void setLook(Look look);

// The roles of the palette that have these colours, as foreground roles of labels.
constexpr QPalette::ColorRole kMutedRole = QPalette::PlaceholderText;
constexpr QPalette::ColorRole kAccentRole = QPalette::Link;
constexpr QPalette::ColorRole kBadRole = QPalette::BrightText;

enum class Weight { Normal, Bold };
// Fonts in pixels, so that a picture is the same on every machine; of a widget they are zoomed.
QFont textFont(int pixels = 12, Weight weight = Weight::Normal);
QFont codeFont(int pixels = 12, Weight weight = Weight::Normal);

}  // namespace shardlens
