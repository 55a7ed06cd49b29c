#pragma once

#include <QString>
#include <vector>

namespace shardlens {

// A scenario that comes with the program, or a folder with the recordings of a run's processes.
struct GalleryEntry {
  QString title;
  QString about;  // one line: the mesh, and how long it is
  QString path;
};

// What is in resources/gallery: next to the build, or where they were installed. None when
// there is no such folder. Read once, however many windows there are.
const std::vector<GalleryEntry>& gallery();
std::vector<GalleryEntry> galleryIn(const QString& folder);

}  // namespace shardlens
