#include "core/imports/dump_format.h"

#include "core/base/refusal.h"
#include "core/imports/input/bad_dump.h"
#include "core/imports/input/json_reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace shardlens {

namespace {

// Bytes at the beginning of a file that are searched for a format's markers.
constexpr std::size_t kSniffedBytes = std::size_t{64} << 10;

// Top-level JSON members that identify a format.
constexpr auto kMembers = std::to_array<std::pair<std::string_view, DumpFormat>>(
    {{"traceEvents", DumpFormat::ChromeTrace},
     {"schemaVersion", DumpFormat::ChromeTrace},
     {"distributedInfo", DumpFormat::ChromeTrace},
     {"displayTimeUnit", DumpFormat::ChromeTrace},
     {"entries", DumpFormat::FlightJson},
     {"pg_config", DumpFormat::FlightJson},
     {"comm_lib_version", DumpFormat::FlightJson},
     {"nccl_comm_state", DumpFormat::FlightJson},
     {"fqn", DumpFormat::CommDebugMode},
     {"placements", DumpFormat::AutoParallel},
     {"mesh_shape", DumpFormat::AutoParallel},
     {"mesh", DumpFormat::AutoParallel},
     {"logs", DumpFormat::DebugModeJson}});

std::optional<DumpFormat> formatOfMember(JsonReader& json, std::string_view key) {
  if (key == "format" && json.kind() == JsonReader::Kind::Text) {
    const bool isDebugMode = json.text().find("DebugMode") != std::string_view::npos;
    return isDebugMode ? std::optional(DumpFormat::DebugModeJson) : std::nullopt;
  }
  const auto* const found = std::find_if(kMembers.begin(), kMembers.end(),
                                         [&](const auto& one) { return one.first == key; });
  if (found != kMembers.end()) return found->second;
  json.skip();
  return std::nullopt;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

std::string_view formatName(DumpFormat format) {
  switch (format) {
    case DumpFormat::ChromeTrace:
      return "Kineto trace";
    case DumpFormat::FlightJson:
      return "Flight Recorder JSON";
    case DumpFormat::FlightPickle:
      return "Flight Recorder pickle";
    case DumpFormat::DebugModeText:
      return "DebugMode text";
    case DumpFormat::DebugModeJson:
      return "DebugMode JSON";
    case DumpFormat::CommDebugMode:
      return "CommDebugMode JSON";
    case DumpFormat::NcclLog:
      return "NCCL log";
    case DumpFormat::AutoParallel:
      return "AutoParallel solution";
  }
  return "";
}

DumpFormat dumpFormatOf(const DumpOpener& open) {
  const auto first = open();
  std::vector<char> bytes(kSniffedBytes);
  std::size_t size = 0;
  while (size < bytes.size()) {
    const std::size_t got = first->read(std::span(bytes).subspan(size));
    if (got == 0) break;
    size += got;
  }
  const std::string_view begin(bytes.data(), size);
  const auto start = begin.find_first_not_of(" \t\r\n");
  const char c = start == std::string_view::npos ? '\0' : begin[start];
  if (size > 2 && begin[0] == '\x80' && begin[1] <= 5) return DumpFormat::FlightPickle;
  if (c == '[' && has(begin, "\"ph\"")) return DumpFormat::ChromeTrace;
  if (has(begin, "NCCL INFO") || has(begin, "NCCL WARN")) return DumpFormat::NcclLog;
  std::optional<DumpFormat> format;
  if (c == '{') {
    const auto source = open();
    JsonReader json(*source);
    json.findMember([&](std::string_view key) {
      format = formatOfMember(json, key);
      return format.has_value();
    });
  } else if (has(begin, "aten::") || has(begin, "redistribute_input") || has(begin, "c10d")) {
    format = DumpFormat::DebugModeText;
  }
  if (!format) {
    throw BadDump(
        "got another file, expected a trace of Kineto or Chrome, a Flight Recorder dump, DebugMode "
        "text or JSON, CommDebugMode JSON, an NCCL log or an AutoParallel solution");
  }
  return *format;
}

bool isDump(const std::filesystem::path& path) {
  const auto open = [&path] { return orRefuse(ByteSource::open(path)); };
  try {
    if (dumpFormatOf(open) != DumpFormat::AutoParallel) return true;
    bool isSolution = false;
    const auto source = open();
    JsonReader json(*source);
    json.findMember([&](std::string_view key) {
      isSolution = key == "nodes" || key == "placements";
      const bool isKnown = isSolution || key == "steps";
      if (!isKnown) json.skip();
      return isKnown;
    });
    return isSolution;
  } catch (const BadDump&) {
    return false;
  } catch (const Refusal&) {
    return false;
  }
}

}  // namespace shardlens
