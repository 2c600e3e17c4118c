// In place of load_ctf.cc where libbabeltrace2 is missing.
#include "trace/load_ctf.h"

namespace syncline {

Result<void> LoadCtf(std::span<LoadedInput* const> inputs, const LoadRequest& /*request*/) {
  return Fail(ErrorCode::kUnsupported, "this build cannot read CTF: libbabeltrace2 was missing",
              inputs[0]->input.path);
}

// Never called: nothing was loaded.
Result<EventCursors> OpenCtfEvents(const LoadedTraces& /*loaded*/, const LoadedInput& /*input*/,
                                   EventDetail /*detail*/) {
  return EventCursors();
}

}  // namespace syncline
