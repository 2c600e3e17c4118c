// Which stretches of a clock's readings keep to the limits of its rate: the tracks of graph.h.
//
// A clock begins a track whenever it was set: where readings repeat (a further epoch) or where
// messages show it (steps.h). Units: nominal nanoseconds of the clock.
// Cost: O(log n) per look-up, O(1) for clocks of one track. Tested by: tracks_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "syncline/id.h"

#include "base/parcel.h"

namespace syncline::drift_bounded {

class TrackTable {
 public:
  struct Entry {
    ClockId clock;
    uint32_t epoch = 0;
    int64_t from_ns = INT64_MIN;  // its first reading can be this one
    bool is_between = false;      // about a step, on neither side for sure: messages say nothing
  };

  // `epochs` by clock, each ≥ 1; each of them begins a track.
  explicit TrackTable(std::span<const uint32_t> epochs);
  // As another table of so many clocks has them.
  TrackTable(std::vector<Entry> entries, size_t clocks);
  void Put(Parcel& parcel) const { parcel.Put(clocks(), entries_); }
  static TrackTable Take(ParcelReader& parcel) {
    const auto clocks = parcel.Take<size_t>();
    return {parcel.TakeAll<Entry>(), clocks};
  }
  // From this reading on it is another track.
  void Cut(ClockId clock, uint32_t epoch, int64_t reading_ns, bool is_between = false);

  // With the tracks that begin where readings repeat only.
  TrackTable WithoutSteps() const;

  size_t size() const { return entries_.size(); }
  size_t clocks() const { return first_.size() - 1; }
  std::span<const Entry> entries() const { return entries_; }
  // A clock's tracks are neighbours, in order of time.
  const Entry& operator[](size_t track) const { return entries_[track]; }
  // Of a clock's. False where there is no such track.
  bool AreOfOneEpoch(size_t track, size_t other) const {
    return other < size() && entries_[track].clock == entries_[other].clock &&
           entries_[track].epoch == entries_[other].epoch;
  }
  uint32_t first(size_t clock) const { return first_[clock]; }
  uint32_t end(size_t clock) const { return first_[clock + 1]; }
  uint32_t Of(ClockId clock, uint32_t epoch, int64_t reading_ns) const {
    const uint32_t first = first_[clock.index()];
    return first_[clock.index() + 1] - first == 1 ? first : Find(clock, epoch, reading_ns);
  }

 private:
  uint32_t Find(ClockId clock, uint32_t epoch, int64_t reading_ns) const;
  void Index(size_t clocks);

  std::vector<Entry> entries_;
  std::vector<uint32_t> first_;  // by clock, and one more
};

}  // namespace syncline::drift_bounded
