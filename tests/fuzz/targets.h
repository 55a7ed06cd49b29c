#pragma once

#include <string_view>

namespace shardlens {

// Each takes any bytes. A crash, a leak, a hang, or memory that grows with a number in the bytes is
// a defect of what it calls; a refusal is not.

// A file that claims to be a recording: opened, and shown at its start, its middle and its end.
void fuzzRecording(std::string_view bytes);
// Frames as a server of recordings sends them; what they make is shown too.
void fuzzFrames(std::string_view bytes);
// The text of a scenario file.
void fuzzScenario(std::string_view bytes);
// Lines that the window and the engine, and `follow` and its reader, say to one another.
void fuzzProtocol(std::string_view bytes);

}  // namespace shardlens
