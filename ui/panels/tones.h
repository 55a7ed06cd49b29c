#pragma once

#include "ui/models/event_words.h"
#include "ui/scenes/theme.h"

namespace shardlens {

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
      break;
  }
  return theme().text;
}

}  // namespace shardlens
