#include "app/parquet/table_files.h"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <fmt/core.h>
#include <parquet/arrow/writer.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace shardlens {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kRowsPerGroup = 64 * 1024;
constexpr std::int64_t kRowsPerFile = 64 * kRowsPerGroup;

std::shared_ptr<arrow::DataType> arrowType(SqlType type) {
  switch (type) {
    case SqlType::RowNumber:
    case SqlType::Integer:
      return arrow::int64();
    case SqlType::Real:
      return arrow::float64();
    case SqlType::Text:
    case SqlType::HiddenText:
      break;
  }
  return arrow::utf8();
}

struct AppendCell {
  arrow::Status operator()(std::monostate /*null*/) const { return into.AppendNull(); }
  arrow::Status operator()(std::int64_t number) const {
    return static_cast<arrow::Int64Builder&>(into).Append(number);
  }
  arrow::Status operator()(double number) const {
    return static_cast<arrow::DoubleBuilder&>(into).Append(number);
  }
  arrow::Status operator()(std::string_view text) const {
    return static_cast<arrow::StringBuilder&>(into).Append(text);
  }
  arrow::Status operator()(const std::string& text) const {
    return (*this)(std::string_view(text));
  }

  arrow::ArrayBuilder& into;
};

// The files of one partition of a table. Rows are collected, and written as a row group.
class PartitionFiles {
 public:
  // `columns` are indexes into the columns of the table.
  PartitionFiles(fs::path folder, const SqlTable& table, std::vector<std::size_t> columns)
      : folder_(std::move(folder)), columns_(std::move(columns)) {
    arrow::FieldVector fields;
    for (const std::size_t column : columns_) {
      const SqlColumn& each = table.columns[column];
      fields.push_back(arrow::field(each.name, arrowType(each.type)));
    }
    schema_ = arrow::schema(std::move(fields));
  }

  arrow::Status append(const SqlRows& rows) {
    if (!batch_) {
      ARROW_ASSIGN_OR_RAISE(batch_, arrow::RecordBatchBuilder::Make(
                                        schema_, arrow::default_memory_pool(), kRowsPerGroup));
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      ARROW_RETURN_NOT_OK(
          std::visit(AppendCell{*batch_->GetField(static_cast<int>(i))}, rows.cell(columns_[i])));
    }
    return ++collected_ < kRowsPerGroup ? arrow::Status::OK() : flush();
  }

  // Writes the last rows and closes the file; writes an empty file if there was no row.
  arrow::Status close() {
    if (collected_ > 0) ARROW_RETURN_NOT_OK(flush());
    if (!writer_ && number_ == 0) ARROW_RETURN_NOT_OK(open());
    return closeFile();
  }

 private:
  arrow::Status open() {
    std::error_code failed;
    fs::create_directories(folder_, failed);
    const auto path = folder_ / fmt::format("part-{:04}.parquet", number_++);
    ARROW_ASSIGN_OR_RAISE(file_, arrow::io::FileOutputStream::Open(path.string()));
    auto properties = parquet::WriterProperties::Builder()
                          .compression(parquet::Compression::ZSTD)
                          ->max_row_group_length(kRowsPerGroup)
                          ->build();
    ARROW_ASSIGN_OR_RAISE(
        writer_, parquet::arrow::FileWriter::Open(*schema_, arrow::default_memory_pool(), file_,
                                                  std::move(properties)));
    return arrow::Status::OK();
  }

  arrow::Status flush() {
    if (!writer_) ARROW_RETURN_NOT_OK(open());
    ARROW_ASSIGN_OR_RAISE(const auto batch, batch_->Flush());
    ARROW_ASSIGN_OR_RAISE(const auto rows, arrow::Table::FromRecordBatches({batch}));
    ARROW_RETURN_NOT_OK(writer_->WriteTable(*rows, kRowsPerGroup));
    written_ += std::exchange(collected_, 0);
    return written_ < kRowsPerFile ? arrow::Status::OK() : closeFile();
  }

  arrow::Status closeFile() {
    if (!writer_) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(writer_->Close());
    writer_.reset();
    written_ = 0;
    return file_->Close();
  }

  fs::path folder_;
  std::vector<std::size_t> columns_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<arrow::RecordBatchBuilder> batch_;
  std::int64_t collected_ = 0;  // rows in `batch_`
  std::int64_t written_ = 0;    // rows in the open file
  int number_ = 0;              // of the next file
  std::shared_ptr<arrow::io::FileOutputStream> file_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
};

// The files of a table, by the values of its partition column. Without one, all are in the
// partition "".
class Partitions {
 public:
  Partitions(fs::path folder, const SqlTable& table) : folder_(std::move(folder)), table_(table) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (table.name == "events" && table.columns[i].name == "kind") {
        by_ = i;
      } else {
        columns_.push_back(i);
      }
    }
  }

  arrow::Status append(const SqlRows& rows) {
    if (!by_) return of({}).append(rows);
    return of(std::get<std::string_view>(rows.cell(*by_))).append(rows);
  }

  arrow::Status close() {
    if (all_.empty()) of(by_ ? "none" : "");
    for (auto& [name, files] : all_) ARROW_RETURN_NOT_OK(files.close());
    return arrow::Status::OK();
  }

 private:
  PartitionFiles& of(std::string_view value) {
    const auto known = all_.find(value);
    if (known != all_.end()) return known->second;
    auto folder = folder_ / table_.name;
    if (by_) folder /= fmt::format("{}={}", table_.columns[*by_].name, value);
    return all_.try_emplace(std::string(value), std::move(folder), table_, columns_).first->second;
  }

  fs::path folder_;
  const SqlTable& table_;
  std::optional<std::size_t> by_;     // the partition column
  std::vector<std::size_t> columns_;  // the remaining columns
  std::map<std::string, PartitionFiles, std::less<>> all_;
};

arrow::Status writeRows(Partitions& files, SqlRows& rows) {
  const std::int64_t size = rows.size();
  for (std::int64_t row = 1; row <= size; ++row) {
    rows.read(row);
    ARROW_RETURN_NOT_OK(files.append(rows));
  }
  return files.close();
}

}  // namespace

Result<std::int64_t> writeTableFiles(const fs::path& folder, const SqlTable& table,
                                     const SqlSource& source) {
  const auto rows = table.open(source);
  Partitions files(folder, table);
  const arrow::Status written = writeRows(files, *rows);
  if (written.ok()) return rows->size();
  return fail((folder / table.name).string() + ": " + written.message());
}

}  // namespace shardlens
