// What corrections are worth, by the messages: as recorded, and as they are to be written.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "syncline/result.h"

#include "base/parcel.h"
#include "match/message_store.h"
#include "measure/quality.h"
#include "measure/retiming.h"
#include "pipeline/estimate/solve.h"
#include "report/summary_parts.h"
#include "trace/load.h"

namespace syncline {

struct QualityFigures {
  MessageQuality before;
  MessageQuality after;  // of the times to be written
  // What collectives stand for, by the clocks from and to, which differ.
  std::map<std::pair<ClockId, ClockId>, CollectiveOrder> collectives;
  // Inverted or too fast after correction, but for messages that are set aside.
  uint64_t contradictions = 0;
};

// A pass over the messages, which also repairs what rounding alone broke, and more while it does.
// Where processes of an MPI run hold them, each measures its own, unless events are moved.
Result<QualityFigures> MeasureQuality(const LoadedTraces& loaded, const Solution& solution,
                                      Retiming& retiming);
// What such a process makes of MeasureQuality()'s task.
Result<void> MeasureShare(const LoadedTraces& held, ParcelReader& task, Parcel& outcome);

// The same in parts, where such processes also move events. What they need to know:
void PutQualityTask(const LoadedTraces& loaded, const Solution& solution, Parcel& task);
struct QualityTask {
  struct Least {
    ClockId from;
    ClockId to;
    Duration delay;
  };
  std::vector<Least> delays;
  MessageStore messages;  // that are held there and not set aside
};
QualityTask TakeQualityTask(const LoadedTraces& held, ParcelReader& task);
// What each measures of its messages, and what the first process makes of it.
Result<void> MeasureShare(const TraceSet& traces, const QualityTask& task, Retiming& retiming,
                          Parcel& outcome);
void AdoptQuality(ParcelReader& outcome, Retiming& retiming, QualityFigures& figures);
// Adds messages that are set aside, collectives and broadcasts.
Result<void> CompleteQuality(const LoadedTraces& loaded, const Solution& solution,
                             Retiming& retiming, QualityFigures& figures);

}  // namespace syncline
