#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>

namespace shardlens {

// Remembers up to `capacity` answers; the one that was not asked for longest goes first. Counts
// hits and misses. Answers are copied out, so let them be pointers. One thread at a time may use
// it.
template <class Key, class Value, class Hash = std::hash<Key>>
class BoundedCache {
 public:
  struct Entry {
    Key key;
    Value value;
    std::uint32_t origin = 0;  // what the caller knows its making by
    int uses = 0;              // hits so far
    std::uint64_t born = 0;    // how many lookups there had been
  };

  struct Hit {
    Value value;
    std::uint32_t origin = 0;
    int uses = 0;           // with this one
    std::uint64_t age = 0;  // lookups since it was remembered
  };

  explicit BoundedCache(std::size_t capacity) : capacity_(capacity) {}

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

  // The newer answer to a question stays.
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

  // What goes when another key is remembered; null while there is room.
  const Entry* next() const {
    if (entries_.empty() || entries_.size() < capacity_) return nullptr;
    return &entries_.back();
  }

  // Forgets all; the counts stay.
  void clear() {
    index_.clear();
    entries_.clear();
  }

  // Calls fn with each entry, the newest use first, until it answers false.
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
