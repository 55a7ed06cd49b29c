#include "ui/bridge/document_host.h"

#include <utility>

namespace shardlens {

DocumentHost::DocumentHost(QObject* parent) : QObject(parent) {}

DocumentHost::~DocumentHost() = default;

bool DocumentHost::open(const QStringList& paths, std::optional<EventId> position, Earlier earlier,
                        const Document::Steps& steps) {
  const bool opens = start(paths, position, nullptr, steps);
  keeps_ = earlier;
  return opens;
}

void DocumentHost::follow(std::unique_ptr<FollowClient> client) {
  const QString folder = client->folder();
  start({folder}, std::nullopt, std::move(client), std::vector<RankRange>());
}

bool DocumentHost::start(const QStringList& paths, std::optional<EventId> position,
                         std::unique_ptr<FollowClient> following, const Document::Steps& steps) {
  cancelOpening();
  auto opened = Document::open(paths, steps);
  if (!opened) {
    if (following) {
      following.release()->deleteLater();  // the client may be the sender of the current signal
    }
    Q_EMIT refused(QString::fromStdString(opened.error().message));
    return false;
  }
  openAt_ = position;
  keeps_ = Earlier::Forgotten;
  openingFollowed_ = std::move(following);
  setOpening(std::move(*opened));
  connect(opening_.get(), &Document::stateChanged, this, &DocumentHost::openingMoved);
  connect(opening_.get(), &Document::failed, this, &DocumentHost::openingFailed);
  connect(opening_.get(), &Document::openingProgressed, this, &DocumentHost::openingProgressed);
  connect(opening_.get(), &Document::openingSummarized, this, &DocumentHost::openingSummarized);
  return true;
}

void DocumentHost::cancelOpening() {
  const bool wasOpening = opening_ != nullptr;
  setOpening(nullptr);
  openingFollowed_.reset();
  if (wasOpening) {
    Q_EMIT openingCancelled();
  }
}

void DocumentHost::setOpening(std::unique_ptr<Document> document) {
  if (opening_ == document) {
    return;
  }
  opening_ = std::move(document);
  Q_EMIT openingChanged();
}

void DocumentHost::openingMoved() {
  const EngineClient* engine = opening_->engine();
  const bool isGone = engine != nullptr && engine->state() == EngineClient::State::Gone;
  if (opening_->isOpening() || isGone) {
    return;
  }
  auto accepted = std::exchange(opening_, nullptr);
  accepted->disconnect(this);
  Q_EMIT openingChanged();
  present(std::move(accepted), openAt_, std::move(openingFollowed_));
}

void DocumentHost::openingFailed(const QString& message) {
  opening_->disconnect(this);
  opening_.release()->deleteLater();  // the sender of this signal
  openingFollowed_.reset();
  Q_EMIT openingChanged();
  Q_EMIT refused(message);
}

void DocumentHost::present(std::unique_ptr<Document> document, std::optional<EventId> position,
                           std::unique_ptr<FollowClient> following) {
  auto before = release();
  if (keeps_ == Earlier::Forgotten) {
    before.reset();
  }
  earlier_ = std::move(before);
  following_ = std::move(following);
  document_ = std::move(document);
  connect(document_.get(), &Document::grew, this, &DocumentHost::changed);
  connect(document_.get(), &Document::stateChanged, this, &DocumentHost::changed);
  connect(document_.get(), &Document::failed, this, &DocumentHost::failed);
  connect(document_.get(), &Document::bookmarkRefused, this, &DocumentHost::bookmarkRefused);
  if (following_) {
    connect(following_.get(), &FollowClient::failed, this, &DocumentHost::failed);
  }
  Q_EMIT presented(position);
}

void DocumentHost::close() {
  release();
  following_.reset();
  earlier_.reset();
}

std::unique_ptr<Document> DocumentHost::release() {
  if (!document_) {
    return nullptr;
  }
  document_->disconnect(this);
  Q_EMIT aboutToClose();
  auto before = std::move(document_);
  Q_EMIT closed();
  return before;
}

EngineClient* DocumentHost::runningEngine() const {
  for (const Document* document : {opening_.get(), document_.get()}) {
    if (document != nullptr && document->engine() != nullptr && document->mayGrow()) {
      return document->engine();
    }
  }
  return nullptr;
}

}  // namespace shardlens
