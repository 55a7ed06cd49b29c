#include "core/imports/rank_files.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <system_error>

namespace shardlens {

namespace fs = std::filesystem;

namespace {

// Returns the number after the last "rank", else the last number of the name. Returns nullopt if
// there is none or it is 2^24 or more.
std::optional<int> numberIn(const std::string& name) {
  constexpr std::string_view kDigits = "0123456789";
  const auto rank = name.rfind("rank");
  auto begin = rank == std::string::npos ? std::string::npos : name.find_first_of(kDigits, rank);
  if (begin == std::string::npos) {
    const auto last = name.find_last_of(kDigits);
    if (last == std::string::npos) return std::nullopt;
    const auto before = name.find_last_not_of(kDigits, last);
    begin = before == std::string::npos ? 0 : before + 1;
  }
  int number = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, problem] = std::from_chars(name.data() + begin, end, number);
  constexpr int kMost = 1 << 24;
  return problem == std::errc() && number < kMost ? std::optional(number) : std::nullopt;
}

std::optional<int> rankOf(const RankFile& file) {
  if (file.stated) return file.stated;
  std::string name = file.path.filename().string();
  return numberIn(name);
}

// Returns the first of two adjacent files with equal ranks, or null.
const RankFile* twice(const std::vector<RankFile>& sorted) {
  const auto same = std::adjacent_find(
      sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.rank == b.rank; });
  return same == sorted.end() ? nullptr : &*same;
}

}  // namespace

std::vector<ListedFile> listedFiles(const std::vector<fs::path>& paths) {
  std::vector<ListedFile> files;
  for (const auto& path : paths) {
    std::error_code code;
    if (!fs::is_directory(path, code)) {
      files.push_back({path, false});
      continue;
    }
    const std::size_t before = files.size();
    for (fs::directory_iterator each(path, code), end; !code && each != end; each.increment(code)) {
      const bool isHidden = each->path().filename().string().starts_with('.');
      if (!isHidden && each->is_regular_file(code)) files.push_back({each->path(), true});
    }
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
  }
  return files;
}

void leaveOutCopies(std::vector<RankFile>& files, std::vector<std::string>& notes) {
  std::set<fs::path> stems;  // of files with an extension
  for (const auto& file : files) {
    fs::path stem = file.path;
    if (stem.has_extension()) stems.insert(stem.replace_extension());
  }
  std::erase_if(files, [&](const RankFile& file) {
    const bool isCopy = !file.path.has_extension() && stems.contains(file.path);
    if (isCopy) notes.push_back(file.path.string() + " is left out: another file has its name");
    return isCopy;
  });
}

Result<void> nameRanks(std::vector<RankFile>& files, std::vector<std::string>& notes) {
  const bool areNamed = std::all_of(files.begin(), files.end(),
                                    [](const auto& file) { return rankOf(file).has_value(); });
  bool areUnknown = false;
  for (std::size_t i = 0; i < files.size(); ++i) {
    files[i].rank = areNamed ? *rankOf(files[i]) : static_cast<int>(i);
    areUnknown |= !files[i].stated;
  }
  if (areUnknown) {
    notes.push_back(std::string("the files do not state their ranks: assumed ") +
                    (areNamed ? "from their names" : "in this order, from rank 0"));
  }
  std::stable_sort(files.begin(), files.end(),
                   [](const auto& a, const auto& b) { return a.rank < b.rank; });
  if (const RankFile* first = twice(files)) {
    return fail(first[1].path.string() + ": got rank " + std::to_string(first->rank) +
                ", expected another than that of " + first->path.string());
  }
  return {};
}

}  // namespace shardlens
