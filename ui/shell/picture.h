#pragma once

#include "core/base/result.h"
#include "core/model/event.h"

#include <QString>
#include <optional>

namespace shardlens {

class MainWindow;

// Brings the window to a position (none: the first problem, else the end) and writes what it shows,
// or one of its panels alone ("shards", "mesh", ...), to a PNG file, or an SVG where the path ends
// so. Runs the event loop until then. Refuses, and leaves no file, when the position is not
// reached, there is no such panel, or the file cannot be written.
Result<void> takePicture(MainWindow& window, std::optional<EventId> position, const QString& path,
                         const QString& panel = {});

// The same of what the window shows now.
Result<void> drawPicture(MainWindow& window, const QString& path, const QString& panel = {});

}  // namespace shardlens
