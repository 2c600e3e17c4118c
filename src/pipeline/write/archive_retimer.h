// The times that the events of an archive get, and what is measured of them: its processes, each
// perhaps in a thread of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimate/group.h"
#include "measure/interval_change.h"
#include "measure/retiming.h"
#include "measure/truth.h"
#include "pipeline/correct/process_retimer.h"
#include "pipeline/write/shared_fit.h"
#include "trace/load.h"

namespace syncline {

class ArchiveRetimer {
 public:
  // `fits`: what other processes have done of it already; may be null.
  ArchiveRetimer(const LoadedTraces& loaded, const LoadedInput& input,
                 const GroupEstimate& estimate, const Retiming& retiming, const Truth* truth,
                 SharedFits* fits)
      : fits_(fits) {
    for (size_t i = 0; i < input.processes.size(); ++i) {
      locations_.push_back({ProcessRetimer(loaded, input, i, estimate, retiming, truth), {}});
    }
  }

  // Events in a row of one process of the archive, from number `first` on: each process's in
  // program order, different processes in different threads.
  void Retime(ProcessId in_file, uint64_t first, std::span<const LocalTime> local,
              std::span<GlobalTime> corrected) {
    auto& [retimer, figures] = locations_[in_file.index()];
    retimer.Retime(first, local, corrected, figures);
  }

  // As Otf2TimeSource::Fitted().
  otf2_write::LocationFit* Fitted(ProcessId in_file) {
    return fits_ == nullptr ? nullptr : &fits_->Of(in_file);
  }

  const IntervalChange& intervals(ProcessId in_file) const {
    return fits_ == nullptr ? locations_[in_file.index()].figures.intervals
                            : fits_->Intervals(in_file);
  }
  // In order of processes, so that sums are the same in every run.
  ProcessRetimer::Figures figures() const {
    ProcessRetimer::Figures sum;
    for (uint32_t i = 0; i < locations_.size(); ++i) {
      sum.intervals.Merge(intervals(ProcessId(i)));
      sum.error.Merge(locations_[i].figures.error);
    }
    return sum;
  }

 private:
  // Apart from each other, lest threads wait for each other's memory.
  struct alignas(64) Location {
    ProcessRetimer retimer;
    ProcessRetimer::Figures figures;
  };
  std::vector<Location> locations_;
  SharedFits* fits_;
};

}  // namespace syncline
