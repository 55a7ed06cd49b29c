#pragma once

#include "core/base/result.h"
#include "core/model/event.h"

#include <QString>
#include <optional>

namespace shardlens {

class MainWindow;

// Brings the window to a position (none: the first problem, else the end) and writes what it shows to
// a PNG file. Runs the event loop until then. Refuses, and leaves no file, when the position is not
// reached or the file cannot be written.
Result<void> takePicture(MainWindow& window, std::optional<EventId> position, const QString& path);

}  // namespace shardlens
