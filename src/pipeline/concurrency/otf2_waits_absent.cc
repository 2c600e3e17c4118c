// In place of otf2_waits.cc where libotf2 is missing.
#include "pipeline/concurrency/otf2_waits.h"

namespace syncline {

Result<std::vector<std::vector<WaitSpan>>> Otf2WaitsOf(const LoadedInput& input,
                                                       const std::vector<bool>& /*is_here*/) {
  return Fail(ErrorCode::kUnsupported, "this build cannot read OTF2: libotf2 was missing",
              input.input.path);
}

}  // namespace syncline
