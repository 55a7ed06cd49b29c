#pragma once

#include <string_view>

namespace shardlens {

// Each takes any bytes. A crash, a leak, a hang, or memory that grows with a number in the bytes is
// a defect of what it calls; a refusal is not.

// A file that claims to be a recording: opened, and shown at its start, its middle and its end.
void fuzzRecording(std::string_view bytes);
// Frames as a server of recordings sends them; what they make is shown too.
void fuzzFrames(std::string_view bytes);
// Packed events: so many, two bytes, and the frame that they are in. The same bytes are also taken
// for what such a frame holds, which a change of a few of its bytes seldom gets to: what they are
// as events is packed again, and shown in a recording whose texts and tensors are others'.
void fuzzEvents(std::string_view bytes);
// What packed events hold, as those of one process of a run, merged with another's recording.
void fuzzMerge(std::string_view bytes);
// A dump of any other tool's: imported, and what it becomes is shown.
void fuzzImport(std::string_view bytes);
// The text of a scenario file.
void fuzzScenario(std::string_view bytes);
// Lines that the window and the engine, and `follow` and its reader, say to one another.
void fuzzProtocol(std::string_view bytes);

}  // namespace shardlens
