#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace shardlens {

// A hash table from integers other than 0 to 32-bit values. Cheaper than std::unordered_map where
// entries come and go all the time, because it allocates only to grow.
template <class Key>
class IdTable {
 public:
  // Returns the value of the key, 0 if it is new. The reference is valid until the next call.
  std::uint32_t& operator[](Key key) {
    if (used_ * 2 >= entries_.size()) grow();
    Entry& entry = entries_[find(key)];
    if (entry.key == 0) {
      entry.key = key;
      ++used_;
    }
    return entry.value;
  }
  // Removes a key, which must be in the table. Moves later entries of its chain into the gap.
  void erase(Key key) {
    const std::size_t mask = entries_.size() - 1;
    std::size_t gap = find(key);
    for (std::size_t at = (gap + 1) & mask; entries_[at].key != 0; at = (at + 1) & mask) {
      const std::size_t home = placeOf(entries_[at].key);
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      entries_[gap] = entries_[at];
      gap = at;
    }
    entries_[gap] = {};
    --used_;
  }
  std::size_t size() const { return used_; }

 private:
  struct Entry {
    Key key = 0;
    std::uint32_t value = 0;
  };

  std::size_t placeOf(Key key) const {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;
    return static_cast<std::size_t>((key * kOdd) >> 32U) & (entries_.size() - 1);
  }
  // Returns the place of the key, or the free place where it belongs.
  std::size_t find(Key key) const {
    std::size_t at = placeOf(key);
    while (entries_[at].key != key && entries_[at].key != 0) at = (at + 1) & (entries_.size() - 1);
    return at;
  }
  void grow() {
    const auto old = std::exchange(entries_, std::vector<Entry>(entries_.size() * 2));
    for (const Entry& entry : old) {
      if (entry.key != 0) entries_[find(entry.key)] = entry;
    }
  }

  std::vector<Entry> entries_ = std::vector<Entry>(16);  // a power of two
  std::size_t used_ = 0;
};

}  // namespace shardlens
