#pragma once

#include "ui/bridge/document.h"
#include "ui/bridge/follow_client.h"

#include <QObject>
#include <memory>
#include <optional>

namespace shardlens {

// Owns the window's open document and the one that is being opened. The latter replaces the former
// when it has been read or its engine has accepted it. If opening fails, the open document stays.
class DocumentHost final : public QObject {
  Q_OBJECT

 public:
  explicit DocumentHost(QObject* parent = nullptr);
  ~DocumentHost() override;

  // Whether the replaced document is destroyed or stays available as earlier().
  enum class Earlier { Forgotten, Kept };
  // Starts opening the paths (at least one) as one document. Cancels an opening in progress. Emits
  // refused() and returns false if a path cannot be read; refused() may also follow later, when the
  // content is read. `position` is passed on to presented(). `earlier` states what happens to the
  // document that is replaced. For `steps`, see Document::open().
  bool open(const QStringList& paths, std::optional<EventId> position,
            Earlier earlier = Earlier::Forgotten, const Document::Steps& steps = std::nullopt);
  // Opens the folder that the client copies recordings into. Takes ownership of the client and
  // destroys it with the document, or if the folder cannot be opened (refused()).
  void follow(std::unique_ptr<FollowClient> client);
  void cancelOpening();  // cancels the opening; the open document stays
  void close();          // closes document() and earlier(); an opening continues

  Document* document() const { return document_.get(); }  // null: no document is open
  Document* opening() const { return opening_.get(); }    // null: no document is being opened
  Document* earlier() const { return earlier_.get(); }    // null: no earlier document was kept
  // The client that copies the open document's recordings; null: the document is not followed.
  FollowClient* following() const { return following_.get(); }
  // Returns the engine of the document being opened, or else of the open one, if the engine has not
  // ended. Null if there is none.
  EngineClient* runningEngine() const;

 Q_SIGNALS:
  void refused(const QString& message);  // the opening failed; the open document stays
  void openingChanged();
  void openingCancelled();  // by cancelOpening(), or by an opening that replaced it
  void openingProgressed(int percent);
  void openingSummarized(const shardlens::RunSummary& summary);  // see Document
  // document() is another document from now on. `position` is the argument of open(), or nullopt
  // for follow().
  void presented(std::optional<shardlens::EventId> position);
  void changed();                       // the document has grown, or its state has changed
  void failed(const QString& message);  // the document ended early, or following it failed
  void bookmarkRefused(const QString& message);
  // Both are also emitted when the document is replaced. At aboutToClose(), document() still
  // exists: receivers drop their references to its journal.
  void aboutToClose();
  void closed();

 private:
  bool start(const QStringList& paths, std::optional<EventId> position,
             std::unique_ptr<FollowClient> following, const Document::Steps& steps);
  std::unique_ptr<Document> release();
  void setOpening(std::unique_ptr<Document> document);
  void openingMoved();
  void openingFailed(const QString& message);
  void present(std::unique_ptr<Document> document, std::optional<EventId> position,
               std::unique_ptr<FollowClient> following);

  std::unique_ptr<Document> earlier_;
  Earlier keeps_ = Earlier::Forgotten;             // applies when `opening_` is presented
  std::unique_ptr<FollowClient> openingFollowed_;  // fills the folder of `opening_`
  std::unique_ptr<FollowClient> following_;        // fills the folder of `document_`
  std::unique_ptr<Document> document_;
  std::unique_ptr<Document> opening_;
  std::optional<EventId> openAt_;
};

}  // namespace shardlens
