#pragma once

#include "core/trace/journal/journal.h"

#include <QString>

namespace shardlens {

// How much an event wants to be seen.
enum class Tone { Plain, Quiet, Good, Warn, Bad, Strong };

// What the rows of the event tree say of an event.
struct EventWords {
  QString title;            // "redistribute x: R -> MaskP"
  QString note;             // "implicit", "288 B", "refcount 1"
  Tone tone = Tone::Plain;  // of the note
};

EventWords eventWords(const Journal& journal, EventId id);

// "all_gather over dp_tp"
QString collectiveText(const Journal& journal, const Event& event);

// The name of the icon for it: "operator", "cache_miss", ...
QString eventIcon(const Event& event);

}  // namespace shardlens
