#pragma once

#include "core/trace/records/check_record.h"
#include "ui/scenes/element_scan.h"
#include "ui/scenes/inspected_elements.h"

#include <QBoxLayout>
#include <QWidget>
#include <optional>

class QLabel;
class QPushButton;

namespace shardlens {

// Figures about the elements of a tensor, with buttons that go to the largest element and to the
// largest difference from the plain result.
class ElementFiguresBox final : public QWidget {
  Q_OBJECT

 public:
  explicit ElementFiguresBox(QWidget* parent = nullptr);

  // Shows `text`, or nothing if it is empty, and the button for the largest element if the scan is
  // done and found one.
  void setFigures(const QString& text, const InspectedElements& elements, const ElementScan& scan);
  // Shows the result of the comparison with a plain run of the program; nullopt: not compared, and
  // no button.
  void setCheck(const std::optional<CheckRecord>& check);
  // Places the buttons beside or below the text; TopToBottom at first.
  void setDirection(QBoxLayout::Direction direction);

 Q_SIGNALS:
  void elementRequested(const shardlens::Shape& local);      // index in the shown shard
  void differenceRequested(const shardlens::Shape& global);  // index in the whole tensor

 private:
  QBoxLayout* parts_;
  QLabel* figures_;
  QPushButton* largest_;
  QPushButton* check_;
  Shape largestAt_;
  Shape checkAt_;
};

}  // namespace shardlens
