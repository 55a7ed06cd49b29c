#include "ui/scenes/shard_words.h"

#include "core/model/spec.h"
#include "ui/scenes/assembled.h"
#include "ui/scenes/card_words.h"
#include "ui/scenes/element_scan.h"
#include "ui/text/format.h"

#include <QStringList>
#include <vector>

namespace shardlens {

QString cardWords(const TensorView& view, const ShardCard& card) {
  const RankPart& part = view.shown(card.ranks);
  QStringList words{ranksLabel(card.ranks), card.fullNote, card.foot,
                    QString(card.empty).replace(u'\n', u' '), card.paddingText};
  if (part.value != nullptr && elementCount(part.local) > 0) {
    words << figuresWords(part.value->statistics);
  }
  words.removeAll(QString());
  return words.join(u'\n');
}

// The value is attributed only to the ranks whose values were captured.
QString cellWords(const TensorView& view, const ShardCard& card, const ShardCell& cell) {
  const RankPart& part = view.shown(card.ranks);
  std::vector<int> known;
  for (const int rank : card.ranks) {
    if (view.part(rank)->hasData()) {
      known.push_back(rank);
    }
  }
  const auto text = [](const Shape& at) { return toQString(toText(at)); };
  QStringList lines{QObject::tr("%1, local %2")
                        .arg(ranksLabel(known.empty() ? card.ranks : known),
                             text(coordinates(part.local, cell.flat)))};
  if (part.hasData()) {
    lines[0] += QStringLiteral(" = ") + valueText(view, part, cell.flat);
  }
  if (part.runs.size() == part.local.size()) {
    lines << QObject::tr("global %1").arg(text(globalPlace(part, cell.flat)));
  }
  const RankPart* other = card.unlike < 0 ? nullptr : view.part(card.unlike);
  if (other != nullptr && other->hasData() && other->local == part.local &&
      differsAt(view, part, *other, cell.flat)) {
    lines << QObject::tr("rank %1 has %2").arg(card.unlike).arg(valueText(view, *other, cell.flat));
  }
  if (cell.masked > 0) {
    lines << (cell.masked == 1 ? QObject::tr("masked: another rank owns it")
                               : QObject::tr("partly masked: another rank owns it"));
  }
  if (!card.paddingText.isEmpty()) {
    lines << card.paddingText;
  }
  if (cell.rows * cell.columns > 1) {
    lines << QObject::tr("first of %1 × %2 elements").arg(cell.rows).arg(cell.columns);
  }
  return lines.join(u'\n');
}

}  // namespace shardlens
