#pragma once

#include "core/base/result.h"
#include "core/model/event.h"

#include <QSize>
#include <QString>
#include <optional>

namespace shardlens {

class MainWindow;

// Moves the window to a position (nullopt: the first error or differing result, else the end) and
// writes a picture of it, or of one panel ("shards", "mesh", ...). The file is SVG if `path` ends
// in .svg, otherwise PNG. A panel has the size that it has in the window, or `size`. Runs the event
// loop until the position is reached and the search for problems has ended.
// Returns an error, and writes no file, if the position is not reached, the engine does not answer
// for a minute, the panel is unknown, or the file cannot be written.
Result<void> takePicture(MainWindow& window, std::optional<EventId> position, const QString& path,
                         const QString& panel = {}, QSize size = {});

// Writes a picture of the window, or of one panel without its buttons, as it is now. `panel` must
// be known; its dock is shown and raised. `size` applies to a panel only. Blocks until the spans of
// a visible Timeline are read. Returns an error if the file cannot be written.
Result<void> drawPicture(MainWindow& window, const QString& path, const QString& panel = {},
                         QSize size = {});

}  // namespace shardlens
