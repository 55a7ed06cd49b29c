#pragma once

#include <QString>
#include <vector>

namespace shardlens {

// A scenario that comes with the program.
struct GalleryEntry {
  QString title;
  QString about;  // one line: mesh and number of steps
  QString path;
};

// The scenarios of resources/gallery: next to the build, or where they were installed. None when
// there is no such folder.
std::vector<GalleryEntry> gallery();
std::vector<GalleryEntry> galleryIn(const QString& folder);

}  // namespace shardlens
