#pragma once

#include <cstddef>
#include <list>
#include <unordered_map>
#include <utility>

namespace shardlens {

// Remembers up to `capacity` answers; the one that was not asked for longest goes first. Counts
// hits and misses. find() gives null on a miss; what it gives stays valid until the next insert().
template <class Key, class Value, class Hash = std::hash<Key>>
class BoundedCache {
 public:
  struct Entry {
    Key key;
    Value value;
    int uses = 0;  // hits so far
  };

  explicit BoundedCache(std::size_t capacity) : capacity_(capacity) {}

  Entry* find(const Key& key) {
    const auto it = index_.find(key);
    if (it == index_.end()) {
      ++misses_;
      return nullptr;
    }
    ++hits_;
    ++it->second->uses;
    entries_.splice(entries_.begin(), entries_, it->second);
    return &*it->second;
  }

  Entry& insert(Key key, Value value) {
    if (entries_.size() == capacity_) {
      index_.erase(entries_.back().key);
      entries_.pop_back();
    }
    entries_.push_front({std::move(key), std::move(value), 0});
    index_.emplace(entries_.front().key, entries_.begin());
    return entries_.front();
  }

  const std::list<Entry>& entries() const { return entries_; }  // the newest use first
  std::size_t hits() const { return hits_; }
  std::size_t misses() const { return misses_; }

 private:
  std::size_t capacity_;
  std::size_t hits_ = 0;
  std::size_t misses_ = 0;
  std::list<Entry> entries_;
  std::unordered_map<Key, typename std::list<Entry>::iterator, Hash> index_;
};

}  // namespace shardlens
