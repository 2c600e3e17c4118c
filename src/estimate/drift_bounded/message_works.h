// What else is asked of messages wherever they are: some of them, and how many there are.
//
// Tested by: shared_messages_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "syncline/result.h"

#include "base/parcel.h"
#include "estimate/drift_bounded/collection.h"
#include "estimate/message_pass.h"
#include "match/team_messages.h"

namespace syncline::drift_bounded {

class ChosenMessages : public MessageWork {
 public:
  struct Choice {
    std::vector<ClockPair> pairs;  // increasing, and each of them: all between these
    // All with an end in a track about a step.
    std::optional<TrackTable> about_steps;
    std::vector<uint64_t> ids = {};  // increasing

    bool Takes(const RecordedMessage& m) const;
    static auto Members(auto& self) { return std::tie(self.pairs, self.about_steps, self.ids); }
  };
  ChosenMessages(Choice choice, MessageVisitor visit)
      : choice_(std::move(choice)), visit_(std::move(visit)) {}
  void Add(const RecordedMessage& m) override {
    if (choice_.Takes(m)) visit_(m);
  }
  void PutTask(Parcel& task) const override;
  // The chosen ones.
  void TakeOutcome(ParcelReader& outcome) override;

 private:
  Choice choice_;
  MessageVisitor visit_;
};

// The first and the last reading of a clock that a message had.
struct Extent {
  int64_t first = INT64_MAX;
  int64_t last = INT64_MIN;
  void Include(int64_t reading) {
    first = std::min(first, reading);
    last = std::max(last, reading);
  }
};

// Of the component that some clocks belong to.
class MessageCount : public MessageWork {
 public:
  struct OfClock {
    uint64_t messages = 0;
    Extent readings;
  };
  explicit MessageCount(std::vector<bool> is_inside)
      : is_inside_(std::move(is_inside)), clocks_(is_inside_.size()) {}
  explicit MessageCount(ParcelReader& task) : MessageCount(task.Take<std::vector<bool>>()) {}

  void Add(const RecordedMessage& m) override;
  void PutTask(Parcel& task) const override;
  void PutOutcome(Parcel& outcome) const;
  void TakeOutcome(ParcelReader& outcome) override;

  uint64_t messages() const { return messages_; }
  const std::vector<OfClock>& clocks() const { return clocks_; }

 private:
  std::vector<bool> is_inside_;  // by clock
  std::vector<OfClock> clocks_;
  uint64_t messages_ = 0;
};

// Does what PutTask() of some work asked for, but for its kind, which was read. `run`: shows
// messages to a work.
Result<void> DoTask(TeamTask kind, ParcelReader& task,
                    const std::function<Result<void>(MessageWork&)>& run, Parcel& outcome);

}  // namespace syncline::drift_bounded
