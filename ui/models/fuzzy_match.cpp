#include "ui/models/fuzzy_match.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace shardlens {
namespace {

constexpr int kNever = std::numeric_limits<int>::min() / 2;
constexpr int kAdjacent = 7;
constexpr int kBeginsWord = 6;

bool beginsWord(const QString& text, qsizetype at) {
  return text[at].isLetterOrNumber() && (at == 0 || !text[at - 1].isLetterOrNumber());
}

}  // namespace

std::optional<int> fuzzyScore(const QString& typed, const QString& text) {
  const QString letters = typed.simplified().remove(u' ').toCaseFolded();
  const QString folded = text.toCaseFolded();
  if (letters.isEmpty()) {
    return 0;
  }
  // scores[at]: the best score of the letters so far if the last one matches text[at].
  std::vector<int> scores(static_cast<std::size_t>(folded.size()), kNever);
  for (qsizetype letter = 0; letter < letters.size(); ++letter) {
    int before = letter == 0 ? 0 : kNever;  // best score up to at - 2
    int adjacent = kNever;                  // score of the previous letter at at - 1
    for (qsizetype at = 0; at < folded.size(); ++at) {
      int& score = scores[static_cast<std::size_t>(at)];
      const int here = score;
      const int best = std::max(before, adjacent + kAdjacent);
      const bool fits = folded[at] == letters[letter] && best > kNever / 2;
      score = fits ? best + 1 + (beginsWord(folded, at) ? kBeginsWord : 0) : kNever;
      before = std::max(before, letter == 0 ? kNever : adjacent);
      adjacent = letter == 0 ? kNever : here;
    }
  }
  const int best = scores.empty() ? kNever : *std::max_element(scores.begin(), scores.end());
  return best > kNever / 2 ? std::optional(best) : std::nullopt;
}

}  // namespace shardlens
