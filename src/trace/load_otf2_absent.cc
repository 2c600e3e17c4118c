// In place of load_otf2.cc where libotf2 is missing.
#include "trace/load_otf2.h"

namespace syncline {

Result<void> LoadArchives(std::span<LoadedInput* const> inputs, const LoadRequest& /*request*/) {
  return Fail(ErrorCode::kUnsupported, "this build cannot read OTF2: libotf2 was missing",
              inputs[0]->input.path);
}

// Never called: nothing was loaded.
Result<EventCursors> OpenArchiveEvents(const LoadedTraces& /*loaded*/, const LoadedInput& /*input*/,
                                       EventDetail /*detail*/) {
  return EventCursors();
}

}  // namespace syncline
