#pragma once

#include "core/trace/journal/journal.h"
#include "core/view/tone.h"

#include <string>
#include <string_view>

namespace shardlens::view {

// What a row of the event tree says of an event.
struct EventWords {
  std::string title = {};   // "redistribute x: R → MaskP"
  std::string note = {};    // "implicit", "288 B", "refcount 1"
  Tone tone = Tone::Plain;  // of the note
};

EventWords eventWords(const Journal& journal, EventId id);
std::string_view eventIcon(const Event& event);   // the icon's name: "operator", "cache_miss", ...

// Whether it is a redistribution that nobody asked for and that sends something.
bool sendsUnasked(const Journal& journal, EventId id);

}  // namespace shardlens::view
