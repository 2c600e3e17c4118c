// Measures of quality (Ashton; Poirier 3.4.1) of recorded or corrected times: inversions, too-fast
// messages and delays per pair of clocks and direction, and differential delays of broadcasts.
//
// Units: nanoseconds. Sign: delay = receive − send; negative is an inversion.
// Cost: O(1) per message, 64 KiB per pair and direction. Tested by: src/measure/quality_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "syncline/id.h"
#include "syncline/time.h"

#include "base/parcel.h"
#include "measure/delay_histogram.h"

namespace syncline {

// Messages of one direction between two clocks (or within one).
struct DirectionQuality {
  uint64_t inverted = 0;
  uint64_t too_fast = 0;  // not inverted, but faster than the minimum delay
  DelayHistogram delays;
  static auto Members(auto& self) { return std::tie(self.inverted, self.too_fast, self.delays); }
};

class MessageQuality {
 public:
  MessageQuality() = default;
  MessageQuality(MessageQuality&&) = default;
  MessageQuality& operator=(MessageQuality&&) = default;

  void AddMessage(ClockId from, ClockId to, Duration delay, Duration minimum_delay);
  void AddBroadcastDifference(ClockId from, ClockId to, Duration difference);

  // To another process, which has seen no message of these directions and no broadcast.
  void Put(Parcel& parcel) const { parcel.Put(directions_); }
  void Adopt(ParcelReader& parcel);

  const DirectionQuality& direction(ClockId from, ClockId to) const;  // empty when never seen
  const std::map<std::pair<ClockId, ClockId>, DirectionQuality>& directions() const {
    return directions_;
  }
  // Differences of receive instants, keyed by (lower, higher) clock, value: higher − lower.
  const std::map<std::pair<ClockId, ClockId>, DelayHistogram>& broadcasts() const {
    return broadcasts_;
  }
  uint64_t messages() const { return messages_; }
  uint64_t inverted() const { return inverted_; }
  uint64_t too_fast() const { return too_fast_; }

 private:
  std::map<std::pair<ClockId, ClockId>, DirectionQuality> directions_;
  std::map<std::pair<ClockId, ClockId>, DelayHistogram> broadcasts_;
  std::pair<ClockId, ClockId> last_key_;
  DirectionQuality* last_ = nullptr;  // messages come in runs of one direction
  uint64_t messages_ = 0;
  uint64_t inverted_ = 0;
  uint64_t too_fast_ = 0;
};

// Hands messages to a MessageQuality direction by direction, tens of thousands at a time. With many
// clocks each message would else wait for memory that the one before it did not touch. Figures are
// the same to the bit, for the messages of a direction keep their order. Requires clock ids below
// `clocks`. Ownership: the quality outlives it. Cost: about 20 ns a message, 4 MiB. Method:
// counting sort, by receiver, then sender.
class QualityBatch {
 public:
  QualityBatch(size_t clocks, MessageQuality& quality) : starts_(clocks + 1), quality_(quality) {}

  void AddMessage(ClockId from, ClockId to, Duration delay, Duration minimum_delay) {
    waiting_.push_back({from, to, delay, minimum_delay});
    if (waiting_.size() == kMost) Finish();
  }
  // Hands over what is still waiting.
  void Finish();

 private:
  static constexpr size_t kMost = size_t{1} << 16;
  struct Measured {
    ClockId from;
    ClockId to;
    Duration delay;
    Duration minimum_delay;
  };
  void SortBy(ClockId Measured::*key);

  std::vector<Measured> waiting_;
  std::vector<Measured> sorted_;
  std::vector<size_t> starts_;  // by clock, one more than there are
  MessageQuality& quality_;
};

}  // namespace syncline
