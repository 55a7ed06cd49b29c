#pragma once

#include "core/imports/input/byte_source.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

namespace shardlens {

enum class DumpFormat {
  ChromeTrace,  // Kineto's, and others'
  FlightJson,   // c10d's Flight Recorder
  FlightPickle,
  DebugModeText,
  DebugModeJson,
  CommDebugMode,
  NcclLog,       // NCCL_DEBUG=INFO
  AutoParallel,  // a solution
};

std::string_view formatName(DumpFormat format);  // "Kineto trace"

// Opens the file anew, at its beginning.
using DumpOpener = std::function<std::unique_ptr<ByteSource>()>;

// Of a file, by what stands in it. Throws BadDump where it is none of them.
DumpFormat dumpFormatOf(const DumpOpener& open);

// Whether a file is another tool's dump. A scenario, whose mesh is written as that of a solution,
// is none, nor is what cannot be read.
bool isDump(const std::filesystem::path& path);

}  // namespace shardlens
