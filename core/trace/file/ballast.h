#pragma once

#include <cstddef>
#include <filesystem>

namespace shardlens {

// Room on a disk that is given up when the disk is full, so that there is some for the last words.
// Nothing of it is to be seen, and nothing stays when the process dies.
class Ballast {
 public:
  Ballast(const std::filesystem::path& folder, std::size_t bytes);
  ~Ballast() { drop(); }
  Ballast(const Ballast&) = delete;
  Ballast& operator=(const Ballast&) = delete;

  void drop();

 private:
  int file_ = -1;
};

}  // namespace shardlens
