#include "core/query/language/similar_events.h"

#include "core/model/step_number.h"
#include "core/query/language/query.h"
#include "core/trace/events/event_names.h"

#include <algorithm>
#include <cctype>

namespace shardlens {

namespace {

std::string lowered(std::string_view text) {
  std::string all(text);
  std::transform(all.begin(), all.end(), all.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return all;
}

}  // namespace

std::string similarEvents(const Journal& journal, EventId id) {
  const Event event = journal.at(id);
  const std::string kind = "kind:" + std::string(kindLabel(event.kind));
  const std::string name(journal.name(event));
  switch (event.kind) {
    case EventKind::Step:
      if (event.step >= 0) return kind + " step:" + std::to_string(stepNumber(event.step));
      break;
    case EventKind::CacheLookup:
      return kind + " cache:" + writtenValue(name) +
             " cache:" + lowered(verdictName(event.verdict));
    case EventKind::CacheEvicted:
      return kind + " cache:" + writtenValue(name) + " cache:evicted";
    case EventKind::Redistribute:
      return kind + " " + lowered(verdictName(event.verdict)) + " name:" + writtenValue(name);
    case EventKind::MaskMaterialized:
    case EventKind::MaskApplied:
    case EventKind::MaskReleased:
      return kind + " buffer:" + std::to_string(event.subject);
    default:
      break;
  }
  // A value cannot contain a quote; then match the kind only.
  const bool isWritable = !name.empty() && name.find('"') == std::string::npos;
  return isWritable ? kind + " name:" + writtenValue(name) : kind;
}

}  // namespace shardlens
