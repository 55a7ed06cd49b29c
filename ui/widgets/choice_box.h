#pragma once

#include <QComboBox>

namespace shardlens {

class ChoiceModel;

// A combo box for up to millions of items. It reads only the visible ones from the model.
class ChoiceBox final : public QComboBox {
  Q_OBJECT

 public:
  // The box does not own the model, which must outlive it. `letters` is the minimum width of the
  // text in characters.
  ChoiceBox(ChoiceModel& model, const QString& accessibleName, int letters);

  void showPopup() override;
};

}  // namespace shardlens
