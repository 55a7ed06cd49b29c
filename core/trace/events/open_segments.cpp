#include "core/trace/events/open_segments.h"

#include <utility>

namespace shardlens {
namespace {

// This hash is stored in recordings, so it does not depend on the platform (FORMAT.md).
std::uint64_t mixedHash(std::uint64_t hash, std::uint64_t more) {
  hash = (hash ^ more) * 0x9e3779b97f4a7c15ULL;
  return hash ^ hash >> 29U;
}

// Returns a site without its file, because machines may have the program in different folders.
// Returns any other text as it is.
std::string_view withoutFile(std::string_view text) {
  if (!text.starts_with(R"({"file":)")) return text;
  const auto line = text.find(R"(,"line":)");
  return line == std::string_view::npos ? text : text.substr(line);
}

// Returns 0 for an unknown id. A reader reports it as damage.
std::uint64_t hashAt(const std::vector<std::uint64_t>& hashes, std::size_t id) {
  return id < hashes.size() ? hashes[id] : 0;
}

}  // namespace

std::uint64_t hashOfText(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  }
  return hash;
}

std::uint64_t combinedProgram(std::uint64_t before, std::uint64_t program) {
  return mixedHash(before, program);
}

void OpenSegments::addText(StringId id, std::string_view text) {
  if (texts_.size() <= id) texts_.resize(id + std::size_t{1});
  texts_[id] = hashOfText(withoutFile(text));
}

void OpenSegments::addRoute(RouteId id, const Route& route) {
  if (routes_.size() <= id) routes_.resize(id + std::size_t{1});
  routes_[id] = hashOfText(routeText(route));
}

// Leaves out the site of a step, because ranks may begin a step at different lines.
std::uint64_t OpenSegments::hashOf(const Event& event) const {
  std::uint64_t hash = static_cast<std::uint64_t>(event.kind) << 24U |
                       static_cast<std::uint64_t>(event.verdict) << 16U |
                       std::uint64_t{event.subkind} << 8U |
                       static_cast<std::uint8_t>(event.meshDim);
  hash = mixedHash(hash, hashAt(texts_, event.name));
  hash = mixedHash(hash, hashAt(routes_, event.route));
  return event.kind == EventKind::Step ? hash : mixedHash(hash, hashAt(texts_, event.site));
}

void OpenSegments::append(EventId id, const Event& event) {
  if (open_.empty() || id % kSegmentEvents == 1) open_.push_back({id, {}, 0});
  Segment& segment = open_.back();
  segment.totals.add(event);
  segment.program = mixedHash(segment.program, hashOf(event));
  if (implicit_.add(id, event)) segment.totals.addImplicit();
}

void OpenSegments::end(EventId id, const Event& event) {
  for (auto segment = open_.rbegin(); segment != open_.rend(); ++segment) {
    if (segment->first <= id) return segment->totals.end(event);
  }
}

std::vector<Segment> OpenSegments::takeSealed() {
  std::vector<Segment> sealed;
  while (!open_.empty() && open_.front().totals.count() == kSegmentEvents &&
         open_.front().totals.running() == 0) {
    sealed.push_back(std::move(open_.front()));
    open_.pop_front();
  }
  return sealed;
}

std::vector<Segment> OpenSegments::takeRest() {
  std::vector<Segment> rest(std::make_move_iterator(open_.begin()),
                            std::make_move_iterator(open_.end()));
  open_.clear();
  return rest;
}

}  // namespace shardlens
