#pragma once

#include "tests/ui/support/window.h"

namespace shardlens {

// The property of a window that holds the title of its last answered dialog.
inline constexpr const char* kAskedFor = "askedFor";

// Answers the next file dialog with this path, as if it were typed.
void answerFiles(Window& on, const QString& path);

}  // namespace shardlens
