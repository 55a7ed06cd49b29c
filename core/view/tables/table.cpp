#include "core/view/tables/table.h"

#include <algorithm>

namespace shardlens::view {

Rows::Rows(std::vector<Row> all) {
  const auto marked =
      std::find_if(all.begin(), all.end(), [](const Row& row) { return row.marked; });
  if (marked != all.end()) source_.marked = static_cast<std::size_t>(marked - all.begin());
  source_.size = all.size();
  kept_ = std::make_shared<const std::vector<Row>>(std::move(all));
}

Row Rows::operator[](std::size_t place) const {
  if (kept_ != nullptr) return (*kept_)[place];
  Row row = source_.at(place);
  row.marked = place == source_.marked;
  return row;
}

std::vector<Row> Rows::all() const {
  std::vector<Row> all;
  for (std::size_t place = 0; place < size(); ++place) all.push_back((*this)[place]);
  return all;
}

bool Rows::operator==(const Rows& other) const {
  if (empty() || other.empty()) return size() == other.size();
  if (kept_ != nullptr && other.kept_ != nullptr) return *kept_ == *other.kept_;
  return kept_ == other.kept_ && size() == other.size() && marked() == other.marked() &&
         source_.version == other.source_.version;
}

}  // namespace shardlens::view
