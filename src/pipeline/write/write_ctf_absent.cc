// In place of write_ctf.cc where libbabeltrace2 is missing.
#include "pipeline/write/write_ctf.h"

namespace syncline {

Result<std::vector<CtfEvents>> WriteCtfEvents(const LoadedTraces& /*loaded*/,
                                              const GroupEstimate& /*estimate*/,
                                              const Retiming& /*retiming*/, const Truth* /*truth*/,
                                              std::span<const CtfOutput> outputs,
                                              IfExists /*if_exists*/) {
  if (outputs.empty()) return std::vector<CtfEvents>();
  return Fail(ErrorCode::kUnsupported, "this build cannot write CTF: libbabeltrace2 was missing",
              outputs.front().input->input.path);
}

}  // namespace syncline
