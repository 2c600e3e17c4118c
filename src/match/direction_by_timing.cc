#include "match/direction_by_timing.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/try.h"
#include "match/key_hash.h"

namespace syncline {
namespace {

constexpr size_t kMaxWaiting = size_t{1} << 15;
constexpr size_t kMaxSample = size_t{1} << 18;
constexpr uint64_t kMaxMask = (uint64_t{1} << 40) - 1;
constexpr int64_t kMaxGapNs = 1'000'000'000;
constexpr int64_t kDriftDivisor = 1000;  // 1000 ppm
constexpr int64_t kNoiseNs = 500;
// Two hosts on one link are farther apart than this.
constexpr int64_t kSamePointNs = 5000;
constexpr uint64_t kMinVotes = 3;

// y − x modulo 2^64, so that nonsensical times do not overflow.
int64_t Difference(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(y) - static_cast<uint64_t>(x));
}

uint64_t Magnitude(int64_t v) {
  return v < 0 ? uint64_t{0} - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
}

uint32_t Captures(const PacketRecord& a, const PacketRecord& b) {
  return uint32_t{a.capture} << 16 | b.capture;
}

// An address as two captures see it.
uint64_t Key(uint32_t captures, uint16_t address) { return uint64_t{captures} << 16 | address; }

bool IsClear(uint64_t votes, uint64_t all) { return votes >= kMinVotes && votes * 10 >= all * 9; }

}  // namespace

Result<void> DirectionByTiming::Add(const PacketRecord& x, const PacketRecord& y) {
  const PacketPair pair = x.capture < y.capture ? PacketPair{x, y} : PacketPair{y, x};
  if (x.is_group == 0) TakeSample(pair);
  waiting_.push_back(pair);
  if (waiting_.size() < kMaxWaiting) return {};
  if (!file_) {
    SYNCLINE_ASSIGN(file_, TempFile::Create());
  }
  auto written = file_->Append(std::as_bytes(std::span(waiting_)));
  waiting_.clear();
  return written;
}

void DirectionByTiming::TakeSample(const PacketPair& pair) {
  const auto [source, destination] = std::pair(pair.a.source, pair.a.destination);
  const bool usable = source != 0 && destination != 0 && source != destination;
  if (!usable || sample_is_full_ || !IsSampled(pair.a.time)) return;
  if (sample_.size() >= kMaxSample) ThinSample();
  if (sample_is_full_ || !IsSampled(pair.a.time)) return;
  sample_.push_back({Captures(pair.a, pair.b), std::min(source, destination),
                     std::max(source, destination), pair.a.time, pair.b.time,
                     source < destination});
}

bool DirectionByTiming::IsSampled(int64_t time_a) const {
  constexpr uint64_t kMix = 0x9e3779b97f4a7c15;
  const auto stretch = static_cast<uint64_t>(time_a >> 26);  // 67 ms
  return (KeyHash::Fold(stretch ^ kMix, kMix) & sample_mask_) == 0;
}

void DirectionByTiming::ThinSample() {
  while (sample_.size() >= kMaxSample && sample_mask_ < kMaxMask) {
    const uint64_t mask = std::exchange(sample_mask_, sample_mask_ * 2 + 1);
    const auto stays = [this](const Sample& s) { return IsSampled(s.time_a); };
    if (std::ranges::none_of(sample_, stays)) {
      sample_mask_ = mask;
      sample_is_full_ = true;  // all in one stretch, which is then enough
      return;
    }
    std::erase_if(sample_, std::not_fn(stays));
  }
  sample_is_full_ = sample_.size() >= kMaxSample;
}

void DirectionByTiming::CountVotes() {
  const auto path = [](const Sample& s) { return std::tuple(s.captures, s.low, s.high); };
  std::ranges::sort(sample_, {}, [&](const Sample& s) {
    return std::tuple(path(s), s.time_a, s.time_b, s.from_low);
  });
  for (auto begin = sample_.begin(); begin != sample_.end();) {
    const auto end = std::find_if(begin, sample_.end(),
                                  [&](const Sample& s) { return s.captures != begin->captures; });
    uint64_t tick_a = 0;
    uint64_t tick_b = 0;
    for (auto s = begin; s != end; ++s) {
      tick_a = std::gcd(tick_a, Magnitude(s->time_a));
      tick_b = std::gcd(tick_b, Magnitude(s->time_b));
    }
    constexpr uint64_t kMaxTick = kMaxGapNs;
    const auto tick = static_cast<int64_t>(std::min(tick_a, kMaxTick) + std::min(tick_b, kMaxTick));
    for (auto s = begin; s + 1 < end; ++s) {
      if (path(s[0]) == path(s[1]) && s[0].from_low != s[1].from_low) Vote(s[0], s[1], tick);
    }
    begin = end;
  }
  sample_ = {};
}

void DirectionByTiming::Vote(const Sample& x, const Sample& y, int64_t tick_ns) {
  const uint64_t gap = std::max(Magnitude(Difference(x.time_a, y.time_a)),
                                Magnitude(Difference(x.time_b, y.time_b)));
  if (gap > kMaxGapNs) return;
  const Sample& from_low = x.from_low ? x : y;
  const Sample& from_high = x.from_low ? y : x;
  const int64_t excess = Difference(Difference(from_high.time_a, from_high.time_b),
                                    Difference(from_low.time_a, from_low.time_b));
  const int64_t threshold = static_cast<int64_t>(gap) / kDriftDivisor + tick_ns + kNoiseNs;
  const auto vote = [&](uint64_t Votes::*low, uint64_t Votes::*high) {
    ++(votes_[Key(x.captures, x.low)].*low);
    ++(votes_[Key(x.captures, x.high)].*high);
  };
  if (excess > threshold) {
    vote(&Votes::near_a, &Votes::near_b);
  } else if (excess < -threshold) {
    vote(&Votes::near_b, &Votes::near_a);
  } else if (threshold <= kSamePointNs) {
    vote(&Votes::same_point, &Votes::same_point);
  }
}

DirectionByTiming::Verdict DirectionByTiming::SideOf(uint32_t captures, uint16_t address) const {
  const auto found = votes_.find(Key(captures, address));
  if (address == 0 || found == votes_.end()) return Verdict::kUndecided;
  const Votes& votes = found->second;
  const uint64_t sides = votes.near_a + votes.near_b;
  if (IsClear(votes.near_a, sides)) return Verdict::kNearA;
  if (IsClear(votes.near_b, sides)) return Verdict::kNearB;
  if (IsClear(votes.same_point, sides + votes.same_point)) return Verdict::kSamePoint;
  return Verdict::kUndecided;
}

DirectionByTiming::Verdict DirectionByTiming::Decide(const PacketPair& pair) const {
  const uint32_t captures = Captures(pair.a, pair.b);
  const Verdict source = SideOf(captures, pair.a.source);
  if (pair.a.is_group != 0) return source;
  const Verdict destination = SideOf(captures, pair.a.destination);
  const bool both_sides = source != destination || source == Verdict::kSamePoint;
  return both_sides && destination != Verdict::kUndecided ? source : Verdict::kUndecided;
}

void DirectionByTiming::Enter(const PacketPair& pair, MatchLedger& ledger) const {
  const auto fate = [&](PacketFate f) {
    ledger.Fate(pair.a.capture, f);
    ledger.Fate(pair.b.capture, f);
  };
  switch (Decide(pair)) {
    case Verdict::kNearA: ledger.Message(pair.a, pair.b); return fate(PacketFate::kMatched);
    case Verdict::kNearB: ledger.Message(pair.b, pair.a); return fate(PacketFate::kMatched);
    case Verdict::kSamePoint: return fate(PacketFate::kSameHost);
    case Verdict::kUndecided: return fate(PacketFate::kDirectionUnknown);
  }
}

Result<void> DirectionByTiming::Finish(MatchLedger& ledger) {
  CountVotes();
  for (const PacketPair& pair : waiting_) Enter(pair, ledger);
  waiting_.clear();
  const uint64_t size = file_ ? file_->size() : 0;
  std::vector<PacketPair> block(size == 0 ? 0 : kMaxWaiting);
  for (uint64_t done = 0; done < size; done += block.size() * sizeof(PacketPair)) {
    SYNCLINE_TRY(file_->ReadAt(done, std::as_writable_bytes(std::span(block))));
    for (const PacketPair& pair : block) Enter(pair, ledger);
  }
  file_.reset();
  return {};
}

}  // namespace syncline
