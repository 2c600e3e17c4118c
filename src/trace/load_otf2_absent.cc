// In place of load_otf2.cc where libotf2 is missing.
#include "trace/load_otf2.h"

namespace syncline {
namespace {

tl::unexpected<Error> Absent(const std::string& file) {
  return Fail(ErrorCode::kUnsupported, "this build cannot read OTF2: libotf2 was missing", file);
}

}  // namespace

Result<void> LoadOtf2(LoadedInput& input, LoadedTraces& /*loaded*/, SeriesSink& /*sink*/,
                      MessageSink& /*collective_sink*/, const std::string& /*clock_per*/,
                      Progress& /*progress*/) {
  return Absent(input.input.path);
}

// Never called: nothing was loaded.
std::unique_ptr<Otf2EventSource> OpenOtf2Source(const LoadedInput& /*input*/, size_t /*number*/) {
  return nullptr;
}

}  // namespace syncline
