#pragma once

#include "ui/scenes/theme.h"
#include "ui/text/event_words.h"

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
