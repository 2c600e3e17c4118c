// In place of write_otf2.cc where libotf2 is missing.
#include "pipeline/write/shared_fit.h"
#include "pipeline/write/write_otf2.h"

namespace syncline {

bool TeamKnowsTimes(const LoadedTraces& /*loaded*/, const Retiming& /*retiming*/) { return false; }

Result<std::unique_ptr<SharedFits>> FitByTeam(const LoadedTraces& /*loaded*/,
                                              const Retiming& /*retiming*/) {
  return nullptr;
}

Result<Otf2Written> WriteOtf2(const LoadedInput& input, const std::string& /*anchor*/,
                              IfExists /*if_exists*/, Otf2Writing /*writing*/,
                              const std::function<ArchiveRetimer&()>& /*make_retimer*/,
                              TeamEvents* /*team*/) {
  return Fail(ErrorCode::kUnsupported, "this build cannot write OTF2: libotf2 was missing",
              input.input.path);
}

}  // namespace syncline
