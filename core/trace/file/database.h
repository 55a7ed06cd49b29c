#pragma once

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

// SQLite said no. Never leaves this room: what is public catches it and gives an Error.
class DatabaseError : public std::runtime_error {
 public:
  DatabaseError(int code, const std::string& text) : std::runtime_error(text), code_(code) {}
  int code() const { return code_; }  // SQLite's primary result code

 private:
  int code_;
};

// One connection, for one thread at a time.
class Database {
 public:
  // Immutable: for a file in a place where SQLite cannot make its files beside it; nobody may be
  // writing to it.
  enum class Access { Create, ReadWrite, ReadOnly, Immutable };

  Database(const std::filesystem::path& path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // How long to wait for others who have the file locked.
  static constexpr std::chrono::milliseconds kPatience{5000};
  void setPatience(std::chrono::milliseconds patience);

  void execute(const std::string& sql);
  std::int64_t integer(const std::string& sql);  // of the first column of the first row
  // The file is still the one at its path, and was not replaced by another.
  bool isInPlace() const;

 private:
  friend class Statement;
  [[noreturn]] void raise(int code) const;

  sqlite3* handle_ = nullptr;
};

// A prepared statement: bind, step through its rows, reset. Columns count from 0, parameters from
// 1. Text and blobs are bound without a copy: they must live until the reset.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int parameter, std::int64_t number);
  Statement& bind(int parameter, double number);  // not-a-number becomes NULL
  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, std::span<const std::byte> blob);
  Statement& bindNull(int parameter);

  bool step();  // true while there is a row
  void run();   // a statement without rows; ready to be bound again

  std::int64_t integer(int column) const;
  double real(int column) const;            // not-a-number where it is NULL
  std::string_view text(int column) const;  // until the next step
  std::span<const std::byte> blob(int column) const;
  bool isNull(int column) const;

  // While rows are read: the statement is reset when this goes, however it goes.
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

// Rolls back unless it was committed. One that reads before it writes is to be immediate: another
// writer may come in between.
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
