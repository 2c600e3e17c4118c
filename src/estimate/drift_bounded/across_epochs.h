// What the order of events says across the moments at which clocks were set back.
//
// The last reading of an epoch comes before all that the clock sends in later ones, so before the
// receive of that, and the first reading of an epoch comes after all that the clock received in
// earlier ones, so after the send of that. Each is a message like any other, with that reading
// instead of its own: of a neighbour's messages the one that is received first, or sent last.
// Without them a clock that was set ahead and soon after back, while messages led to it only, would
// seem to have received slow ones. Units: nominal nanoseconds. Cost: O(log n) per message of a
// clock that was set back. Tested by: across_epochs_test.cc, shared_messages_test.cc.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "syncline/id.h"

#include "base/parcel.h"
#include "estimate/group.h"
#include "estimate/message_pass.h"

namespace syncline::drift_bounded {

class AcrossEpochs : public MessageWork {
 public:
  // By clock.
  explicit AcrossEpochs(std::vector<bool> was_set_back) : was_set_back_(std::move(was_set_back)) {}
  explicit AcrossEpochs(ParcelReader& task) : AcrossEpochs(task.Take<std::vector<bool>>()) {}

  void Add(const RecordedMessage& m) override;
  void PutTask(Parcel& task) const override;
  void PutOutcome(Parcel& outcome) const;
  void TakeOutcome(ParcelReader& outcome) override;

  // Each has the number of the message that it stands for.
  std::vector<RecordedMessage> Messages(std::span<const ClockInput> clocks) const;

 private:
  struct Between {
    ClockId clock, neighbour;
    friend auto operator<=>(const Between&, const Between&) = default;
  };
  // By epoch of the clock.
  using ByEpoch = std::map<uint32_t, RecordedMessage>;

  std::vector<bool> was_set_back_;
  std::map<Between, ByEpoch> sent_;      // what the neighbour received first
  std::map<Between, ByEpoch> received_;  // what the neighbour sent last
};

}  // namespace syncline::drift_bounded
