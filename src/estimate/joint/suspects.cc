#include "estimate/joint/suspects.h"

#include <algorithm>
#include <utility>

namespace syncline {
namespace {

constexpr int kMostPasses = 100;
// Passes that only add messages before some are set aside all the same.
constexpr int kMostGrowth = 8;
// Of messages in each stretch of a direction: in the first passes, which mostly are enough, and at
// last, where many are wrong.
constexpr size_t kFewest = 3;
constexpr size_t kMost = 192;
// Of those set aside, how many are tried by a programme each; the least violated.
constexpr int kMostTrials = 256;

// Few where there are many directions, so that the first programme stays small.
size_t StretchesFor(size_t pairs) {
  constexpr size_t kWanted = 4096;
  return std::clamp<size_t>(kWanted / std::max<size_t>(2 * pairs * kFewest, 1), 2, 16);
}

}  // namespace

SuspectSearch::SuspectSearch(JointProblem problem, uint64_t most,
                             std::span<const TimedMessage> set_aside)
    : programme_(std::move(problem)),
      most_(most),
      stretches_(StretchesFor(programme_.problem().pairs.size())) {
  programme_.Add(set_aside);
  for (size_t row = 0; row < set_aside.size(); ++row) {
    known_.insert(set_aside[row].id);
    standing_.push_back(Standing::kCounts);
    Move(row, Standing::kSetAside);
  }
}

void SuspectSearch::Move(size_t row, Standing standing) {
  standing_[row] = standing;
  const bool counts = standing == Standing::kCounts || standing == Standing::kPutBack;
  programme_.SetCost(row, counts ? 1 : 0);
}

uint64_t SuspectSearch::Count(Standing standing) const {
  return static_cast<uint64_t>(std::count(standing_.begin(), standing_.end(), standing));
}

size_t SuspectSearch::StretchOf(const TimedMessage& message) const {
  const Anchors& anchors = programme_.problem().anchors[message.from];
  const Int128 elapsed = static_cast<Int128>(message.send_ns) - anchors.first.x;
  const Int128 length = static_cast<Int128>(anchors.last.x) - anchors.first.x;
  const auto last = static_cast<Int128>(stretches_) - 1;
  return static_cast<size_t>(
      std::clamp<Int128>(elapsed * static_cast<Int128>(stretches_) / length, 0, last));
}

void SuspectSearch::Offer(const TimedMessage& message) {
  // The first pass takes what comes closest to a contradiction, later ones what is one.
  const double slack_ns = programme_.SlackNs(message);
  if (passes_ > 0 && slack_ns >= 0) return;
  if (known_.contains(message.id)) return;
  const uint64_t key = message.from * programme_.problem().clocks.size() + message.to;
  Direction& direction = directions_[key];
  direction.stretches.resize(stretches_);
  std::vector<Candidate>& worst = direction.stretches[StretchOf(message)];
  const size_t most = std::min(kFewest << std::min(passes_ / 2, 8), kMost);
  if (worst.size() == most && worst.back().slack_ns <= slack_ns) return;
  if (worst.size() == most) worst.pop_back();
  const auto place =
      std::upper_bound(worst.begin(), worst.end(), slack_ns,
                       [](double slack, const Candidate& c) { return slack < c.slack_ns; });
  worst.insert(place, {slack_ns, message});
}

size_t SuspectSearch::AdoptCandidates() {
  std::vector<TimedMessage> added;
  for (const auto& [key, direction] : directions_) {
    for (const std::vector<Candidate>& stretch : direction.stretches) {
      for (const Candidate& candidate : stretch) added.push_back(candidate.message);
    }
  }
  directions_.clear();
  // The order of a hash table is not to show in results.
  std::sort(added.begin(), added.end(),
            [](const TimedMessage& a, const TimedMessage& b) { return a.id < b.id; });
  programme_.Add(added);
  for (const TimedMessage& message : added) known_.insert(message.id);
  standing_.resize(programme_.rows(), Standing::kCounts);
  return added.size();
}

bool SuspectSearch::Solve() {
  if (programme_.Solve()) return true;
  state_ = State::kFailed;
  return false;
}

bool SuspectSearch::HasViolation() const {
  for (size_t row = 0; row < programme_.rows(); ++row) {
    if (programme_.cost(row) > 0 && programme_.ViolationUs(row) > 0) return true;
  }
  return false;
}

void SuspectSearch::EndPass() {
  if (state_ != State::kSearching) return;
  const size_t added = AdoptCandidates();
  if (++passes_ > kMostPasses) {
    state_ = State::kFailed;
    return;
  }
  if (phase_ == Phase::kSetAside) {
    EndPassSettingAside(added);
  } else {
    EndPassPuttingBack(added);
  }
}

void SuspectSearch::EndPassSettingAside(size_t added) {
  if (added == 0 && !HasViolation()) return BeginPuttingBack();
  if (added > 0 && !Solve()) return;
  if (added > 0 && (!HasViolation() || ++growth_ <= kMostGrowth)) return;
  SetAsideWorst();
}

void SuspectSearch::SetAsideWorst() {
  // Where lines err towards many wrong messages, about as many right ones are violated too.
  const uint64_t hopeless = 4 * most_ + 8;
  double worst_us = 0;
  uint64_t violated = Count(Standing::kSetAside);
  for (size_t row = 0; row < programme_.rows(); ++row) {
    if (programme_.cost(row) == 0 || programme_.ViolationUs(row) == 0) continue;
    worst_us = std::max(worst_us, programme_.ViolationUs(row));
    ++violated;
  }
  if (violated > hopeless) {
    state_ = State::kTooMany;
    return;
  }
  for (size_t row = 0; row < programme_.rows(); ++row) {
    if (programme_.cost(row) > 0 && programme_.ViolationUs(row) > worst_us / 2) {
      Move(row, Standing::kSetAside);
    }
  }
  growth_ = 0;
  Solve();
}

void SuspectSearch::BeginPuttingBack() {
  phase_ = Phase::kPutBack;
  std::vector<std::pair<double, size_t>> order;
  for (size_t row = 0; row < programme_.rows(); ++row) {
    if (standing_[row] == Standing::kSetAside) order.emplace_back(programme_.ViolationUs(row), row);
  }
  std::sort(order.begin(), order.end());
  int trials = 0;
  for (const auto& [violation, row] : order) {
    if (programme_.ViolationUs(row) > 0 && ++trials > kMostTrials) {
      Move(row, Standing::kSuspect);
      continue;
    }
    Move(row, Standing::kPutBack);
    // Satisfied by lines that are known already.
    if (programme_.ViolationUs(row) == 0) continue;
    if (!Solve()) return;
    if (HasViolation()) {
      Move(row, Standing::kSuspect);
      if (!Solve()) return;
    }
  }
  if (Count(Standing::kSuspect) > most_) state_ = State::kTooMany;
}

void SuspectSearch::EndPassPuttingBack(size_t added) {
  if (added == 0) {
    state_ = State::kFound;
    return;
  }
  if (!Solve() || !HasViolation()) return;
  // Messages that no pass had shown contradict what was put back.
  for (size_t row = 0; row < programme_.rows(); ++row) {
    if (standing_[row] == Standing::kPutBack) Move(row, Standing::kSuspect);
  }
  if (Count(Standing::kSuspect) > most_) {
    state_ = State::kTooMany;
  } else {
    Solve();
  }
}

std::vector<TimedMessage> SuspectSearch::Suspects() const {
  std::vector<TimedMessage> suspects;
  for (size_t row = 0; row < programme_.rows(); ++row) {
    if (standing_[row] == Standing::kSuspect) suspects.push_back(programme_.message(row));
  }
  std::sort(suspects.begin(), suspects.end(),
            [](const TimedMessage& a, const TimedMessage& b) { return a.id < b.id; });
  return suspects;
}

}  // namespace syncline
