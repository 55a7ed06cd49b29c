#pragma once

#include "tests/ui/support/window.h"

namespace shardlens {

// The property of a window that says what its last answered dialog asked for.
inline constexpr const char* kAskedFor = "askedFor";

// The next file dialog is answered with this path, as if it were typed.
void answerFiles(Window& on, const QString& path);

}  // namespace shardlens
