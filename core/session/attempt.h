#pragma once

#include "core/base/rank_lost.h"
#include "core/base/result.h"
#include "core/session/scenario/tensor_literal.h"

#include <c10/util/Exception.h>

#include <exception>
#include <string>
#include <string_view>

namespace shardlens {

// Returns the message of a libtorch exception without a backtrace. An internal assertion, whose
// text asks to report a bug to PyTorch, gives its file, line and reason.
inline std::string messageOf(const c10::Error& error) {
  const std::string text = error.what_without_backtrace();
  const std::string_view begin = "INTERNAL ASSERT FAILED at \"",
                         end = ", please report a bug to PyTorch. ";
  const auto at = text.find(begin), until = text.find(end);
  if (at == std::string::npos || until == std::string::npos) return text;
  std::string place = text.substr(at + begin.size(), until - at - begin.size());
  place = place.substr(place.rfind('/') + 1);
  std::erase(place, '"');
  std::string why = text.substr(until + end.size());
  if (why.starts_with(": ")) why.erase(0, 2);
  return "libtorch failed a check of its own code (" + place + ")" +
         (why.empty() ? "" : ": " + why);
}

// Calls `run` and converts exceptions, libtorch's and ours, to an error with their message. Passes
// on RankLost. With Data::LeftOut (dry run), a NotImplementedError is explained as depending on
// data.
template <class Run>
Result<void> attempt(Data data, const Run& run) {
  try {
    run();
    return {};
  } catch (const RankLost&) {
    throw;
  } catch (const c10::NotImplementedError& error) {
    const std::string why = error.what_without_backtrace();
    return fail(data == Data::Made ? why
                                   : "it depends on data, which a dry run has none of: " + why);
  } catch (const c10::Error& error) {
    return fail(messageOf(error));
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

}  // namespace shardlens
