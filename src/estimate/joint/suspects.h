// Which few messages contradict all others: a minimal set whose removal lets straight lines fit.
//
// A search over passes: offer every message between clocks of the problem, in any order, then end
// the pass; again, as long as the state is kSearching. Memory: some thousand messages, however many
// are offered.
// Method: elastic_programme.h over the messages that come closest to a contradiction.
//   - Each pass adds those that the present lines violate, in every stretch of the trace and each
//     direction the worst few.
//   - Where a pass finds none to add, or after some passes, and messages are still violated, those
//     violated by more than half of the worst are set aside.
//   - Once nothing is violated, what was set aside is put back as far as possible, the least
//     violated first. So none of the set (of its 256 least violated) can be put back alone.
// It is not always a smallest set, which is NP-hard to find (Chinneck, Feasibility and
// Infeasibility in Optimization, 2008, chapter 7, on whose elastic filter this rests; departures:
// many messages at a time, and rows as they are needed). Guarantee: none; whoever removes the
// messages estimates again and so sees whether lines fit. Errors: a state. Cost: ten to twenty
// passes of O(1) per message, a simplex run each, and one or two per message that is set aside.
// Tested by: src/estimate/joint/suspects_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "estimate/joint/elastic_programme.h"

namespace syncline {

class SuspectSearch {
 public:
  enum class State {
    kSearching,
    kFound,
    kTooMany,  // more than `most`: the clocks are not linear
    kFailed,   // no end within a bounded number of passes, or the solver failed
  };

  // `set_aside`: messages, later offered as well, that are suspects until they prove not to be.
  SuspectSearch(JointProblem problem, uint64_t most, std::span<const TimedMessage> set_aside = {});

  void Offer(const TimedMessage& message);
  void EndPass();
  State state() const { return state_; }
  // Of state kFound; by id.
  std::vector<TimedMessage> Suspects() const;

 private:
  enum class Phase { kSetAside, kPutBack };
  enum class Standing : uint8_t { kCounts, kSetAside, kPutBack, kSuspect };
  struct Candidate {
    double slack_ns = 0;
    TimedMessage message;
  };
  struct Direction {
    std::vector<std::vector<Candidate>> stretches;  // ascending slack
  };

  size_t StretchOf(const TimedMessage& message) const;
  size_t AdoptCandidates();
  void EndPassSettingAside(size_t added);
  void EndPassPuttingBack(size_t added);
  void SetAsideWorst();
  void BeginPuttingBack();
  bool HasViolation() const;
  uint64_t Count(Standing standing) const;
  void Move(size_t row, Standing standing);
  bool Solve();

  ElasticProgramme programme_;
  uint64_t most_;
  std::vector<Standing> standing_;  // by row
  absl::flat_hash_set<uint64_t> known_;
  absl::flat_hash_map<uint64_t, Direction> directions_;
  size_t stretches_;
  State state_ = State::kSearching;
  Phase phase_ = Phase::kSetAside;
  int passes_ = 0;
  int growth_ = 0;  // passes since something was set aside
};

}  // namespace syncline
