#pragma once

#include <stdexcept>
#include <string>

namespace shardlens {

// Thrown when ranks of the run have failed or cannot be reached, so that no collective over all
// ranks can complete. Ends the whole run; a Refusal ends only a step.
class RankLost : public std::runtime_error {
 public:
  enum class Whose {
    Others,      // another process failed, or the failed process is unknown
    Own,         // this process failed
    OwnRefusal,  // this process failed because it refused a step; what() has the refusal's text
  };
  explicit RankLost(const std::string& what, Whose whose = Whose::Others)
      : std::runtime_error(what), whose_(whose) {}
  Whose whose() const { return whose_; }

 private:
  Whose whose_;
};

}  // namespace shardlens
