#pragma once

#include <string_view>

namespace shardlens {

// Fuzz targets. Each accepts any bytes. A crash, a leak, a hang, or memory that grows with a number
// in the bytes is a defect of the code under test. A refusal is not.

// Opens a file with these bytes as a recording, and renders its state at the end, middle and start.
void fuzzRecording(std::string_view bytes);
// Receives the bytes as frames from a server of recordings, and renders the resulting recording.
void fuzzFrames(std::string_view bytes);
// Unpacks the bytes as packed events: a count in two bytes, then a compressed frame. Mutated frames
// rarely decompress, so the same bytes are also used as the content of a frame. The events in it
// are packed again, and rendered in a recording with the texts and tensors of a sample.
void fuzzEvents(std::string_view bytes);
// Merges events, decoded as in fuzzEvents(), with a sample recording as two processes of one run.
void fuzzMerge(std::string_view bytes);
// Imports the bytes as a dump of another tool, and renders the resulting recording.
void fuzzImport(std::string_view bytes);
// Opens, checks and compares a checkpoint with these bytes as one of its files. The first byte
// selects which: the metadata or a file of slices of a sample, or a safetensors file.
void fuzzCheckpoint(std::string_view bytes);
// Parses the bytes as a scenario file.
void fuzzScenario(std::string_view bytes);
// Parses the bytes as a line of each protocol: a window's request, an engine's report, and a report
// of `follow`.
void fuzzProtocol(std::string_view bytes);

}  // namespace shardlens
