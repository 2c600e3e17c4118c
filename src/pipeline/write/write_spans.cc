#include "pipeline/write/write_spans.h"

#include <span>
#include <vector>

#include "base/try.h"
#include "trace/kept_spans.h"
#include "write/spans/span_rewriter.h"

namespace syncline {

Result<ProcessRetimer::Figures> WriteSpans(const LoadedTraces& loaded, const LoadedInput& input,
                                           const GroupEstimate& estimate, const Retiming& retiming,
                                           const Truth* truth, OutputFile& output) {
  const KeptSpans& kept = SpansOf(input);
  ProcessRetimer::Figures figures;
  std::vector<GlobalTime> corrected(kept.times);  // in the order of the file
  for (size_t i = 0; i < kept.lanes.size(); ++i) {
    ProcessRetimer retimer(loaded, input, i, estimate, retiming, truth);
    for (size_t e = 0; e < kept.lanes[i].size(); ++e) {
      const KeptSpanEvent& event = kept.lanes[i][e];
      retimer.Retime(e, std::span(&event.time, 1), std::span(&corrected[event.in_file], 1),
                     figures);
    }
  }
  bool has_changed = false;
  SYNCLINE_TRY(RewriteSpans(input.input.path, output, [&](uint64_t number, LocalTime) {
    has_changed = has_changed || number >= corrected.size();
    return number < corrected.size() ? corrected[number] : GlobalTime{};
  }));
  if (has_changed) {
    return Fail(ErrorCode::kMalformed, "has changed while it was read", input.input.path);
  }
  return figures;
}

}  // namespace syncline
