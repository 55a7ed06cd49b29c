#pragma once

#include "ui/bridge/document.h"
#include "ui/bridge/follow_client.h"

#include <QObject>
#include <memory>
#include <optional>

namespace shardlens {

// What the window has open, and what is to take its place once it has been read, or its engine has
// accepted it. What cannot be opened closes nothing.
class DocumentHost final : public QObject {
  Q_OBJECT

 public:
  explicit DocumentHost(QObject* parent = nullptr);
  ~DocumentHost() override;

  // Whether what is open is still there when another document takes its place.
  enum class Earlier { Forgotten, Kept };
  // What is opened as one document. False, after refused(), when it cannot be read; else it is
  // opening.
  bool open(const QStringList& paths, std::optional<EventId> position,
            Earlier earlier = Earlier::Forgotten);
  // Opens the folder that the client fills.
  void follow(std::unique_ptr<FollowClient> client);
  void giveUpOpening();
  void close();

  Document* document() const { return document_.get(); }        // null: nothing is open
  Document* opening() const { return opening_.get(); }          // null: nothing is
  Document* earlier() const { return earlier_.get(); }          // null: none was kept
  FollowClient* following() const { return following_.get(); }  // null: nobody fills the document
  // That of what is opening, else of what is open, while it goes on.
  EngineClient* runningEngine() const;

 Q_SIGNALS:
  void refused(const QString& message);
  void openingChanged();
  void openingProgressed(int percent);
  void presented(std::optional<shardlens::EventId> position);  // as open() had it
  void changed();                                              // the document has grown or ended
  void failed(const QString& message);                         // it has ended early
  void bookmarkRefused(const QString& message);
  void aboutToClose();  // it is still there, for those who keep something of its journal
  void closed();

 private:
  bool start(const QStringList& paths, std::optional<EventId> position,
             std::unique_ptr<FollowClient> following);
  std::unique_ptr<Document> letGo();
  void setOpening(std::unique_ptr<Document> document);
  void openingMoved();
  void openingFailed(const QString& message);
  void present(std::unique_ptr<Document> document, std::optional<EventId> position,
               std::unique_ptr<FollowClient> following);

  std::unique_ptr<Document> earlier_;
  Earlier keeps_ = Earlier::Forgotten;             // when what is opening is presented
  std::unique_ptr<FollowClient> openingFollowed_;  // what is opening is in its folder
  std::unique_ptr<FollowClient> following_;        // the document is
  std::unique_ptr<Document> document_;
  std::unique_ptr<Document> opening_;
  std::optional<EventId> openAt_;
};

}  // namespace shardlens
