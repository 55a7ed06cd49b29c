#include "core/exports/templates.h"

namespace shardlens {

std::string filled(std::string_view pattern, const Filling& filling) {
  std::string text;
  while (!pattern.empty()) {
    std::size_t at = pattern.size();
    const std::pair<std::string_view, std::string>* next = nullptr;
    for (const auto& mark : filling) {
      const auto found = pattern.find(mark.first);
      if (found < at) {
        at = found;
        next = &mark;
      }
    }
    text += pattern.substr(0, at);
    if (next == nullptr) break;
    text += next->second;
    pattern.remove_prefix(at + next->first.size());
  }
  return text;
}

}  // namespace shardlens
