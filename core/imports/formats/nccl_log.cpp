#include "core/imports/formats/nccl_log.h"

#include "core/imports/collectives.h"
#include "core/imports/input/bad_dump.h"
#include "core/imports/input/line_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace shardlens {

namespace {

constexpr std::string_view kInfo = "NCCL INFO ", kWarning = "NCCL WARN ";

// Returns the number directly after `word`, as in "nranks 4". Returns nullopt without one.
template <class Number>
std::optional<Number> numberBehind(std::string_view text, std::string_view word, int base = 10) {
  const auto at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + word.size());
  if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
  Number number = 0;
  const auto problem = std::from_chars(text.data(), text.data() + text.size(), number, base).ec;
  return problem == std::errc() ? std::optional(number) : std::nullopt;
}

// Returns the text after `word` up to the next space, or "" without `word`.
std::string wordBehind(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + word.size());
  return std::string(text.substr(0, text.find(' ')));
}

struct NcclLine {
  NcclProcess process;
  bool isWarning = false;
  std::string_view text;
};

// Parses "[stamp] host:1234:1240 [0] NCCL INFO text". In warnings, a source location may precede
// "NCCL WARN". Returns nullopt for other lines.
std::optional<NcclLine> readLine(std::string_view line) {
  auto at = line.find(kInfo);
  const bool isWarning = at == std::string_view::npos;
  if (isWarning) at = line.find(kWarning);
  if (at == std::string_view::npos) return std::nullopt;
  NcclLine read{.process = {"", 0}, .isWarning = isWarning, .text = line.substr(at + kInfo.size())};
  const std::string_view before = line.substr(0, at);
  const auto open = before.rfind('[');
  if (open == std::string_view::npos || open == 0) return std::nullopt;
  read.process.second = numberBehind<int>(before.substr(open), "[").value_or(0);
  // host:pid:tid is the last word before the device.
  auto who = before.substr(0, open);
  while (who.ends_with(' ')) who.remove_suffix(1);
  who.remove_prefix(who.find_last_of(" ]") + 1);
  read.process.first = who.substr(0, who.rfind(':'));
  return read;
}

// Returns the element size of an ncclDataType_t, or 0 for an unknown one.
int elementSizeOf(std::int64_t dtype) {
  constexpr std::array kSizes = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  const bool isKnown = dtype >= 0 && dtype < static_cast<std::int64_t>(kSizes.size());
  return isKnown ? kSizes[static_cast<std::size_t>(dtype)] : 0;
}

}  // namespace

void NcclCommunicators::add(ByteSource& source) {
  constexpr int kMostRanks = 1 << 24;
  LineReader lines(source);
  while (const auto line = lines.next()) {
    const auto read = readLine(*line);
    if (!read || read->isWarning || read->text.find("Init COMPLETE") == std::string_view::npos) {
      continue;
    }
    const std::string address = wordBehind(read->text, "comm ");
    const auto rank = numberBehind<int>(read->text, " rank ");
    const auto ranks = numberBehind<int>(read->text, " nranks ");
    if (address.empty() || !rank || !ranks || *rank < 0 || *rank >= *ranks || *ranks > kMostRanks) {
      refuseDump(lines.where(), "another text", "comm ADDRESS rank N nranks N as NCCL prints it");
    }
    // A split communicator has no commId, only its parent and its colour.
    std::string group = wordBehind(read->text, " commId ");
    if (group.empty()) {
      const auto parent = made_.find({read->process, wordBehind(read->text, " parent ")});
      if (parent == made_.end()) continue;
      group = parent->second.group + "/" + wordBehind(read->text, " color ");
    }
    made_[{read->process, address}] = {group, *rank};
    communicators_[group].group = group;
    communicators_[group].ranks = *ranks;
    ranks_.try_emplace(read->process, *rank);
    first_.try_emplace(read->process, group);
  }
  if (made_.empty()) {
    refuseDump(
        lines.where(), "the end",
        "a line \"comm ... rank ... nranks ... Init COMPLETE\": NCCL_DEBUG_SUBSYS=INIT,COLL");
  }
  findMembers();
}

// A process's first communicator contains all ranks. Members of other communicators are known if
// the logs of all of them were read.
void NcclCommunicators::findMembers() {
  constexpr int kMostRanks = 1 << 16;  // larger groups get no member list
  std::set<std::string> firsts;
  for (const auto& [process, group] : first_) firsts.insert(group);
  std::map<std::string, std::set<int>> seen;
  for (const auto& [key, one] : made_) seen[one.group].insert(ranks_.at(key.first));
  for (auto& [group, communicator] : communicators_) {
    const std::set<int>& members = seen[group];
    communicator.members.clear();
    if (firsts.contains(group)) {
      const int listed = communicator.ranks <= kMostRanks ? communicator.ranks : 0;
      for (int rank = 0; rank < listed; ++rank) communicator.members.push_back(rank);
    } else if (static_cast<int>(members.size()) == communicator.ranks) {
      communicator.members.assign(members.begin(), members.end());
    }
  }
}

const NcclCommunicators::Communicator* NcclCommunicators::find(const NcclProcess& process,
                                                               const std::string& address) const {
  const auto made = made_.find({process, address});
  return made == made_.end() ? nullptr : &communicators_.at(made->second.group);
}

std::optional<int> NcclCommunicators::rankOf(const NcclProcess& process) const {
  const auto found = ranks_.find(process);
  return found == ranks_.end() ? std::nullopt : std::optional(found->second);
}

void importNcclLog(ByteSource& source, const NcclCommunicators& communicators,
                   const std::function<ImportedRank&(int rank)>& recordingOf) {
  std::map<std::pair<NcclProcess, std::string>, std::uint32_t> calls;
  LineReader lines(source);
  while (const auto line = lines.next()) {
    const auto read = readLine(*line);
    const auto rank = read ? communicators.rankOf(read->process) : std::nullopt;
    if (!rank) continue;
    ImportedRank& recording = recordingOf(*rank);
    Event event;
    if (read->isWarning) {
      event.kind = EventKind::Error;
      event.name = recording.intern(read->text);
      recording.add(event);
      continue;
    }
    const auto colon = read->text.find(": opCount ");
    if (colon == std::string_view::npos) continue;
    const std::string_view called = read->text.substr(0, colon);
    const std::string address = wordBehind(read->text, " comm ");
    const auto* const communicator = communicators.find(read->process, address);
    const auto collective = collectiveOf(called);
    const std::int64_t count = numberBehind<std::int64_t>(read->text, " count ").value_or(0);
    const auto dtype = numberBehind<std::int64_t>(read->text, " datatype ").value_or(-1);
    // For these two, `count` is the number of elements per rank.
    const bool isOfEach =
        collective == CollectiveKind::ReduceScatter || collective == CollectiveKind::AllToAll;
    const int parts = isOfEach && communicator != nullptr ? communicator->ranks : 1;
    std::int64_t bytes = 0;
    if (count < 0 || __builtin_mul_overflow(count, elementSizeOf(dtype), &bytes) ||
        __builtin_mul_overflow(bytes, parts, &bytes)) {
      bytes = 0;
    }
    if (!collective) {
      event.kind = EventKind::Operator;
      event.name = recording.intern(called);
      event.bytes = bytes;
    } else if (communicator == nullptr) {
      event = recording.makeCollective({.kind = *collective, .bytes = bytes});
    } else {
      event = recording.makeCollective({.kind = *collective,
                                        .group = communicator->group,
                                        .members = communicator->members,
                                        .sequence = ++calls[{read->process, address}],
                                        .bytes = bytes});
    }
    recording.add(event);
  }
}

}  // namespace shardlens
