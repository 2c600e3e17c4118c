// No exception crosses the public interface: where the system refuses memory or threads, that is
// an error, as where it refuses a file. What functions of the caller throw is the caller's own, and
// goes through.
// Tested by: library_test.cc.
#pragma once

#include <exception>

#include "syncline/result.h"

#include "base/refusal.h"

namespace syncline {

// Of work that returns a Result.
template <typename Work>
auto WithRefusals(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& error) {
    if (auto refusal = RefusalOf(error)) return Fail(ErrorCode::kUnreadable, *std::move(refusal));
    throw;
  }
}

}  // namespace syncline
