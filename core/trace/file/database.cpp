#include "core/trace/file/database.h"

#include <sqlite3.h>

#include <limits>

namespace shardlens {

namespace {

int flagsOf(Database::Access access) {
  switch (access) {
    case Database::Access::Create:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    case Database::Access::ReadWrite:
      return SQLITE_OPEN_READWRITE;
    case Database::Access::ReadOnly:
      return SQLITE_OPEN_READONLY;
    case Database::Access::Immutable:
      break;
  }
  return SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
}

std::string immutableUri(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    if (c == '%' || c == '?' || c == '#') {
      constexpr const char* kHex = "0123456789ABCDEF";
      uri += {'%', kHex[c >> 4], kHex[c & 15]};
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

}  // namespace

Database::Database(const std::filesystem::path& path, Access access) {
  // Make the name absolute, because SQLite gives names such as "file:x" or ":memory:" another
  // meaning.
  const std::string name =
      access == Access::Immutable ? immutableUri(path) : std::filesystem::absolute(path).string();
  const int code = sqlite3_open_v2(name.c_str(), &handle_, flagsOf(access) | SQLITE_OPEN_NOMUTEX,
                                   checkedFileSystem());
  if (code != SQLITE_OK) {
    const DatabaseError error(code, handle_ == nullptr ? "out of memory" : sqlite3_errmsg(handle_));
    sqlite3_close(handle_);
    throw error;
  }
  setPatience(kPatience);
  if (access == Access::Create) reserve(kChecksumBytes);
}

Database::~Database() { sqlite3_close(handle_); }

void Database::setPatience(std::chrono::milliseconds patience) {
  sqlite3_busy_timeout(handle_, static_cast<int>(patience.count()));
}

void Database::raise(int code) const {
  if (sqlite3_extended_errcode(handle_) == SQLITE_IOERR_DATA) {
    throw DatabaseError(SQLITE_CORRUPT, "a page does not match its checksum");
  }
  if ((code & 0xff) == SQLITE_CORRUPT)
    throw DatabaseError(SQLITE_CORRUPT, "its pages contradict each other");
  throw DatabaseError(code & 0xff, sqlite3_errmsg(handle_));
}

int Database::reserve(int bytes) {
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
  return bytes;
}

bool Database::hasChecksums() { return reserve(-1) == kChecksumBytes; }

void Database::verifyChecksums(ChecksumRule rule) {
  sqlite3_file_control(handle_, "main", kVerifyChecksums, &rule);
  sqlite3_db_release_memory(handle_);  // what was read before is read again, and verified
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) raise(code);
}

std::int64_t Database::integer(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::filesystem::path Database::path() const { return sqlite3_db_filename(handle_, "main"); }

bool Database::isInPlace() const {
  int moved = 0;
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved == 0;
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  check(sqlite3_prepare_v2(database.handle_, sql.data(), static_cast<int>(sql.size()), &handle_,
                           nullptr));
}

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_.raise(code);
}

Statement& Statement::bind(int parameter, std::int64_t number) {
  check(sqlite3_bind_int64(handle_, parameter, number));
  return *this;
}

Statement& Statement::bind(int parameter, double number) {
  check(sqlite3_bind_double(handle_, parameter, number));
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  // SQLite would bind a null pointer as NULL.
  const char* data = text.data() == nullptr ? "" : text.data();
  check(sqlite3_bind_text64(handle_, parameter, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(int parameter, std::span<const std::byte> blob) {
  if (blob.empty()) {
    check(sqlite3_bind_zeroblob(handle_, parameter, 0));
  } else {
    check(sqlite3_bind_blob64(handle_, parameter, blob.data(), blob.size(), SQLITE_STATIC));
  }
  return *this;
}

Statement& Statement::bindNull(int parameter) {
  check(sqlite3_bind_null(handle_, parameter));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) database_.raise(code);
  return code == SQLITE_ROW;
}

void Statement::run() {
  const Rows rows(*this);
  step();
}

void Statement::reset() noexcept { sqlite3_reset(handle_); }

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }

double Statement::real(int column) const {
  return isNull(column) ? std::numeric_limits<double>::quiet_NaN()
                        : sqlite3_column_double(handle_, column);
}

std::string_view Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  return data == nullptr
             ? std::string_view()
             : std::string_view(data,
                                static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)));
}

std::span<const std::byte> Statement::blob(int column) const {
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(handle_, column));
  return {data,
          data == nullptr ? 0 : static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

bool Statement::isNull(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const DatabaseError&) {
    // After some failures SQLite has already rolled back.
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace shardlens
