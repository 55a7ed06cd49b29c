#pragma once

#include <QWidget>

class QLabel;

namespace shardlens {

// A few sentences on a quiet ground that says whether they are good news, bad news or old news.
class NoteBox final : public QWidget {
  Q_OBJECT

 public:
  enum class Kind { Good, Warning, Problem, Past };

  explicit NoteBox(const QString& name, QWidget* parent = nullptr);
  void setText(Kind kind, const QString& richText);
  QString text() const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QLabel* label_;
  Kind kind_ = Kind::Good;
};

}  // namespace shardlens
