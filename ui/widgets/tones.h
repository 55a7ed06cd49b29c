#pragma once

#include "core/view/words/tone.h"
#include "ui/scenes/theme.h"

namespace shardlens {

using view::Tone;

// Returns the theme's colour of a tone; the text colour for tones without a separate one.
inline QColor toneColour(Tone tone) {
  switch (tone) {
    case Tone::Quiet:
      return theme().muted;
    case Tone::Good:
      return theme().good;
    case Tone::Warn:
      return theme().warn;
    case Tone::Bad:
      return theme().bad;
    case Tone::Plain:
    case Tone::Strong:
    case Tone::Traffic:
    case Tone::Value:
      break;
  }
  return theme().text;
}

}  // namespace shardlens
