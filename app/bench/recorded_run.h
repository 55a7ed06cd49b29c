#pragma once

#include "app/bench/clocks.h"
#include "app/bench/transformer_case.h"
#include "core/base/result.h"
#include "core/tensor/runtime.h"
#include "core/trace/events/event_sink.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace shardlens {

// A program whose runs are measured with and without recording.
struct RecordedProgram {
  std::shared_ptr<Runtime> runtime;
  std::function<void(int calls)> run;
};

// Adds two small tensors on one of four ranks, as the class Adds in peers/recording.py does.
RecordedProgram addsProgram();
// Runs steps of TransformerCase.
RecordedProgram transformerProgram(const TransformerCase::Size& size);

// What a recording contains. Nothing is recorded if `wants` is empty.
struct RecordingLevel {
  const char* name;
  std::optional<SinkRequests> wants;
  CaptureLevel values = CaptureLevel::None;
};

inline constexpr SinkRequests kEventsAlone{.times = false, .reasons = false};
inline constexpr RecordingLevel kRecordingLevels[] = {
    {"not recorded", std::nullopt},
    {"events alone", kEventsAlone},
    {"with reasons and times", SinkRequests{}},
    {"with all values too", SinkRequests{}, CaptureLevel::All}};

// Runs the program once to warm up, then `calls` times. Returns the mean duration of a call,
// including the end of the recording, so that the work of the writer's thread counts. `program`
// must be new. Replaces the file at `path`. Fails if it cannot be written.
Result<Taken> timeRecorded(const RecordedProgram& program, const RecordingLevel& level, int calls,
                           const std::filesystem::path& path);

// The size of a closed recording: number of Operator events, bytes of the file, interned strings.
struct RecordingSize {
  std::int64_t operators, bytes, strings;
};
// Records `calls` calls of the program at the level "events alone" to `path`. Returns the size.
Result<RecordingSize> sizeRecorded(const RecordedProgram& program, int calls,
                                   const std::filesystem::path& path);

}  // namespace shardlens
