#include "ui/bridge/document_host.h"

#include <utility>

namespace shardlens {

DocumentHost::DocumentHost(QObject* parent) : QObject(parent) {}

DocumentHost::~DocumentHost() = default;

bool DocumentHost::open(const QString& path, std::optional<EventId> position) {
  giveUpOpening();
  auto opened = Document::open(path);
  if (!opened) {
    Q_EMIT refused(QString::fromStdString(opened.error().message));
    return false;
  }
  if ((*opened)->engine() == nullptr) {
    present(std::move(*opened), position);
    return true;
  }
  openAt_ = position;
  setOpening(std::move(*opened));
  connect(opening_.get(), &Document::stateChanged, this, &DocumentHost::openingMoved);
  connect(opening_.get(), &Document::failed, this, &DocumentHost::openingFailed);
  return true;
}

void DocumentHost::setOpening(std::unique_ptr<Document> document) {
  if (opening_ == document) {
    return;
  }
  opening_ = std::move(document);
  Q_EMIT openingChanged();
}

void DocumentHost::openingMoved() {
  const auto state = opening_->engine()->state();
  if (state == EngineClient::State::Starting || state == EngineClient::State::Gone) {
    return;
  }
  auto accepted = std::exchange(opening_, nullptr);
  accepted->disconnect(this);
  Q_EMIT openingChanged();
  present(std::move(accepted), openAt_);
}

void DocumentHost::openingFailed(const QString& message) {
  opening_->disconnect(this);
  opening_.release()->deleteLater();  // it is the one who says so
  Q_EMIT openingChanged();
  Q_EMIT refused(message);
}

void DocumentHost::follow(std::unique_ptr<FollowClient> client) {
  auto opened = Document::open(client->folder());
  if (!opened) {
    client.release()->deleteLater();  // it is the one who called
    Q_EMIT refused(QString::fromStdString(opened.error().message));
    return;
  }
  giveUpOpening();
  present(std::move(*opened), std::nullopt, std::move(client));
}

void DocumentHost::present(std::unique_ptr<Document> document, std::optional<EventId> position,
                           std::unique_ptr<FollowClient> following) {
  close();
  following_ = std::move(following);
  document_ = std::move(document);
  connect(document_.get(), &Document::grew, this, &DocumentHost::changed);
  connect(document_.get(), &Document::stateChanged, this, &DocumentHost::changed);
  connect(document_.get(), &Document::failed, this, &DocumentHost::failed);
  if (following_) {
    connect(following_.get(), &FollowClient::failed, this, &DocumentHost::failed);
  }
  Q_EMIT presented(position);
}

void DocumentHost::close() {
  if (document_) {
    document_->disconnect(this);
    Q_EMIT aboutToClose();
    document_.reset();
    Q_EMIT closed();
  }
  following_.reset();
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
