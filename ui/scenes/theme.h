#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>

namespace shardlens {

enum class ColourScheme { Light, Dark };

// The colours of the user interface except for tensor elements. The theme is global; a widget reads
// theme() on every paint and does not cache colours.
struct Theme {
  ColourScheme scheme = ColourScheme::Light;
  QColor window;  // behind the cards
  QColor card;    // a panel
  QColor inset;   // a subdued area inside a card
  QColor border;  // of cards
  QColor text;
  QColor muted;       // secondary text
  QColor faint;       // events after the position, disabled items
  QColor accent;      // the current item
  QColor accentSoft;  // behind the current item
  QColor good;
  QColor goodSoft;
  QColor warn;
  QColor warnSoft;
  QColor bad;
  QColor badSoft;
  QColor rank;     // the outline of a rank
  QColor onCells;  // text on element colours
  QColor set;      // a bit that is set

  bool dark() const { return scheme == ColourScheme::Dark; }
};

// Returns the theme of the present colour scheme. GUI thread only.
const Theme& theme();
// Changes what theme() returns. Does not repaint; see applyColourScheme().
void setColourScheme(ColourScheme scheme);

// Palette roles that have the colours muted, accent and bad, for use as foreground roles of labels.
constexpr QPalette::ColorRole kMutedRole = QPalette::PlaceholderText;
constexpr QPalette::ColorRole kAccentRole = QPalette::Link;
constexpr QPalette::ColorRole kBadRole = QPalette::BrightText;

enum class Weight { Normal, Bold };
// Return fonts with a size in pixels, so that pictures are the same on every machine. Widgets pass
// them through zoomed().
QFont textFont(int pixels = 12, Weight weight = Weight::Normal);
QFont codeFont(int pixels = 12, Weight weight = Weight::Normal);

}  // namespace shardlens
