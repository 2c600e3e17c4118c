// Hands messages to a MessageQuality direction by direction, tens of thousands at a time.
//
// With many clocks each message would else wait for memory that the one before it did not touch.
// Figures are the same to the bit, for the messages of a direction keep their order. Requires clock
// ids below `clocks`. Ownership: the quality outlives it. Cost: about 20 ns a message, 4 MiB.
// Method: counting sort, by receiver, then sender. Tested by: src/measure/quality_test.cc.
#pragma once

#include <cstddef>
#include <vector>

#include "syncline/id.h"
#include "syncline/time.h"

#include "measure/quality.h"

namespace syncline {

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
