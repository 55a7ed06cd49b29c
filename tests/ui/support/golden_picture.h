#pragma once

#include "core/trace/journal/journal.h"

#include <QImage>
#include <QString>

namespace shardlens {

// Writes a recording with fixed times, because real times differ from run to run.
void writeWithTimes(const Journal& journal, const QString& path);

// Returns the number of pixels that differ by more than `visible` in a channel; all pixels if the
// sizes differ.
int differences(const QImage& left, const QImage& right, int visible = 12);

// Returns true if text is drawn here as in the stored pictures: by Debian 12's Qt in DejaVu Sans.
bool matchesGolden();

// Expects the picture to equal the stored file `kept`. With UPDATE_GOLDEN=1, rewrites that file. Up
// to 20 pixels may differ. If more do, writes the picture to the build folder under `name`.
void expectGolden(const QImage& made, const QString& kept, const QString& name);

}  // namespace shardlens
