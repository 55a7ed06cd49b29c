#include "ui/models/lookup_words.h"

#include "ui/models/decisions.h"
#include "ui/text/format.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace shardlens {
namespace {

QString plain(const QJsonValue& value) {
  return value.isString() ? value.toString() : value.toVariant().toString();
}

}  // namespace

LookupWords readLookup(const Journal& journal, EventId lookup) {
  const Event& event = journal.at(lookup);
  const auto detail = journal.detail(event);
  const QJsonObject json =
      QJsonDocument::fromJson(QByteArray(detail.data(), static_cast<qsizetype>(detail.size())))
          .object();
  LookupWords words;
  words.event = lookup;
  words.table = toQString(journal.name(event));
  words.key = plain(json[QStringLiteral("key")]);
  words.hit = event.verdict == Verdict::Hit;
  words.off = event.verdict == Verdict::Off;
  words.earlierUses = event.count;
  words.age = json[QStringLiteral("age")].toInt();
  words.nearest = plain(json[QStringLiteral("nearest")]);
  for (const QJsonValue& value : json[QStringLiteral("differs")].toArray()) {
    const QJsonArray fields = value.toArray();
    words.differs.push_back({plain(fields[0]), plain(fields[1]), plain(fields[2])});
  }
  return words;
}

std::optional<LookupWords> newestLookup(const Journal& journal, const Snapshot& snapshot) {
  for (EventId id = snapshot.position; id > 0; --id) {
    if (journal.at(id).kind != EventKind::CacheLookup) {
      continue;
    }
    LookupWords words = readLookup(journal, id);
    const EventId call = currentCall(journal, snapshot.position);
    words.isCurrent = call != 0 && currentCall(journal, id) == call;
    return words;
  }
  return std::nullopt;
}

}  // namespace shardlens
