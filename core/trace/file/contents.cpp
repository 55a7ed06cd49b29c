#include "core/trace/file/contents.h"

#include <zstd.h>

#include <algorithm>
#include <functional>
#include <string_view>

namespace shardlens {

namespace {

// Larger ones are not believed: some bytes can claim to be as many as one likes.
constexpr std::size_t kMostUnpacked = std::size_t{1} << 30;

std::size_t hashOf(const std::vector<std::byte>& bytes) {
  const auto* first = reinterpret_cast<const char*>(bytes.data());
  return std::hash<std::string_view>()({first, bytes.size()});
}

}  // namespace

std::int64_t KnownContents::find(const Content& content) const {
  const auto [first, last] = byHash_.equal_range(hashOf(*content));
  for (auto known = first; known != last; ++known) {
    const Content other = known->second.content.lock();
    if (other != nullptr && (other == content || *other == *content)) return known->second.id;
  }
  return 0;
}

void KnownContents::add(const Content& content, std::int64_t id) {
  byHash_.emplace(hashOf(*content), Known{content, id});
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
  constexpr int kLevel = 1;
  std::vector<std::byte> packed(content.size() - content.size() / 8);
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), content.data(), content.size(), kLevel);
  const bool pays = ZSTD_isError(size) == 0 && size < content.size();
  if (!pays) return {content.begin(), content.end()};
  packed.resize(size);
  return packed;
}

Content unpackContent(std::span<const std::byte> packed, std::size_t size) {
  using Bytes = std::vector<std::byte>;
  if (packed.size() == size) return std::make_shared<const Bytes>(packed.begin(), packed.end());
  if (size > kMostUnpacked || ZSTD_getFrameContentSize(packed.data(), packed.size()) != size) {
    return nullptr;
  }
  auto content = std::make_shared<Bytes>(size);
  const std::size_t got =
      ZSTD_decompress(content->data(), content->size(), packed.data(), packed.size());
  return ZSTD_isError(got) == 0 && got == size ? content : nullptr;
}

}  // namespace shardlens
