#pragma once

#include <string>
#include <utility>

namespace shardlens {

// What results are called in a recording and in messages. The step runner sets the id of each
// step's result before the step runs, because masks are held, and calls refused, under that name
// before the step ends. A result without an id is called after its operator.
class ResultNames {
 public:
  // Empty where the step's result has none, or where what runs next is not yet the result.
  void setId(std::string id) {
    id_ = std::move(id);
    areGiven_ = true;
  }
  const std::string& id() const { return id_; }
  std::string idOr(std::string other) const { return id_.empty() ? std::move(other) : id_; }
  bool areGiven() const { return areGiven_; }

 private:
  std::string id_;
  bool areGiven_ = false;
};

}  // namespace shardlens
