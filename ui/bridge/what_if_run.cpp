#include "ui/bridge/what_if_run.h"

#include "core/base/json_text.h"

#include <QFile>

namespace shardlens {

WhatIfRun::WhatIfRun(QObject* parent) : QObject(parent) {
  connect(&command_, &EngineCommand::errorLine, this, &WhatIfRun::readProgress);
  connect(&command_, &EngineCommand::finished, this, &WhatIfRun::read);
  connect(&command_, &EngineCommand::failed, this, [this](QString message) {
    Q_EMIT failed(message.replace(folder_.filePath(name_), name_));
  });
}

void WhatIfRun::start(const std::string& program, const QString& name, const QString& tensor) {
  cancel();
  name_ = name;
  const auto file = folder_.write(name, program);
  if (!file) {
    return Q_EMIT failed(QString::fromStdString(file.error().message));
  }
  command_.start({QStringLiteral("what-if"), QStringLiteral("--json"), QStringLiteral("--progress"),
                  QStringLiteral("--"), *file, tensor},
                 EngineCommand::Output::Captured);
}

// Parses "3 of 16". Other lines are ignored.
void WhatIfRun::readProgress(const QString& line) {
  const QStringList parts = line.split(QStringLiteral(" of "));
  if (parts.size() == 2) {
    Q_EMIT progressed(parts[0].toInt(), parts[1].toInt());
  }
}

void WhatIfRun::read(const QByteArray& output) {
  std::vector<view::PlacementCost> ranked;
  for (const QByteArray& line : output.split('\n')) {
    const auto json = parsedJson<nlohmann::ordered_json>(line.toStdString());
    if (auto cost = view::placementCostOf(json)) {
      ranked.push_back(std::move(*cost));
    }
  }
  Q_EMIT finished(ranked);
}

}  // namespace shardlens
