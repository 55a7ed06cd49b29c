#include "core/query/language/completer.h"

#include "core/query/language/query_fields.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/merged_parts.h"
#include "core/trace/records/site_record.h"

#include <algorithm>
#include <utility>

namespace shardlens {

namespace {

// Limit of values per field. Longer lists are not useful in a popup.
constexpr std::size_t kMost = 200;

}  // namespace

void Completer::Values::add(std::string text) {
  if (!text.empty() && texts_.size() < kMost) texts_.insert(std::move(text));
}

std::vector<Completion> Completer::complete(std::string_view text, std::size_t cursor) const {
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
  const auto comma = term.find_last_of(',');
  const bool isFirst = comma == std::string_view::npos || comma < sign;
  const std::size_t begin = (isFirst ? sign : comma) + 1;
  for (const auto& value : valuesOf(term.substr(0, sign))) {
    const std::string word = writtenValue(value);
    if (word.starts_with(term.substr(begin))) found.push_back({word, {}, from + begin});
  }
  return found;
}

std::vector<std::string> Completer::valuesOf(std::string_view name) const {
  const FieldInfo* field = findField(name);
  if (field == nullptr) return {};
  const auto all = [](const Values& values) {
    return std::vector<std::string>(values.texts().begin(), values.texts().end());
  };
  switch (field->field) {
    case Field::Op:
      return all(ops_);
    case Field::Name:
      return all(names_);
    case Field::Tensor:
      return all(tensors_);
    case Field::Placement:
      return all(placements_);
    case Field::DType:
      return all(dtypes_);
    case Field::Axis:
      return all(axes_);
    case Field::Group:
      return all(groups_);
    case Field::Module:
      return all(modules_);
    case Field::File:
      return all(files_);
    case Field::Device:
      return all(devices_);
    default:
      return {field->words.begin(), field->words.end()};
  }
}

bool Completer::look(std::uint32_t most) {
  const auto end = [most](std::uint32_t from, std::uint32_t size) {
    return size - from <= most ? size : from + most;
  };
  for (const EventId last = end(events_, journal_.size()); events_ < last;) {
    scanEvent(++events_);
  }
  for (const SpecId last = end(specs_, journal_.specs()); specs_ < last;) {
    const Spec& spec = journal_.spec(++specs_);
    dtypes_.add(std::string(dtypeName(spec.meta.dtype)));
    for (const auto& placement : spec.placements) placements_.add(toText(placement));
  }
  for (const TensorId last = end(namedTensors_, journal_.tensors()); namedTensors_ < last;) {
    const StringId name = journal_.nameOf(++namedTensors_);
    if (tensors_.isNew(name)) tensors_.add(std::string(journal_.text(name)));
  }
  return events_ < journal_.size() || specs_ < journal_.specs() ||
         namedTensors_ < journal_.tensors();
}

void Completer::scanEvent(EventId id) {
  const Event event = journal_.at(id);
  const bool isOperator = event.kind == EventKind::Operator;
  if (isOperator && ops_.isNew(event.name)) ops_.add(std::string(journal_.name(event)));
  if (names_.isNew(Journal::nameKey(event))) names_.add(std::string(journal_.name(event)));
  const StringId group = groupOf(journal_, event);
  if (groups_.isNew(group)) groups_.add(std::string(journal_.text(group)));
  if (devices_.isNew(event.device)) devices_.add(std::string(journal_.text(event.device)));
  if (event.kind == EventKind::Collective) axes_.add(axisOf_.of(event));
  if (!sites_.isNew(event.site)) return;
  const SiteRecord site = readSite(journal_.text(event.site));
  modules_.add(site.module);
  files_.add(site.file);
}

}  // namespace shardlens
