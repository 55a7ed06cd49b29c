#pragma once

#include "core/base/rank_lost.h"
#include "core/base/result.h"
#include "core/session/scenario/tensor_literal.h"

#include <c10/util/Exception.h>

#include <exception>
#include <string>

namespace shardlens {

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
    return fail(error.what_without_backtrace());
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

}  // namespace shardlens
