#include "ui/bridge/document.h"

#include <QFile>
#include <QFileInfo>

namespace shardlens {
namespace {

bool isRecording(QFile& file) {
  return file.fileName().endsWith(QStringLiteral(".shardlens")) ||
         file.peek(15) == QByteArray("SQLite format 3");
}

}  // namespace

const Journal& emptyJournal() {
  static const Journal journal;
  return journal;
}

Result<std::unique_ptr<Document>> Document::open(const QString& path) {
  QFile file(path);
  const QString shown = QFileInfo(path).fileName();
  if (!QFileInfo::exists(path)) {
    return fail(tr("%1: there is no such file").arg(path).toStdString());
  }
  if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly)) {
    return fail(tr("%1: cannot be read").arg(path).toStdString());
  }
  std::unique_ptr<Document> document(new Document(QFileInfo(path).absoluteFilePath()));
  if (isRecording(file)) {
    auto reader = TraceReader::open(document->path_.toStdString());
    if (!reader) {
      return tl::unexpected(reader.error());
    }
    document->reader_ = std::move(*reader);
    return document;
  }
  document->engine_ = std::make_unique<EngineClient>();
  EngineClient& engine = *document->engine_;
  connect(&engine, &EngineClient::grew, document.get(), &Document::grew);
  connect(&engine, &EngineClient::stateChanged, document.get(), &Document::stateChanged);
  connect(&engine, &EngineClient::failed, document.get(), &Document::failed);
  connect(&engine, &EngineClient::silent, document.get(), &Document::silent);
  engine.start(document->path_);
  return document;
}

const Journal& Document::journal() const {
  if (reader_) {
    return reader_->journal();
  }
  return engine_ && engine_->journal() != nullptr ? *engine_->journal() : emptyJournal();
}

QString Document::title() const {
  const auto title = journal().meta("title");
  return title.empty() ? QFileInfo(path_).fileName()
                       : QString::fromUtf8(title.data(), static_cast<qsizetype>(title.size()));
}

void Document::runTo(EventId position) {
  if (engine_) {
    engine_->runTo(position);
  }
}

}  // namespace shardlens
