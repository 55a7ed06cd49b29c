#include "ui/pages/export_dialog.h"

#include "core/exports/csv.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

namespace shardlens {
namespace {

constexpr int kWhole = -1;  // instead of a step: the whole run

QString words(std::string_view text) {
  return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

QComboBox* choice(const char* name, const QString& called) {
  auto* box = new QComboBox;
  box->setObjectName(QLatin1String(name));
  box->setAccessibleName(called);
  return box;
}

bool isOfPosition(const QString& table) {
  const auto all = csvTables();
  return std::any_of(all.begin(), all.end(), [&](const CsvTable& one) {
    return words(one.name) == table && one.isOfPosition;
  });
}

QString withoutEnding(QString name) {
  for (const ExportFormat& format : exportFormats()) {
    if (name.endsWith(words(format.ending))) {
      name.chop(words(format.ending).size());
      break;
    }
  }
  return name;
}

// Returns "run.json", or the first of "run-2.json", "run-3.json"... that does not exist.
QString freePath(const QString& name, const QString& ending) {
  QString path = name + ending;
  for (int number = 2; QFileInfo::exists(path); ++number) {
    path = QStringLiteral("%1-%2%3").arg(name).arg(number).arg(ending);
  }
  return path;
}

}  // namespace

ExportDialog::ExportDialog(ExportSubject subject, QWidget* parent)
    : QDialog(parent),
      subject_(std::move(subject)),
      formats_(new QListWidget),
      form_(new QFormLayout),
      tables_(choice("exportTable", tr("Table to export"))),
      panels_(choice("exportPanel", tr("Panel to draw"))),
      steps_(choice("exportStep", tr("Part of the run to export"))),
      path_(new QLineEdit),
      status_(new QLabel),
      export_(new QPushButton(tr("Export"))) {
  setObjectName(QStringLiteral("exportDialog"));
  setWindowTitle(tr("Export"));
  formats_->setObjectName(QStringLiteral("exportFormats"));
  formats_->setAccessibleName(tr("Formats"));
  formats_->setFont(zoomed(textFont(12)));
  formats_->setSpacing(2);
  formats_->setProperty("offers", true);
  for (const ExportFormat& format : exportFormats()) {
    auto* item =
        new QListWidgetItem(QStringLiteral("%1  %2\n%3")
                                .arg(words(format.name), words(format.ending), words(format.what)),
                            formats_);
    item->setToolTip(words(format.what));
  }
  for (const CsvTable& table : csvTables()) {
    tables_->addItem(QStringLiteral("%1: %2").arg(words(table.name), words(table.what)),
                     words(table.name));
  }
  panels_->addItem(tr("The whole window"), QString());
  for (const auto& [name, title] : subject_.panels) {
    panels_->addItem(title, name);
  }
  path_->setObjectName(QStringLiteral("exportPath"));
  path_->setAccessibleName(tr("File to save"));
  status_->setObjectName(QStringLiteral("exportStatus"));
  status_->setTextFormat(Qt::PlainText);
  status_->setFont(zoomed(textFont(12)));
  status_->setForegroundRole(kMutedRole);
  status_->setWordWrap(true);
  auto* browse = new QPushButton(tr("Browse…"));
  browse->setObjectName(QStringLiteral("exportBrowse"));
  browse->setAccessibleName(tr("Choose the file to save"));
  browse->setAutoDefault(false);
  export_->setObjectName(QStringLiteral("exportStart"));
  export_->setAccessibleName(tr("Export in this format"));
  export_->setProperty("primary", true);
  export_->setDefault(true);
  auto* cancel = new QPushButton(tr("Cancel"));
  cancel->setObjectName(QStringLiteral("exportCancel"));
  cancel->setAccessibleName(tr("Close without exporting"));
  cancel->setAutoDefault(false);

  auto* file = new QHBoxLayout;
  file->setSpacing(8);
  file->addWidget(path_, 1);
  file->addWidget(browse);
  form_->setSpacing(10);
  form_->addRow(tr("Table"), tables_);
  form_->addRow(tr("Picture of"), panels_);
  form_->addRow(tr("Range"), steps_);
  form_->addRow(tr("File"), file);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(status_, 1);
  buttons->addWidget(cancel);
  buttons->addWidget(export_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 18, 20, 16);
  column->setSpacing(14);
  column->addWidget(formats_, 1);
  column->addLayout(form_);
  column->addLayout(buttons);
  resize(600, 620);

  connect(formats_, &QListWidget::currentRowChanged, this, &ExportDialog::showFormat);
  connect(tables_, &QComboBox::currentIndexChanged, this, &ExportDialog::showTable);
  connect(steps_, &QComboBox::currentIndexChanged, this, &ExportDialog::showFile);
  connect(panels_, &QComboBox::currentIndexChanged, this, &ExportDialog::showFile);
  connect(path_, &QLineEdit::textChanged, this, &ExportDialog::showFile);
  connect(browse, &QPushButton::clicked, this, &ExportDialog::browse);
  connect(export_, &QPushButton::clicked, this, &ExportDialog::accept);
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  formats_->setCurrentRow(0);
}

void ExportDialog::choosePanel(const QString& panel) {
  const auto formats = exportFormats();
  const auto picture = std::find_if(formats.begin(), formats.end(),
                                    [](const ExportFormat& one) { return one.write == nullptr; });
  formats_->setCurrentRow(static_cast<int>(picture - formats.begin()));
  panels_->setCurrentIndex(panels_->findData(panel));
}

const ExportFormat& ExportDialog::format() const {
  return exportFormats()[static_cast<std::size_t>(std::max(0, formats_->currentRow()))];
}

QString ExportDialog::table() const { return tables_->currentData().toString(); }

// Hides the rows that the format does not use. Keeps a typed name and changes only its extension.
// Proposes a name that does not exist, because the program may be saved beside its recording.
void ExportDialog::showFormat() {
  const bool isPicture = format().write == nullptr;
  form_->setRowVisible(tables_, format().name == "csv");
  form_->setRowVisible(panels_, isPicture);
  form_->setRowVisible(steps_, !isPicture);
  if (path_->isModified()) {
    typed_ = withoutEnding(path_->text());
  }
  const QString ending = words(format().ending);
  path_->setText(typed_.isEmpty() ? freePath(subject_.path, ending) : typed_ + ending);
  showTable();
}

void ExportDialog::showTable() {
  const bool isWhole = format().name == "csv" && !isOfPosition(table());
  const bool mayBeWhole = format().steps != ExportSteps::One;
  const bool mayBeStep = format().steps != ExportSteps::All && !isWhole && subject_.step >= 0;
  steps_->clear();
  if (mayBeStep) {
    steps_->addItem(tr("Current step (step %1 of the program)").arg(subject_.step + 1),
                    subject_.step);
  }
  if (mayBeWhole) {
    steps_->addItem(tr("The whole run"), kWhole);
    steps_->setCurrentIndex(steps_->count() - 1);
  }
  showFile();
}

void ExportDialog::showFile() {
  const QFileInfo file(path_->text());
  const bool isPicture = format().write == nullptr;
  const QString ending = words(format().ending);
  QString wrong;
  if (!isPicture && steps_->count() == 0) {
    wrong = tr("This format exports one step. Go to a step first.");
  } else if (path_->text().isEmpty() || file.isDir()) {
    wrong = tr("Enter a file name.");
  } else if (!file.absoluteDir().exists()) {
    wrong = tr("Folder %1 does not exist.").arg(file.absolutePath());
  } else if (isPicture && !path_->text().endsWith(ending)) {
    wrong = tr("Expected a file name that ends with %1.").arg(ending);
  }
  export_->setEnabled(wrong.isEmpty());
  status_->setText(!wrong.isEmpty() ? wrong
                   : file.exists()  ? tr("%1 exists and will be replaced.").arg(file.fileName())
                                    : QString());
}

void ExportDialog::browse() {
  const QString path = QFileDialog::getSaveFileName(this, tr("Export"), path_->text(), {}, nullptr,
                                                    QFileDialog::DontConfirmOverwrite);
  if (!path.isEmpty()) {
    path_->setText(path);
    path_->setModified(true);
  }
}

void ExportDialog::accept() {
  ExportChoice choice{&format(),
                      {},
                      panels_->currentData().toString(),
                      QFileInfo(path_->text()).absoluteFilePath()};
  if (const int step = steps_->currentData().toInt(); steps_->count() > 0 && step != kWhole) {
    choice.part.step = step;
  }
  if (format().name == "csv") {
    choice.part.table = table().toStdString();
  }
  QDialog::accept();
  Q_EMIT chosen(choice);
}

}  // namespace shardlens
