#pragma once

#include "core/imports/input/byte_source.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

namespace shardlens {

// A file format of another tool that can be imported. core/imports/formats has a reader for each.
enum class DumpFormat {
  ChromeTrace,    // Kineto, or another tool that writes Chrome's trace format
  FlightJson,     // c10d Flight Recorder, as JSON
  FlightPickle,   // the same, as a Python pickle
  DebugModeText,  // PyTorch's DebugMode, debug_string()
  DebugModeJson,  // the same, save_logs()
  CommDebugMode,  // PyTorch's CommDebugMode, generate_json_dump()
  NcclLog,        // NCCL_DEBUG=INFO
  AutoParallel,   // AutoParallel solution
};

// Returns the name for display: "Kineto trace", also for other tools' Chrome traces.
std::string_view formatName(DumpFormat format);

// Opens the file again and returns a source at its beginning. Never returns null; may throw.
using DumpOpener = std::function<std::unique_ptr<ByteSource>()>;

// Detects a file's format from its content: the first 64 KiB, and for a JSON object its members up
// to the first one that identifies the format. Calls `open` once or twice, and passes its
// exceptions through. Throws BadDump if no format matches.
DumpFormat dumpFormatOf(const DumpOpener& open);

// Returns true if the file is another tool's dump. Does not throw. Returns false for unreadable
// files, and for scenarios, which have a "mesh" member as AutoParallel solutions do.
bool isDump(const std::filesystem::path& path);

}  // namespace shardlens
