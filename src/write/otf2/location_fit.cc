#include "write/otf2/location_fit.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "write/otf2/clock_offset_fitter.h"

namespace syncline::otf2_write {
namespace {

// Fits the clock offsets of one location, block by block.
class LocationFitting {
 public:
  LocationFitting(const Clock& clock, uint64_t location, Otf2TimeSource& times, std::string file)
      : clock_(clock), source_(times), recorded_(times.Recorded(location)), file_(std::move(file)) {
    fit_.location = location;
    fit_.has_other_definitions = recorded_.has_other_definitions;
  }

  LocationFit Run() {
    const std::span<const uint64_t> times = recorded_.times;
    while (fit_.events < times.size() && !fit_.error) {
      AddBlock(times.subspan(fit_.events, std::min(kBlock, times.size() - fit_.events)));
    }
    fit_.records = fitter_.Finish();
    NoteInexpressible(fitter_.problems().first_event, fitter_.problems().count());
    return std::move(fit_);
  }

 private:
  static constexpr size_t kBlock = 1024;

  void AddBlock(std::span<const uint64_t> times) {
    std::array<LocalTime, kBlock> local;
    std::array<GlobalTime, kBlock> corrected;
    size_t usable = 0;
    while (usable < times.size() && times[usable] <= static_cast<uint64_t>(kMaxOtf2Ticks)) {
      local[usable] = {static_cast<int64_t>(times[usable])};
      ++usable;
    }
    source_.Correct(fit_.location, fit_.events, std::span(local).first(usable),
                    std::span(corrected).first(usable));
    for (size_t i = 0; i < usable && !fit_.error; ++i) Add(local[i].ticks, corrected[i]);
    if (usable < times.size() && !fit_.error) FailAt(times[usable]);
  }

  void Add(int64_t recorded, GlobalTime corrected) {
    uint64_t end = static_cast<uint64_t>(recorded);
    if (next_flush_ < recorded_.flushes.size() &&
        recorded_.flushes[next_flush_].event == fit_.events) {
      end = recorded_.flushes[next_flush_++].time;
      if (end > static_cast<uint64_t>(kMaxOtf2Ticks))
        return FailAt(static_cast<uint64_t>(recorded));
    }
    const int64_t wanted = clock_.FromNominalNs(corrected.ns).ticks;
    if (wanted < -kMaxOtf2Ticks || wanted > kMaxOtf2Ticks) {
      fit_.error = ToTicks(clock_, corrected).error();
      return;
    }
    // Readers look offsets up for the end of a BufferFlush, too, and never look back.
    if (static_cast<uint64_t>(recorded) < latest_) NoteInexpressible(fit_.events, 1);
    latest_ = std::max({latest_, static_cast<uint64_t>(recorded), end});
    fitter_.Add(recorded, wanted);
    fit_.span.Include(wanted);
    if (wanted != recorded) ++fit_.changed;
    ++fit_.events;
  }

  void FailAt(uint64_t time) {
    fit_.error = Error{ErrorCode::kUnsupported,
                       fmt::format("event {} has the time {}", fit_.events, time), file_};
  }

  void NoteInexpressible(uint64_t event, uint64_t count) {
    if (count > 0 && fit_.inexpressible == 0) fit_.first_inexpressible = event;
    fit_.inexpressible += count;
  }

  const Clock& clock_;
  Otf2TimeSource& source_;
  Otf2LocationTimes recorded_;
  std::string file_;
  LocationFit fit_;
  ClockOffsetFitter fitter_;
  uint64_t latest_ = 0;
  size_t next_flush_ = 0;
};

}  // namespace

LocationFit FitLocation(const Clock& clock, uint64_t location, Otf2TimeSource& times,
                        const std::string& file) {
  return LocationFitting(clock, location, times, file).Run();
}

}  // namespace syncline::otf2_write
