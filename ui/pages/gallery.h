#pragma once

#include "ui/scenes/theme.h"

#include <QString>
#include <vector>

namespace shardlens {

// A scenario that comes with the program, or a folder with the recordings of a run's processes.
struct GalleryEntry {
  QString title;
  QString about;  // one line: the mesh and the number of steps, or of ranks
  QString path;
  QString teaches = {};  // first sentence of its notes
};

// Returns the entries of resources/gallery, next to the build or where it is installed. Empty if
// there is no such folder. The folder is read once per process.
const std::vector<GalleryEntry>& gallery();
// Returns the file with the picture of an entry, which tests/handbook/pictures.py draws. There may
// be no such file.
QString pictureOf(const GalleryEntry& entry, ColourScheme scheme);
// Returns the place of a file in gallery(), or -1.
int galleryIndex(const QString& path);
// Reads the entries of a folder, sorted by file name.
std::vector<GalleryEntry> galleryIn(const QString& folder);

}  // namespace shardlens
