#pragma once

#include "core/trace/journal/journal.h"
#include "core/view/words/placement_words.h"
#include "core/view/words/tone.h"

#include <string>
#include <string_view>

namespace shardlens::view {

// The short texts of an event in the event tree.
struct EventWords {
  std::string title = {};   // "redistribute x: R → MaskP"
  std::string note = {};    // "implicit", "288 B", "refcount 1"
  Tone tone = Tone::Plain;  // of the note
};

// Returns the texts. If ranks did not take part, the note says which; its tone is Bad for a
// collective that members did not call and for an error, and Quiet for other events.
EventWords eventWords(const Journal& journal, EventId id, Notation notation = Notation::DTensor);
std::string_view eventIcon(const Event& event);  // name of the icon: "operator", "cache_miss", ...

// Returns true for an implicit redistribution that contains a collective. Reads the events inside
// it.
bool isImplicitCommunication(const Journal& journal, EventId id);

}  // namespace shardlens::view
