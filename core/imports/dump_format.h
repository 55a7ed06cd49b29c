#pragma once

#include "core/imports/input/byte_source.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

namespace shardlens {

// A file format of another tool that can be imported.
enum class DumpFormat {
  ChromeTrace,  // Kineto, or another tool that writes Chrome's trace format
  FlightJson,   // c10d Flight Recorder
  FlightPickle,
  DebugModeText,
  DebugModeJson,
  CommDebugMode,
  NcclLog,       // NCCL_DEBUG=INFO
  AutoParallel,  // AutoParallel solution
};

std::string_view formatName(DumpFormat format);  // for display: "Kineto trace"

// Opens the file again and returns a source at its beginning.
using DumpOpener = std::function<std::unique_ptr<ByteSource>()>;

// Detects a file's format from its content. Calls `open` once or twice; for JSON, reads up to the
// first top-level member that identifies the format. Throws BadDump if no format matches.
DumpFormat dumpFormatOf(const DumpOpener& open);

// Returns true if the file is another tool's dump. Returns false for unreadable files, and for
// scenarios, which have a "mesh" member as AutoParallel solutions do.
bool isDump(const std::filesystem::path& path);

}  // namespace shardlens
