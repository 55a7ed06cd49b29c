#pragma once

#include "app/bench/clocks.h"
#include "app/bench/transformer_case.h"
#include "core/base/result.h"
#include "core/tensor/runtime.h"
#include "core/trace/journal/event_sink.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace shardlens {

// What is run again and again, recorded or not.
struct RecordedProgram {
  std::shared_ptr<Runtime> runtime;
  std::function<void(int calls)> run;
};

// Small ones, of one of four ranks: as peers/recording.py makes them.
RecordedProgram addsProgram();
RecordedProgram transformerProgram(const TransformerCase::Size& size);

// What a recording is to hold; nothing is recorded where no wants are given.
struct RecordingLevel {
  const char* name;
  std::optional<Wants> wants;
  CaptureLevel values = CaptureLevel::None;
};

inline constexpr Wants kEventsAlone{.times = false, .reasons = false};
inline constexpr RecordingLevel kRecordingLevels[] = {
    {"not recorded", std::nullopt},
    {"events alone", kEventsAlone},
    {"with reasons and times", Wants{}},
    {"with all values too", Wants{}, CaptureLevel::All}};

// The mean of a call of a program that has just been made and has run once, from the first call
// until the recording is closed: what the writer's thread still has to do then counts too.
Result<Taken> timeRecorded(const RecordedProgram& program, const RecordingLevel& level, int calls,
                           const std::filesystem::path& path);

// Of a closed recording of events alone.
struct RecordingSize {
  std::int64_t operators, bytes, strings;
};
Result<RecordingSize> sizeRecorded(const RecordedProgram& program, int calls,
                                   const std::filesystem::path& path);

}  // namespace shardlens
