#include "ui/pages/follow_dialog.h"

#include "ui/bridge/follow_client.h"
#include "ui/widgets/paint.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace shardlens {
namespace {

QLineEdit* field(const char* name, const QString& called, const QString& example) {
  auto* edit = new QLineEdit;
  edit->setObjectName(QLatin1String(name));
  edit->setAccessibleName(called);
  edit->setPlaceholderText(example);
  return edit;
}

QLabel* noteLabel(const QString& text) {
  auto* label = new QLabel(text);
  label->setTextFormat(Qt::PlainText);  // may contain text from a server
  label->setFont(zoomed(textFont(12)));
  label->setForegroundRole(kMutedRole);
  label->setWordWrap(true);
  return label;
}

}  // namespace

FollowDialog::FollowDialog(QWidget* parent)
    : QDialog(parent),
      where_(
          field("followWhere", tr("Host and port of the run"), QStringLiteral("127.0.0.1:7070"))),
      token_(field("followToken", tr("Token"), tr("as printed by serve"))),
      status_(noteLabel({})),
      start_(new QPushButton(tr("Follow"))) {
  setObjectName(QStringLiteral("followDialog"));
  setWindowTitle(tr("Follow run"));
  setMinimumWidth(zoomed(460));
  token_->setEchoMode(QLineEdit::Password);
  status_->setObjectName(QStringLiteral("followStatus"));
  start_->setObjectName(QStringLiteral("followStart"));
  start_->setAccessibleName(tr("Follow the run"));
  start_->setProperty("primary", true);
  start_->setDefault(true);
  auto* cancel = new QPushButton(tr("Cancel"));
  cancel->setObjectName(QStringLiteral("followCancel"));
  cancel->setAccessibleName(tr("Close without following a run"));

  auto* form = new QFormLayout;
  form->setSpacing(10);
  form->addRow(tr("Host and port"), where_);
  form->addRow(tr("Token"), token_);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(status_, 1);
  buttons->addWidget(cancel);
  buttons->addWidget(start_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 18, 20, 16);
  column->setSpacing(14);
  column->addWidget(
      noteLabel(tr("On the run's host, `shardlens serve DIR` prints the port and the token. "
                   "Connect through a tunnel: ssh -N -L 7070:127.0.0.1:PORT HOST")));
  column->addLayout(form);
  column->addLayout(buttons);
  connect(start_, &QPushButton::clicked, this, &FollowDialog::start);
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
}

void FollowDialog::start() {
  start_->setEnabled(false);
  status_->setText(tr("Waiting for the first recording…"));
  auto* client = new FollowClient(this);
  connect(client, &FollowClient::failed, this, [this, client](const QString& message) {
    showProblem(message);
    client->deleteLater();
  });
  connect(client, &FollowClient::ended, this, [this, client] {
    showProblem(tr("The run has ended without a recording."));
    client->deleteLater();
  });
  connect(client, &FollowClient::arrived, this, [this, client] {
    client->disconnect(this);
    client->setParent(nullptr);
    Q_EMIT followed(client);
    accept();
  });
  client->start(where_->text().trimmed(), token_->text().trimmed());
}

void FollowDialog::showProblem(const QString& problem) {
  start_->setEnabled(true);
  status_->setText(problem);
}

}  // namespace shardlens
