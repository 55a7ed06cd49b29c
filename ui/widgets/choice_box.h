#pragma once

#include <QComboBox>

namespace shardlens {

class ChoiceModel;

// A box to choose one thing in, of which there may be millions: it asks for those that are seen. It
// is as wide as so many letters.
class ChoiceBox final : public QComboBox {
  Q_OBJECT

 public:
  ChoiceBox(ChoiceModel& model, const QString& accessibleName, int letters);

  void showPopup() override;
};

}  // namespace shardlens
