#include "ui/bridge/cache_check.h"

#include "core/view/words/cache_lookup.h"
#include "ui/bridge/recording_task.h"
#include "ui/text/format.h"

namespace shardlens {
namespace {

const QString kRecording = QStringLiteral("verified.shardlens");

// Returns an empty string if the hit was verified, else the reason.
std::string failureReason(const Journal& journal, EventId hit) {
  const bool isThere = hit <= journal.size() && journal.at(hit).kind == EventKind::CacheLookup;
  if (isThere && view::cacheLookupAt(journal, hit).verified) return {};
  if (const EventId error = journal.firstError(); error != 0) {
    return std::string(journal.name(journal.at(error)));
  }
  return "the program took another path when it was run again";
}

}  // namespace

CacheCheck::CacheCheck(QObject* parent) : QObject(parent) {
  connect(&command_, &EngineCommand::finished, this, &CacheCheck::read);
  connect(&command_, &EngineCommand::failed, this, [this](QString message) {
    Q_EMIT checked(hit_, false, message.replace(folder_.filePath(name_), name_));
  });
}

void CacheCheck::start(const std::string& program, const QString& name, EventId hit) {
  cancel();
  name_ = name;
  hit_ = hit;
  const auto file = folder_.write(name, program);
  if (!file) {
    return Q_EMIT checked(hit_, false, toQString(file.error().message));
  }
  command_.start(
      {QStringLiteral("run"), QStringLiteral("--verify-caches"), QStringLiteral("--record"),
       folder_.filePath(kRecording), QStringLiteral("--values"), QStringLiteral("none"), *file},
      EngineCommand::Output::Discarded);
}

void CacheCheck::cancel() {
  reading_.reset();
  command_.cancel();
}

void CacheCheck::read() {
  const auto why = std::make_shared<std::string>();
  reading_ = withRecording(QStringList(folder_.filePath(kRecording)),
                           [why, hit = hit_](const Journal& journal, const Progress& /*progress*/) {
                             *why = failureReason(journal, hit);
                             return Result<void>();
                           });
  connect(reading_.get(), &BackgroundTask::finished, this, [this, why] {
    reading_.release()->deleteLater();
    Q_EMIT checked(hit_, why->empty(), toQString(*why));
  });
  connect(reading_.get(), &BackgroundTask::failed, this, [this](const QString& message) {
    reading_.release()->deleteLater();
    Q_EMIT checked(hit_, false, message);
  });
}

}  // namespace shardlens
