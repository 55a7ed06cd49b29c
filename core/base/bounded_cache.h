#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>

namespace shardlens {

// A cache of at most `capacity` (1 or more) entries that evicts the least recently used entry.
// Counts hits and misses. find() copies the value, so store pointers to large values. Not
// thread-safe.
template <class Key, class Value, class Hash = std::hash<Key>>
class BoundedCache {
 public:
  struct Entry {
    Key key;
    Value value;
    std::uint32_t origin = 0;  // given to insert(); identifies who created the entry
    int uses = 0;              // hits so far
    std::uint64_t born = 0;    // number of lookups before the entry was inserted
  };

  struct Hit {
    Value value;
    std::uint32_t origin = 0;
    int uses = 0;           // hits on the entry, including this one
    std::uint64_t age = 0;  // lookups since the entry was inserted
  };

  explicit BoundedCache(std::size_t capacity) : capacity_(capacity) {}

  // Returns the entry and makes it the most recently used one. Returns nullopt on a miss.
  std::optional<Hit> find(const Key& key) {
    const auto it = index_.find(key);
    if (it == index_.end()) {
      ++misses_;
      return std::nullopt;
    }
    ++hits_;
    Entry& entry = *it->second;
    ++entry.uses;
    if (it->second != entries_.begin()) entries_.splice(entries_.begin(), entries_, it->second);
    return Hit{entry.value, entry.origin, entry.uses, hits_ + misses_ - entry.born};
  }

  // Adds an entry; evicts the least recently used one if the cache is full. For an existing key,
  // replaces only value and origin; its uses, age and eviction order stay.
  void insert(Key key, Value value, std::uint32_t origin = 0) {
    if (const auto it = index_.find(key); it != index_.end()) {
      it->second->value = std::move(value);
      it->second->origin = origin;
      return;
    }
    if (entries_.size() == capacity_) {
      index_.erase(entries_.back().key);
      entries_.pop_back();
    }
    entries_.push_front({std::move(key), std::move(value), origin, 0, hits_ + misses_});
    index_.emplace(entries_.front().key, entries_.begin());
  }

  // Returns the entry that inserting a new key would evict, or nullptr if the cache is not full.
  const Entry* next() const {
    if (entries_.empty() || entries_.size() < capacity_) return nullptr;
    return &entries_.back();
  }

  // Removes all entries. hits() and misses() keep their counts.
  void clear() {
    index_.clear();
    entries_.clear();
  }

  // Calls fn(entry) for each entry, most recently used first, until fn returns false. Does not
  // count as a lookup.
  template <class Fn>
  void visit(Fn fn) const {
    for (const auto& entry : entries_) {
      if (!fn(entry)) return;
    }
  }

  std::size_t size() const { return entries_.size(); }
  std::size_t hits() const { return hits_; }
  std::size_t misses() const { return misses_; }

 private:
  using Index = std::unordered_map<Key, typename std::list<Entry>::iterator, Hash>;

  std::size_t capacity_;
  std::size_t hits_ = 0;
  std::size_t misses_ = 0;
  std::list<Entry> entries_;
  Index index_;
};

}  // namespace shardlens
