#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace shardlens {

// A regular file, opened for reading at any offset. All functions throw BadCheckpoint, with the
// name of the file, if the file cannot be read.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& name() const { return name_; }  // without its folder
  std::uint64_t size() const { return size_; }       // when it was opened
  // Reads into.size() bytes from `offset`. Throws if the file ends before.
  void read(std::uint64_t offset, std::span<std::byte> into) const;
  // As read(), into a text. Check `bytes` against a limit first.
  std::string text(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  std::string name_;
  int file_;
  std::uint64_t size_ = 0;
};

// Buffers reads of one file that move forward. The first reads are small, because most clients of a
// slice only need its beginning. Not thread-safe.
class BufferedFile {
 public:
  // `file` must outlive this object.
  explicit BufferedFile(const InputFile& file) : file_(file) {}
  // Returns the bytes [offset, offset + bytes), valid until the next call. `bytes` is at most
  // kMost. Throws BadCheckpoint as InputFile::read().
  const std::byte* at(std::uint64_t offset, std::uint64_t bytes);
  static constexpr std::uint64_t kMost = std::uint64_t{256} << 10;

 private:
  const InputFile& file_;
  std::uint64_t begin_ = 0;
  std::uint64_t next_ = 4096;  // size of the next read
  std::vector<std::byte> buffer_;
};

}  // namespace shardlens
