#include "core/imports/input/line_reader.h"

#include <algorithm>

namespace shardlens {

std::optional<std::string_view> LineReader::next() {
  line_.clear();
  ++number_;
  for (bool hasAny = false;;) {
    if (at_ == size_) {
      at_ = 0;
      size_ = source_.read(buffer_);
      if (size_ == 0) return hasAny ? std::optional<std::string_view>(line_) : std::nullopt;
    }
    hasAny = true;
    const std::string_view rest(buffer_.data() + at_, size_ - at_);
    const std::string_view part = rest.substr(0, rest.find('\n'));
    line_.append(part.substr(0, kLongest - std::min(kLongest, line_.size())));
    at_ += part.size();
    if (part.size() == rest.size()) continue;
    ++at_;
    if (line_.ends_with('\r')) line_.pop_back();
    return line_;
  }
}

}  // namespace shardlens
