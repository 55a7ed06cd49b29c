#pragma once

#include "core/trace/file/page_checksums.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace shardlens {

// An error of SQLite. Internal to core/trace: public functions catch it and return an Error.
class DatabaseError : public std::runtime_error {
 public:
  DatabaseError(int code, const std::string& text) : std::runtime_error(text), code_(code) {}
  int code() const { return code_; }  // SQLite's primary result code

 private:
  int code_;
};

// A connection to an SQLite file, which writes the checksums of pages (page_checksums.h). Not
// thread safe. All functions throw DatabaseError unless stated otherwise.
class Database {
 public:
  // Create: creates the file if it is missing. Immutable: for a file in a folder where SQLite
  // cannot create its side files. No process may be writing to the file.
  enum class Access { Create, ReadWrite, ReadOnly, Immutable };

  Database(const std::filesystem::path& path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // The default time to wait while another connection has the file locked.
  static constexpr std::chrono::milliseconds kPatience{5000};
  // Sets the time to wait for a lock; 0 fails at once. Does not throw.
  void setPatience(std::chrono::milliseconds patience);

  // Runs one or more statements and discards their rows.
  void execute(const std::string& sql);
  std::int64_t integer(const std::string& sql);  // first column of the first row; 0 without rows
  // Returns the absolute path of the file. Does not throw.
  std::filesystem::path path() const;
  // Returns false if the file at the path was removed or replaced since it was opened. Does not
  // throw.
  bool isInPlace() const;
  // Returns whether the file's pages have checksums. Call it after the first read. Does not throw.
  bool hasChecksums();
  // From now on, reading a page that does not match its checksum throws, and pages are written with
  // checksums of this rule. Does not throw itself.
  void verifyChecksums(ChecksumRule rule);

 private:
  friend class Statement;
  [[noreturn]] void raise(int code) const;
  // Reserves bytes at the end of each page of a new file; with -1 returns how many are reserved.
  int reserve(int bytes);

  sqlite3* handle_ = nullptr;
};

// A prepared statement: bind, step through its rows, reset. Columns count from 0, parameters from
// 1. Text and blobs are bound without a copy and must live until the reset. The database must
// outlive the statement.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int parameter, std::int64_t number);
  Statement& bind(int parameter, double number);  // NaN becomes NULL
  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, std::span<const std::byte> blob);
  Statement& bindNull(int parameter);

  bool step();  // true if there is a row
  void run();   // runs a statement without rows, and resets it

  // Return the column of the current row. NULL gives 0, NaN, an empty text and an empty blob. Texts
  // and blobs are valid until the next step or reset.
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;
  std::span<const std::byte> blob(int column) const;
  bool isNull(int column) const;

  // A guard that resets the statement when it leaves scope, also by an exception.
  class Rows {
   public:
    explicit Rows(Statement& statement) : statement_(statement) {}
    ~Rows() { statement_.reset(); }
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;

   private:
    Statement& statement_;
  };

 private:
  void reset() noexcept;
  void check(int code) const;

  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

// A transaction that rolls back unless it was committed. Use Immediate if it reads before it
// writes: with Deferred another writer may commit in between.
class Transaction {
 public:
  enum class Kind { Deferred, Immediate };

  explicit Transaction(Database& database, Kind kind = Kind::Deferred) : database_(database) {
    database_.execute(kind == Kind::Immediate ? "BEGIN IMMEDIATE" : "BEGIN");
  }
  ~Transaction();
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace shardlens
