#pragma once

#include <QStringList>
#include <filesystem>
#include <vector>

class QMimeData;

namespace shardlens {

// Returns the files and folders in a clipboard or a drag: its local file URLs, or else the lines of
// its text. Returns an empty list if a line of the text is not an existing path.
QStringList pathsOf(const QMimeData& data);

// Groups paths into documents. Recordings or dumps in one folder whose names differ only in numbers
// are the processes of one run and form one group. Any other path is a group by itself. Reads the
// beginnings of files to recognise dumps; the groups keep the order of their first paths.
std::vector<QStringList> partedByRun(const QStringList& paths);

// Returns the folder of a recording if all recordings in the folder are of one run of several
// processes; else empty.
QString folderOfRun(const QString& recording);

// Paths in the type that core uses.
using Paths = std::vector<std::filesystem::path>;
Paths toPaths(const QStringList& names);

}  // namespace shardlens
