#pragma once

#include <stdexcept>
#include <string>

namespace shardlens {

// Ranks of the run have gone or cannot be reached: nothing that takes all of them goes on. It ends
// the run, where a Refusal ends a step.
class RankLost : public std::runtime_error {
 public:
  enum class Whose {
    Others,      // another process failed, or nobody knows which
    Own,         // this process failed
    OwnRefusal,  // the same, by what it refused, which the text says
  };
  explicit RankLost(const std::string& what, Whose whose = Whose::Others)
      : std::runtime_error(what), whose_(whose) {}
  Whose whose() const { return whose_; }

 private:
  Whose whose_;
};

}  // namespace shardlens
