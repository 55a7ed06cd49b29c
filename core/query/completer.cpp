#include "core/query/completer.h"

#include "core/query/query_fields.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/site_record.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

namespace shardlens {

namespace {

// A person reads no more, and longer names are not written by hand.
constexpr std::size_t kMost = 200;

// Keeps the first of them, each once.
class Known {
 public:
  bool isNew(std::uint32_t id) { return id != 0 && ids_.insert(id).second; }
  void add(std::string text) {
    if (!text.empty() && texts_.size() < kMost) texts_.insert(std::move(text));
  }
  std::vector<std::string> take() { return {texts_.begin(), texts_.end()}; }

 private:
  std::unordered_set<std::uint32_t> ids_;
  std::set<std::string> texts_;
};

// As it has to be written, in quotes where it would not be one value without.
std::string written(const std::string& value) {
  const auto query = parseQuery("name:" + value);
  const bool isPlain =
      query && query->size() == 1 && query->front().values == std::vector<std::string>{value};
  return isPlain ? value : '"' + value + '"';
}

}  // namespace

std::vector<Completion> Completer::complete(std::string_view text, std::size_t cursor) {
  cursor = std::min(cursor, text.size());
  std::size_t from = termAt(text, cursor);
  if (from < cursor && (text[from] == '-' || text[from] == '+')) ++from;
  const std::string_view term = text.substr(from, cursor - from);
  const auto sign = term.find_first_of(":=");
  std::vector<Completion> found;
  if (sign == std::string_view::npos) {
    for (const auto& field : queryFields()) {
      const char* relation = field.type == FieldType::Amount ? ">" : ":";
      if (field.name.starts_with(term)) {
        found.push_back({std::string(field.name) + relation, std::string(field.meaning), from});
      }
    }
    return found;
  }
  const auto* values = valuesOf(term.substr(0, sign));
  if (values == nullptr) return found;
  const auto comma = term.find_last_of(',');
  const bool isFirst = comma == std::string_view::npos || comma < sign;
  const std::size_t begin = (isFirst ? sign : comma) + 1;
  for (const auto& value : *values) {
    const std::string word = written(value);
    if (word.starts_with(term.substr(begin))) found.push_back({word, {}, from + begin});
  }
  return found;
}

const std::vector<std::string>* Completer::valuesOf(std::string_view name) {
  const FieldInfo* field = findField(name);
  if (field == nullptr) return nullptr;
  look();
  switch (field->field) {
    case Field::Op:
      return &values_.ops;
    case Field::Name:
      return &values_.names;
    case Field::Tensor:
      return &values_.tensors;
    case Field::Placement:
      return &values_.placements;
    case Field::DType:
      return &values_.dtypes;
    case Field::Axis:
      return &values_.axes;
    case Field::Group:
      return &values_.groups;
    case Field::Module:
      return &values_.modules;
    case Field::File:
      return &values_.files;
    case Field::Device:
      return &values_.devices;
    default:
      break;
  }
  static const auto kWords = [] {
    std::map<std::string_view, std::vector<std::string>> words;
    for (const auto& each : queryFields()) {
      words[each.name] = {each.words.begin(), each.words.end()};
    }
    return words;
  }();
  return &kWords.at(name);
}

void Completer::look() {
  if (looked_ == journal_.size()) return;
  Known ops, names, tensors, placements, dtypes, axes, groups, modules, files, devices, sites;
  for (EventId id = 1; id <= journal_.size(); ++id) {
    const Event event = journal_.at(id);
    const bool isOperator = event.kind == EventKind::Operator;
    if (isOperator && ops.isNew(event.name)) ops.add(std::string(journal_.name(event)));
    if (names.isNew(event.name)) names.add(std::string(journal_.name(event)));
    if (groups.isNew(event.group)) groups.add(std::string(journal_.text(event.group)));
    if (devices.isNew(event.device)) devices.add(std::string(journal_.text(event.device)));
    if (event.kind == EventKind::Collective && axes.isNew(event.detail)) {
      axes.add(axisOf(journal_, event));
    }
    if (!sites.isNew(event.site)) continue;
    const SiteRecord site = readSite(journal_.text(event.site));
    modules.add(site.module);
    files.add(site.file);
  }
  for (SpecId id = 1; id <= journal_.specs(); ++id) {
    const SpecRecord& spec = journal_.spec(id);
    dtypes.add(std::string(dtypeName(spec.dtype)));
    for (const auto& placement : spec.placements) placements.add(toText(placement));
  }
  for (TensorId id = 1; id <= journal_.tensors(); ++id) {
    if (tensors.isNew(journal_.nameOf(id))) tensors.add(journal_.tensor(id).name);
  }
  values_ = {ops.take(),  names.take(),  tensors.take(), placements.take(), dtypes.take(),
             axes.take(), groups.take(), modules.take(), files.take(),      devices.take()};
  looked_ = journal_.size();
}

}  // namespace shardlens
