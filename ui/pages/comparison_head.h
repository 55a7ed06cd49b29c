#pragma once

#include "core/model/tolerance.h"

#include <QWidget>
#include <optional>

class QBoxLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace shardlens {

// The head of a comparison: the names of the recordings, progress or result, the tolerance, and
// buttons. In a narrow window the buttons are below the text.
class ComparisonHead final : public QWidget {
  Q_OBJECT

 public:
  explicit ComparisonHead(QWidget* parent = nullptr);

  void setTitle(const QString& text);
  void setSummary(const QString& text, bool isBusy);  // busy: with a progress bar
  void setCompared(bool isCompared);                  // enables the button of the second window
  QString summary() const;
  // Returns the tolerance for values; nullopt: that of each dtype.
  std::optional<Tolerance> tolerance() const;

 Q_SIGNALS:
  void toleranceChosen();
  void previousRequested();  // the previous difference
  void nextRequested();
  void windowRequested();  // a window with B
  void closeRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QPushButton* addButton(const char* name, const QString& text, const QString& accessible);

  QBoxLayout* parts_;
  QBoxLayout* buttons_;
  QLabel* title_;
  QLabel* summary_;
  QLineEdit* tolerance_;
  QProgressBar* busy_;
  QPushButton* open_;
};

}  // namespace shardlens
