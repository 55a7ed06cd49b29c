#include "core/trace/merge/run_manifest.h"

#include "core/base/json_text.h"
#include "core/model/rank_ranges.h"
#include "core/trace/events/event_names.h"
#include "core/trace/events/open_segments.h"
#include "core/trace/records/json_fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace shardlens {

namespace fs = std::filesystem;

namespace {

constexpr int kManifestFormat = 2;
constexpr const char* kFormatKey = "shardlens_manifest";
constexpr const char* kChecksumKey = "checksum";

// Of the summaries, however they are indented.
std::string checksumOf(const DetailJson& recordings) {
  return fmt::format("{:016x}", hashOfText(jsonText(recordings)));
}

DetailJson groupJson(const GroupTotals& group) {
  DetailJson json = {{"kind", kindName(group.kind)}};
  if (group.verdict != Verdict::None) json["verdict"] = verdictName(group.verdict);
  const auto add = [&](const char* key, const std::string& text) {
    if (!text.empty()) json[key] = text;
  };
  add("name", group.name);
  add("axis", group.axis);
  add("ranks", group.ranks);
  add("group", group.group);
  json["count"] = group.totals.count;
  json["bytes"] = group.totals.bytes;
  json["time"] = group.totals.nanoseconds;
  json["exposed"] = group.totals.exposed;
  if (group.totals.leastSequence != 0) {
    json["sequence"] = {group.totals.leastSequence, group.totals.greatestSequence};
  }
  return json;
}

DetailJson fileJson(const std::string& name, const SummarizedFile& file) {
  const RecordingSummary& summary = file.summary;
  DetailJson json = {{"file", name},
                     {"size", file.size},
                     {"changed", file.changed},
                     {"ranks", rangesText(file.hosted)},
                     {"meta", summary.meta},
                     {"events", summary.events},
                     {"segments", summary.segments},
                     {"running", summary.running},
                     {"implicit", summary.implicit},
                     {"steps", {summary.leastStep, summary.greatestStep}},
                     {"times", {summary.begin, summary.end}},
                     {"program", fmt::format("{:016x}", summary.program)}};
  DetailJson& totals = json["totals"] = DetailJson::array();
  for (const auto& group : summary.totals) totals.push_back(groupJson(group));
  return json;
}

// Reads the members of one object. isWhole() is false once a member was missing or did not fit.
class ObjectReader {
 public:
  explicit ObjectReader(const DetailJson& object) : object_(object) {}

  template <class Integer>
  void read(const char* key, Integer& into) {
    take(object_, key, into);
  }
  template <class Integer>
  void read(const char* key, Integer& first, Integer& second) {
    const auto pair = object_.find(key);
    isWhole_ &= pair != object_.end() && pair->is_array() && pair->size() == 2;
    if (!isWhole_) return;
    take((*pair)[0], first);
    take((*pair)[1], second);
  }
  std::string text(const char* key) const { return textOf(object_, key); }
  bool has(const char* key) const { return object_.contains(key); }
  void fail() { isWhole_ = false; }
  bool isWhole() const { return isWhole_; }

 private:
  template <class Integer>
  void take(const DetailJson& json, const char* key, Integer& into) {
    const auto found = json.find(key);
    isWhole_ &= found != json.end();
    if (isWhole_) take(*found, into);
  }
  template <class Integer>
  void take(const DetailJson& json, Integer& into) {
    const auto value = integerOf<Integer>(json);
    isWhole_ &= value.has_value();
    into = value.value_or(0);
  }

  const DetailJson& object_;
  bool isWhole_ = true;
};

// Returns the enumerator of `count` that has this name; nullopt if there is none.
template <class Enum, class Name>
std::optional<Enum> enumOf(const std::string& name, int count, const Name& nameOf) {
  for (int i = 0; i < count; ++i) {
    if (nameOf(static_cast<Enum>(i)) == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

std::optional<GroupTotals> groupOf(const DetailJson& json) {
  ObjectReader members(json);
  const auto kind = enumOf<EventKind>(members.text("kind"), kEventKinds, kindName);
  const auto verdict = enumOf<Verdict>(members.text("verdict"), kVerdicts, verdictName);
  if (!kind || !verdict) return std::nullopt;
  GroupTotals group{*kind,
                    *verdict,
                    members.text("name"),
                    members.text("axis"),
                    members.text("ranks"),
                    members.text("group"),
                    {}};
  members.read("count", group.totals.count);
  members.read("bytes", group.totals.bytes);
  members.read("time", group.totals.nanoseconds);
  members.read("exposed", group.totals.exposed);
  if (members.has("sequence")) {
    members.read("sequence", group.totals.leastSequence, group.totals.greatestSequence);
  }
  return members.isWhole() ? std::optional(std::move(group)) : std::nullopt;
}

std::optional<SummarizedFile> fileOf(const DetailJson& json) {
  SummarizedFile file;
  RecordingSummary& summary = file.summary;
  ObjectReader members(json);
  members.read("size", file.size);
  members.read("changed", file.changed);
  file.hosted = parseRankRanges(members.text("ranks"));
  summary.isClosed = true;
  members.read("events", summary.events);
  members.read("segments", summary.segments);
  members.read("running", summary.running);
  members.read("implicit", summary.implicit);
  members.read("steps", summary.leastStep, summary.greatestStep);
  members.read("times", summary.begin, summary.end);
  const std::string program = members.text("program");
  const char* end = program.data() + program.size();
  if (std::from_chars(program.data(), end, summary.program, 16).ptr != end) members.fail();
  if (const auto meta = json.find("meta"); meta != json.end() && meta->is_object()) {
    for (const auto& [key, value] : meta->items()) summary.meta[key] = textOf(*meta, key.c_str());
  }
  for (const auto& each : listOf(json, "totals")) {
    auto group = groupOf(each);
    if (!group) return std::nullopt;
    summary.totals.push_back(std::move(*group));
  }
  return members.isWhole() ? std::optional(std::move(file)) : std::nullopt;
}

}  // namespace

SummarizedFile stateOf(const fs::path& path) {
  std::error_code code;
  SummarizedFile file;
  file.path = path;
  file.size = fs::file_size(path, code);
  file.changed = fs::last_write_time(path, code).time_since_epoch().count();
  return file;
}

Manifest Manifest::read(const fs::path& folder) {
  Manifest manifest;
  manifest.folder_ = folder;
  const fs::path path = folder / kManifestName;
  std::error_code code;
  if (!fs::is_regular_file(path, code)) return manifest;  // opening a FIFO would block
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return manifest;
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto json = parsedJson<DetailJson>(text);
  const auto format = json.is_object() ? integerOf<int>(json, kFormatKey) : std::nullopt;
  manifest.isNewer_ = format.value_or(0) > kManifestFormat;
  if (format != kManifestFormat) return manifest;
  const auto recordings = json.find("recordings");
  const bool isWhole =
      recordings != json.end() && textOf(json, kChecksumKey) == checksumOf(*recordings);
  if (!isWhole) return manifest;
  for (const auto& each : listOf(json, "recordings")) {
    const std::string name = each.is_object() ? textOf(each, "file") : std::string();
    auto file = name.empty() ? std::nullopt : fileOf(each);
    if (!file) continue;
    file->path = folder / name;
    manifest.files_.insert_or_assign(name, std::move(*file));
  }
  return manifest;
}

const SummarizedFile* Manifest::of(const fs::path& path) const {
  const auto found = files_.find(path.filename().string());
  return found == files_.end() ? nullptr : &found->second;
}

void Manifest::update(const std::vector<SummarizedFile>& files,
                      const std::vector<fs::path>& present,
                      std::vector<std::string>& missing) const {
  std::map<std::string, const SummarizedFile*> all;
  bool isSame = true;
  for (const auto& file : files) {
    if (!file.summary.isClosed) continue;
    const SummarizedFile* known = of(file.path);
    isSame &= known != nullptr && known->size == file.size && known->changed == file.changed;
    all.emplace(file.path.filename().string(), &file);
  }
  std::set<std::string> names;
  for (const auto& path : present) names.insert(path.filename().string());
  for (const auto& [name, file] : files_) {
    if (names.contains(name)) {
      isSame &= all.contains(name);
      continue;
    }
    missing.push_back(fmt::format("{} is missing: {} lists it, with ranks {}", file.path.string(),
                                  kManifestName, rangesText(file.hosted)));
    all.emplace(name, &file);
  }
  if (!isSame && !isNewer_ && all.size() > 1) write(all);
}

void Manifest::write(const std::map<std::string, const SummarizedFile*>& files) const {
  DetailJson json = {{kFormatKey, kManifestFormat}, {"recordings", DetailJson::array()}};
  for (const auto& [name, file] : files) json["recordings"].push_back(fileJson(name, *file));
  json[kChecksumKey] = checksumOf(json["recordings"]);
  const fs::path scratch = folder_ / fmt::format(".{}.{}", kManifestName, ::getpid());
  std::ofstream stream(scratch, std::ios::binary | std::ios::trunc);
  stream << jsonText(json) << '\n';
  stream.close();
  std::error_code code;
  if (stream) fs::rename(scratch, folder_ / kManifestName, code);
  if (!stream || code) fs::remove(scratch, code);
}

}  // namespace shardlens
