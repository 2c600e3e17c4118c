// In place of load_ctf.cc where libbabeltrace2 is missing.
#include "trace/load_ctf.h"

namespace syncline {

Result<void> LoadCtf(const std::vector<LoadedInput*>& inputs, std::span<const Rule> /*rules*/,
                     LoadedTraces& /*loaded*/, MessageSink& /*sink*/, Progress& /*progress*/) {
  if (inputs.empty()) return {};
  return Fail(ErrorCode::kUnsupported, "this build cannot read CTF: libbabeltrace2 was missing",
              inputs[0]->input.path);
}

// Never called: nothing was loaded.
const TimeStore& CtfTimes(const LoadedInput& /*input*/, size_t /*number*/) {
  static const TimeStore kNone(std::make_shared<TimeSpace>());
  return kNone;
}

std::span<const CtfMessageSize> CtfMessageSizes(const LoadedInput& /*input*/, size_t /*number*/) {
  return {};
}

}  // namespace syncline
