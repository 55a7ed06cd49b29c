#pragma once

#include <QStringList>
#include <filesystem>
#include <vector>

class QMimeData;

namespace shardlens {

// The files and folders that a clipboard or a drag names: as files, else line by line in a text
// whose every line is the path of one that is there.
QStringList pathsOf(const QMimeData& data);

// What is opened as one: recordings, or other tools' dumps, of a folder whose names differ only in
// their numbers are those of a run's processes. Everything else is by itself.
std::vector<QStringList> partedByRun(const QStringList& paths);

// As the engine's rooms have them.
using Paths = std::vector<std::filesystem::path>;
Paths toPaths(const QStringList& names);

}  // namespace shardlens
