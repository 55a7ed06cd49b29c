#include "core/trace/merge/step_difference.h"

#include "core/trace/merge/step_programs.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace shardlens {
namespace {

struct Item {
  std::uint64_t key;
  EventId id;
  std::string call;  // the process group and number of a numbered collective
};

std::vector<Item> itemsOf(const StepOfProcess& step) {
  std::vector<Item> items;
  for (EventId id = step.first; id < step.end; ++id) {
    const Event event = step.journal.at(id);
    const auto key = programKey(step.journal, event);
    if (key == 0) continue;
    Item& item = items.emplace_back(Item{key, id, {}});
    if (event.kind == EventKind::Collective && event.sequence != 0) {
      item.call = std::string(step.journal.text(event.group)) + ' ' +
                  std::string(step.journal.text(event.ranks)) + ' ' +
                  std::to_string(event.sequence);
    }
  }
  return items;
}

// The items of one process from a place on.
class Remaining {
 public:
  explicit Remaining(std::vector<Item> items) : items_(std::move(items)) {
    for (const auto& item : items_) ++counts_[item.key];
  }
  bool isEmpty() const { return at_ == items_.size(); }
  const Item& front() const { return items_[at_]; }
  void pop() {
    --counts_[items_[at_++].key];
    while (!isEmpty() && drop(front().key)) ++at_;
  }
  // Removes an event that is not the front one.
  void remove(std::uint64_t key) {
    --counts_[key];
    ++removed_[key];
  }
  bool has(const Item& item) const {
    const auto found = counts_.find(item.key);
    return found != counts_.end() && found->second > 0;
  }
  // Returns true if both processes will have an equal event, or call the same numbered collective.
  bool meets(const Remaining& other) const {
    std::unordered_set<std::string_view> calls;
    for (std::size_t i = other.at_; i < other.items_.size(); ++i) {
      if (!other.items_[i].call.empty()) calls.insert(other.items_[i].call);
    }
    for (std::size_t i = at_; i < items_.size(); ++i) {
      if (other.has(items_[i]) || calls.contains(items_[i].call)) return true;
    }
    return false;
  }

 private:
  // Returns true if an event of this key was removed, once for each.
  bool drop(std::uint64_t key) {
    const auto found = removed_.find(key);
    return found != removed_.end() && found->second > 0 && found->second-- > 0;
  }

  std::vector<Item> items_;
  std::size_t at_ = 0;
  std::unordered_map<std::uint64_t, int> counts_;   // by key, of the items from at_ on
  std::unordered_map<std::uint64_t, int> removed_;  // of these, not in counts_
};

}  // namespace

std::optional<std::pair<EventId, EventId>> stepDifference(const StepOfProcess& a,
                                                          const StepOfProcess& b) {
  Remaining left(itemsOf(a)), right(itemsOf(b));
  while (!left.isEmpty() && !right.isEmpty()) {
    const bool isLeftAlone = !right.has(left.front()), isRightAlone = !left.has(right.front());
    if (isLeftAlone && isRightAlone) {
      const bool isCertain = (a.isWhole && b.isWhole) || left.meets(right);
      if (!isCertain) return std::nullopt;
      return std::pair(left.front().id, right.front().id);
    }
    if (isLeftAlone) {
      left.pop();
    } else if (isRightAlone) {
      right.pop();
    } else {
      if (left.front().key == right.front().key) {
        right.pop();
      } else {  // in another order, which is no difference
        right.remove(left.front().key);
      }
      left.pop();
    }
  }
  return std::nullopt;
}

}  // namespace shardlens
