#include "pipeline/summary/timeline.h"

#include <algorithm>
#include <utility>

#include "base/int128.h"

namespace syncline {
namespace {

template <typename Part, typename Bin, typename ToPart>
TimeSeries<Part> SeriesOf(const TimeBins<Bin>& bins, ToPart to_part) {
  TimeSeries<Part> series{bins.start_ns(), static_cast<double>(bins.width_ns()), {}};
  for (const Bin& bin : bins.bins()) series.parts.push_back(to_part(bin));
  return series;
}

int64_t Opposite(Int128 ns) { return Saturate(-ns); }

template <typename Part>
void Mirror(TimeSeries<Part>& series) {
  const auto width = static_cast<Int128>(series.width_ns);
  series.start_ns = Opposite(series.start_ns + width * static_cast<int64_t>(series.parts.size()));
  std::reverse(series.parts.begin(), series.parts.end());
}

}  // namespace

LogicalTimeline MakeTimeline(const GammaReport& gamma, const ChangeOverTime& changes,
                             const TraceSet& traces) {
  LogicalTimeline timeline;
  timeline.first_ns = changes.first_ns().value_or(0);
  timeline.last_ns = changes.last_ns().value_or(0);
  timeline.gamma = SeriesOf<LogicalTimeline::Gamma>(gamma.over_time, [](const GammaBin& bin) {
    return LogicalTimeline::Gamma{bin.events, bin.smallest};
  });
  timeline.changes = SeriesOf<LogicalTimeline::Changes>(changes.bins(), [&](const ChangeBin& bin) {
    LogicalTimeline::Changes part{
        bin.intervals, bin.changed, bin.largest_advance_ns, bin.largest_change, {}};
    if (bin.where) {
      part.where = {traces.processes[bin.where->process.index()].name, bin.where->index,
                    bin.where->original.ns, bin.where->corrected.ns};
    }
    return part;
  });
  return timeline;
}

LogicalTimeline Mirrored(LogicalTimeline timeline) {
  timeline.first_ns = Opposite(std::exchange(timeline.last_ns, Opposite(timeline.first_ns)));
  Mirror(timeline.gamma);
  Mirror(timeline.changes);
  return timeline;
}

}  // namespace syncline
