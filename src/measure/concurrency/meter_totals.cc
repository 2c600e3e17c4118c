#include "measure/concurrency/meter_totals.h"

namespace syncline {

void MeterTotals::Put(Parcel& parcel) const {
  parcel.PutEach(processes_, messages_, collective_ends_);
  order_.Put(parcel);
}

void MeterTotals::Adopt(ParcelReader& parcel) {
  const auto processes = parcel.TakeAll<MeasuredProcess>();
  for (size_t i = 0; i < processes.size(); ++i) {
    // Of processes without events all know the same.
    if (!processes_[i].has_events) processes_[i] = processes[i];
  }
  messages_ += parcel.Take<uint64_t>();
  collective_ends_ += parcel.Take<uint64_t>();
  order_.Adopt(parcel);
}

MeasuredComputation MeterTotals::Measure() const {
  MeasuredComputation computation;
  std::vector<ProcessTotals> active;
  for (const MeasuredProcess& p : processes_) {
    if (p.has_events) active.push_back(p.totals);
  }
  computation.processes = processes_;
  computation.measures = MeasureComputation(active);
  computation.cuts = order_.Count();
  computation.messages = messages_;
  computation.collective_ends = collective_ends_;
  return computation;
}

}  // namespace syncline
