#pragma once

#include <QWidget>

class QLabel;

namespace shardlens {

// A box with a few sentences on a background that depends on their kind. The text is selectable.
class NoteBox final : public QWidget {
  Q_OBJECT

 public:
  enum class Kind { Good, Warning, Problem, Past };  // Past: no longer current

  explicit NoteBox(const QString& name, QWidget* parent = nullptr);
  void setText(Kind kind, const QString& richText);  // the caller escapes plain text for HTML
  QString text() const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QLabel* label_;
  Kind kind_ = Kind::Good;
};

}  // namespace shardlens
