#include "pipeline/correct/process_retimer.h"

namespace syncline {

ProcessRetimer::ProcessRetimer(const LoadedTraces& loaded, const LoadedInput& input, size_t number,
                               const GroupEstimate& estimate, const Retiming& retiming,
                               const Truth* truth)
    : retiming_(retiming),
      process_(input.processes[number]),
      first_event_(input.first_event[number]),
      clock_id_(loaded.traces.processes[process_.index()].clock),
      clock_(loaded.traces.clocks[clock_id_.index()]),
      knows_epochs_(!estimate.clocks[clock_id_.index()].later_epochs.empty()),
      epochs_(loaded.epochs.FirstEvents(process_)),
      loaded_(loaded),
      truth_(truth, loaded, estimate, clock_id_),
      intervals_(process_) {}

void ProcessRetimer::Retime(uint64_t first, std::span<const LocalTime> local,
                            std::span<GlobalTime> written, Figures& figures) {
  retiming_.Retime(process_, first_event_ + first, local, written);
  const bool has_truth = truth_.IsKnown();
  for (size_t i = 0; i < local.size(); ++i) {
    const uint32_t before = epochs_.current();
    const uint32_t epoch = epochs_.At(first_event_ + first + i);
    const auto rank = loaded_.PlaceOf({process_, first_event_ + first + i, local[i]}).second;
    written[i] = order_.Place(local[i], written[i], knows_epochs_ ? epoch : 0, rank);
    // Nothing has measured the interval in which the clock was set back.
    if (epoch != before) intervals_.BeginAnew();
    intervals_.Add(clock_.NominalNs(local[i]), written[i], figures.intervals);
    if (has_truth) truth_.Add(local[i], epoch, written[i], figures.error);
  }
}

}  // namespace syncline
