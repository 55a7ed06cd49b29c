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

// What a tensor's elements are like in figures, with ways to the largest of them, and to where they
// differ most from those of the plain tensor.
class ElementFiguresBox final : public QWidget {
  Q_OBJECT

 public:
  explicit ElementFiguresBox(QWidget* parent = nullptr);

  void setFigures(const QString& text, const InspectedElements& elements, const ElementScan& scan);
  // What the comparison with a plain run of the same program said of them, if there was one.
  void setCheck(const std::optional<CheckRecord>& check);
  void setDirection(QBoxLayout::Direction direction);

 Q_SIGNALS:
  void elementWanted(const shardlens::Shape& local);      // of what is shown
  void differenceWanted(const shardlens::Shape& global);  // in the whole tensor

 private:
  QBoxLayout* parts_;
  QLabel* figures_;
  QPushButton* largest_;
  QPushButton* check_;
  Shape largestAt_;
  Shape checkAt_;
};

}  // namespace shardlens
