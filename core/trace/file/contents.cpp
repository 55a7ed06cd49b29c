#include "core/trace/file/contents.h"

#include "core/trace/events/zstd_context.h"

#include <zstd.h>

#include <algorithm>
#include <functional>
#include <string_view>

namespace shardlens {

namespace {

// Larger contents are rejected, because a few bytes can claim any size.
constexpr std::size_t kMostUnpacked = std::size_t{1} << 30;

using Bytes = std::vector<std::byte>;

constexpr int kLevel = 1;

// Large contents are sampled for the hash and to test whether they compress.
constexpr std::size_t kSample = 2048;
constexpr std::size_t kSamples = 8;

// Returns the content if it is small, else a sample of it that is stored in `buffer`.
std::span<const std::byte> sampleOf(std::span<const std::byte> content, Bytes& buffer) {
  if (content.size() <= kSample * kSamples) return content;
  buffer.reserve(kSample * kSamples);
  const std::size_t apart = (content.size() - kSample) / (kSamples - 1);
  for (std::size_t i = 0; i < kSamples; ++i) {
    const auto part = content.subspan(i * apart, kSample);
    buffer.insert(buffer.end(), part.begin(), part.end());
  }
  return buffer;
}

// Returns the bytes as text, because std::byte is compared byte by byte. Empty bytes may have a
// null pointer, which memcmp() rejects.
std::string_view textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::size_t hashOf(std::span<const std::byte> content) {
  Bytes buffer;
  return std::hash<std::string_view>()(textOf(sampleOf(content, buffer))) ^ content.size();
}

// Returns the compressed bytes; empty if compression saves less than an eighth.
Bytes compressed(std::span<const std::byte> content) {
  Bytes packed(content.size() - content.size() / 8);
  const std::size_t size = ZSTD_compressCCtx(compressor(), packed.data(), packed.size(),
                                             content.data(), content.size(), kLevel);
  packed.resize(ZSTD_isError(size) != 0 || size >= content.size() ? 0 : size);
  return packed;
}

}  // namespace

std::int64_t KnownContents::idOf(const Content& content, std::int64_t next) {
  const std::size_t hash = hashOf(*content);
  const auto [first, last] = byHash_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    const Content other = known->second.content.lock();
    if (other != nullptr && textOf(*other) == textOf(*content)) return known->second.id;
  }
  byHash_.emplace(hash, Known{content, next});
  keep(content);
  return next;
}

void KnownContents::keep(const Content& content) {
  kept_.push_back(content);
  keptBytes_ += content->size();
  while (keptBytes_ > kMostKept) {
    keptBytes_ -= kept_.front()->size();
    kept_.pop_front();
  }
  if (byHash_.size() < sweepAt_) return;
  std::erase_if(byHash_, [](const auto& known) { return known.second.content.expired(); });
  sweepAt_ = std::max<std::size_t>(1024, 2 * byHash_.size());
}

std::vector<std::byte> packContent(std::span<const std::byte> content) {
  Bytes buffer;
  const auto sample = sampleOf(content, buffer);
  Bytes packed = compressed(sample);
  if (!packed.empty() && sample.size() < content.size()) packed = compressed(content);
  return packed.empty() ? Bytes(content.begin(), content.end()) : packed;
}

Content unpackContent(std::span<const std::byte> packed, std::size_t size) {
  if (packed.size() == size) return std::make_shared<const Bytes>(packed.begin(), packed.end());
  if (size > kMostUnpacked || ZSTD_getFrameContentSize(packed.data(), packed.size()) != size) {
    return nullptr;
  }
  auto content = std::make_shared<Bytes>(size);
  const std::size_t got = ZSTD_decompressDCtx(decompressor(), content->data(), content->size(),
                                              packed.data(), packed.size());
  return ZSTD_isError(got) == 0 && got == size ? content : nullptr;
}

}  // namespace shardlens
