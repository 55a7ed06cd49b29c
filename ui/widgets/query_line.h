#pragma once

#include "core/query/language/completer.h"
#include "core/query/language/query.h"

#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>

class QCompleter;
class QLabel;
class QLineEdit;
class QStandardItemModel;

namespace shardlens {

// A line edit for a query. It completes fields and the values that the journal has for them. A
// syntax error is underlined, and described below the line.
class QueryLine final : public QWidget {
  Q_OBJECT

 public:
  QueryLine(const QString& name, const QString& accessibleName);

  // Sets the source of completions. The journal must live until another is set.
  void setJournal(const Journal& journal);
  QString text() const;
  void setText(const QString& text);  // emits queryChanged() if the text differs
  // Shows completions at the cursor. Values appear as the journal is searched in slices. Does
  // nothing before setJournal().
  void offer();
  // Returns the query, or nullopt if the text has a syntax error. Empty text gives an empty query.
  const std::optional<Query>& query() const { return query_; }
  // The displayed error message; empty: none, or hidden while completions are shown.
  QString mistake() const;
  QLineEdit& edit() const;

 Q_SIGNALS:
  void queryChanged();  // the text changed; the query may be equal to the previous one

 private:
  tl::expected<Query, QueryMistake> parsed() const;
  class Edit;

  void read();
  void showMistake();
  void showOffers();
  void take(int row);

  Edit* edit_;
  QLabel* mistakeText_;
  QStandardItemModel* offers_;
  QCompleter* popup_;
  std::unique_ptr<Completer> completer_;
  const Journal* journal_ = nullptr;
  std::vector<Completion> offered_;
  std::optional<Query> query_ = Query{};
  QTimer search_;  // active while the journal is searched for values
};

}  // namespace shardlens
