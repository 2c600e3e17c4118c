#include "cli/solve/process_retimer.h"

namespace syncline {

ProcessRetimer::ProcessRetimer(const LoadedTraces& loaded, const LoadedInput& input, size_t number,
                               const GroupEstimate& estimate, const Retiming& retiming,
                               const Truth* truth)
    : retiming_(retiming),
      process_(input.processes[number]),
      first_event_(input.first_event[number]),
      clock_id_(loaded.traces.processes[process_.index()].clock),
      clock_(loaded.traces.clocks[clock_id_.index()]),
      truth_(truth, loaded.traces, estimate, clock_id_),
      intervals_(process_) {}

void ProcessRetimer::Retime(uint64_t first, std::span<const LocalTime> local,
                            std::span<GlobalTime> written, Figures& figures) {
  retiming_.Retime(process_, first_event_ + first, local, written);
  for (size_t i = 0; i < local.size(); ++i) {
    written[i] = order_.Place(local[i], written[i]);
    intervals_.Add(clock_.NominalNs(local[i]), written[i], figures.intervals);
  }
  // Of all times the truth is known, or of none.
  if (local.empty() || !truth_.Expected(local.front())) return;
  for (size_t i = 0; i < local.size(); ++i) truth_.Add(local[i], written[i], figures.error);
}

}  // namespace syncline
