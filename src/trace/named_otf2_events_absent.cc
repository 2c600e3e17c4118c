#include "trace/named_events.h"

namespace syncline {

Result<void> ForEachNamedOtf2Event(const LoadedInput& input, const VisitNamedEvent& /*visit*/) {
  return Fail(ErrorCode::kUnsupported, "this build has no libotf2", input.input.path);
}

}  // namespace syncline
