#pragma once

#include "core/trace/journal/journal.h"

#include <QImage>
#include <QString>

namespace shardlens {

// Times differ from run to run. In this recording each event takes as long as its number says.
void writeWithTimes(const Journal& journal, const QString& path);

// Pixels that a person could tell apart, or that differ by more than this.
int differences(const QImage& left, const QImage& right, int visible = 12);

// Whether letters are drawn here as in the pictures that are kept: by Debian 12's Qt, in DejaVu.
bool drawsAsKept();

// The picture is the one that is kept in this file, which UPDATE_GOLDEN=1 writes anew. Where it is
// not, it goes to the folder of the build, under this name.
void expectKept(const QImage& made, const QString& kept, const QString& name);

}  // namespace shardlens
