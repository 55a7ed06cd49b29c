#pragma once

#include "core/view/words/placement_words.h"

#include <QVariant>
#include <QWidget>

namespace shardlens {

inline constexpr auto kNotationProperty = "placementNotation";

// Sets the notation of placements in a window and all widgets inside it. Does not redraw them.
inline void setNotationOf(QWidget& window, view::Notation notation) {
  window.setProperty(kNotationProperty, static_cast<int>(notation));
}

// Returns the notation of the window that contains the widget, which may be in a floating dock of
// it; DTensor if none is set.
inline view::Notation notationOf(const QWidget& widget) {
  for (const QWidget* each = &widget; each != nullptr; each = each->parentWidget()) {
    const QVariant notation = each->property(kNotationProperty);
    if (notation.isValid()) {
      return static_cast<view::Notation>(notation.toInt());
    }
  }
  return view::Notation::DTensor;
}

}  // namespace shardlens
