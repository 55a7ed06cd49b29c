#include "core/trace/merge/step_programs.h"

#include "core/model/hash.h"
#include "core/trace/records/site_record.h"

namespace shardlens {

std::uint64_t programKey(const Journal& journal, const Event& event) {
  const bool isOfProgram = event.kind == EventKind::Operator ||
                           event.kind == EventKind::Redistribute ||
                           event.kind == EventKind::Collective;
  if (!isOfProgram) return 0;
  const SiteRecord site = readSite(journal.text(event.site));
  Hasher hasher;
  hasher.mix(static_cast<int>(event.kind) << 8U | event.subkind);
  hasher.mix(journal.name(event));
  hasher.mix(std::string_view(site.module));
  hasher.mix(site.line);
  return hasher.value() | 1U;
}

void StepPrograms::beginStep() {
  ++steps_;
  for (auto& runs : runs_) runs.emplace_back();
}

void StepPrograms::add(std::uint32_t process, EventId id, std::uint64_t key) {
  Run& run = runs_[process].back();
  if (run.first == 0) run.first = id;
  if (key != 0) run.program = (run.program ^ key) * 0x9e3779b97f4a7c15ULL + (run.program >> 29U);
}

EventId StepPrograms::endOf(std::size_t process, std::size_t step, EventId end) const {
  for (++step; step < steps_; ++step) {
    if (runs_[process][step].first != 0) return runs_[process][step].first;
  }
  return end;
}

}  // namespace shardlens
