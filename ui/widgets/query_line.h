#pragma once

#include "core/query/completer.h"
#include "core/query/query.h"

#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>

class QCompleter;
class QLabel;
class QLineEdit;
class QStandardItemModel;

namespace shardlens {

// A line in which a query is written. It offers the fields, and the values that the journal has for
// them, to go on with; what cannot be understood is underlined, and beneath stands why.
class QueryLine final : public QWidget {
  Q_OBJECT

 public:
  QueryLine(const QString& name, const QString& accessibleName);

  // The journal must live until another is set.
  void setJournal(const Journal& journal);
  QString text() const;
  void setText(const QString& text);
  // Offers what may come next, where the cursor is.
  void offer();
  // None where it cannot be understood.
  const std::optional<Query>& query() const { return query_; }
  QString mistake() const;  // as it is said; empty: none
  QLineEdit& edit() const;

 Q_SIGNALS:
  void queryChanged();

 private:
  class Edit;

  void read();
  void sayMistake();
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
  QTimer look_;  // on, while the journal is looked through for values
};

}  // namespace shardlens
