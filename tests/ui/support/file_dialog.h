#pragma once

#include "tests/ui/support/window.h"

namespace shardlens {

// The property of a window that holds the title of its last answered dialog.
inline constexpr const char* kFileDialogTitle = "askedFor";

// Answers the next file dialog with this path, as if it were typed. Returns at once; the answer
// follows when a dialog is open. `on` must outlive the answer.
void chooseInFileDialogs(Window& on, const QString& path);

}  // namespace shardlens
