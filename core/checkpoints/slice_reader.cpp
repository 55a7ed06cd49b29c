#include "core/checkpoints/slice_reader.h"

#include "core/checkpoints/input/bad_checkpoint.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace shardlens {
namespace {

constexpr std::size_t kMostOpenFiles = 64;

Extents stridesOf(const Extents& sizes) {
  Extents strides(sizes.size(), 1);
  for (std::size_t dim = sizes.size(); dim-- > 1;) strides[dim - 1] = strides[dim] * sizes[dim];
  return strides;
}

StoredTensor locate(const InputFile& file, const CheckpointTensor& tensor, const Slice& slice) {
  if (slice.encoding == Slice::Encoding::TorchSave) {
    return readTorchArchive(file, slice.offset, slice.bytes);
  }
  if (slice.offset > file.size() || slice.bytes > file.size() - slice.offset) {
    throw BadCheckpoint(fmt::format("{}: got a file of {} bytes, expected {} bytes from byte {}",
                                    file.name(), file.size(), slice.bytes, slice.offset));
  }
  return {.type = tensor.type,
          .sizes = slice.box.sizes,
          .strides = stridesOf(slice.box.sizes),
          .begin = slice.offset};
}

}  // namespace

std::shared_ptr<const InputFile> OpenFiles::open(std::size_t file) {
  if (files_[file] == nullptr) {
    files_[file] =
        std::make_shared<const InputFile>(checkpoint_.folder / checkpoint_.files[file].name);
    order_.push_back(file);
    if (order_.size() > kMostOpenFiles) {
      files_[order_.front()].reset();
      order_.pop_front();
    }
  }
  return files_[file];
}

SliceReader::SliceReader(OpenFiles& files, const CheckpointTensor& tensor, const Slice& slice)
    : file_(files.open(slice.file)),
      buffered_(*file_),
      offsets_(slice.box.offsets),
      stored_(locate(*file_, tensor, slice)) {
  if (stored_.type != tensor.type || stored_.sizes != slice.box.sizes) {
    throw BadCheckpoint(fmt::format("{}: byte {}: got a tensor {} of {}, expected {} of {}",
                                    file_->name(), slice.offset, extentsText(stored_.sizes),
                                    stored_.type->name, extentsText(slice.box.sizes),
                                    tensor.type->name));
  }
}

std::int64_t SliceReader::mostElements() const {
  return static_cast<std::int64_t>(BufferedFile::kMost) / stored_.type->size;
}

const std::byte* SliceReader::run(const Extents& index, std::int64_t count) {
  const auto size = static_cast<std::uint64_t>(stored_.type->size);
  std::uint64_t at = 0;
  for (std::size_t dim = 0; dim < index.size(); ++dim) {
    at += static_cast<std::uint64_t>((index[dim] - offsets_[dim]) * stored_.strides[dim]);
  }
  const std::uint64_t begin = stored_.begin + at * size;
  const auto elements = static_cast<std::uint64_t>(count);
  const std::uint64_t stride =
      index.empty() ? 1 : static_cast<std::uint64_t>(stored_.strides.back());
  if (stride == 1 || count == 1) return buffered_.at(begin, elements * size);
  packed_.resize(elements * size);
  for (std::uint64_t i = 0; i < elements; ++i) {
    std::memcpy(packed_.data() + i * size, buffered_.at(begin + i * stride * size, size), size);
  }
  return packed_.data();
}

}  // namespace shardlens
