#pragma once

#include <string>
#include <utility>

namespace shardlens {

// The name of the current step's result, as used in the recording and in messages. The step runner
// sets the id before the step runs, because masks are held and calls refused under that name before
// the step ends. A result without an id is named after its operator.
class ResultNames {
 public:
  // Sets the id; empty if the step has no id, or if the next operator does not compute the step's
  // result.
  void setId(std::string id) {
    id_ = std::move(id);
    areGiven_ = true;
  }
  const std::string& id() const { return id_; }
  // Returns the id, or `other` if it is empty.
  std::string idOr(std::string other) const { return id_.empty() ? std::move(other) : id_; }
  // Returns true if setId() was ever called, even with an empty id.
  bool areGiven() const { return areGiven_; }

 private:
  std::string id_;
  bool areGiven_ = false;
};

}  // namespace shardlens
