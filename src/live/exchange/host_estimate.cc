#include "live/exchange/host_estimate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/int128.h"

namespace syncline {
namespace {

int64_t Difference(int64_t a, int64_t b) { return Saturate(Minus(a, b)); }
int64_t Middle(int64_t a, int64_t b) { return Saturate((static_cast<Int128>(a) + b) / 2); }

// Nothing says how far beyond it the true value is.
bool IsAtAnEnd(int64_t ns) { return ns == INT64_MIN || ns == INT64_MAX; }

int64_t Ppb(double ppm) { return static_cast<int64_t>(std::ceil(ppm * 1000)); }
double Ppm(int64_t ppb) { return static_cast<double>(ppb) / 1000; }

struct DriftRange {
  double low_ppm = 0;
  double high_ppm = 0;
};

// The mean drift over own time Δ, of which the peer's clock counted from `least` to `most`.
DriftRange MeanDrift(const PeerBounds& b, int64_t own_ns) {
  const double limit = Ppm(b.max_drift_ppb());
  const Int128 span = Minus(own_ns, b.start_ns());
  if (span <= 0) return {-limit, limit};
  // In 10^-6 ppm, rounded outwards.
  constexpr int64_t kParts = 1'000'000'000'000;
  const Int128 least = Minus(*b.Lower(own_ns), *b.UpperAtStart()) - span;
  const Int128 most = Minus(*b.Upper(own_ns), *b.LowerAtStart()) - span;
  const auto low = static_cast<double>(FloorDiv(least * kParts, span)) * 1e-6;
  const auto high = static_cast<double>(CeilDiv(most * kParts, span)) * 1e-6;
  return {std::clamp(low, -limit, limit), std::clamp(high, -limit, limit)};
}

}  // namespace

HostEstimate::HostEstimate(double max_drift_ppm) : bounds_(Ppb(max_drift_ppm)) {}

void HostEstimate::BeginAnew(Contradiction contradiction) {
  int64_t limit_ppb = bounds_.max_drift_ppb();
  if (contradiction.kind == Contradiction::Kind::kTooFast) {
    const double most_ppm = std::max(kMostSlewPpm, Ppm(limit_ppb));
    const double drift_ppm = std::abs(contradiction.drift_ppm);
    if (drift_ppm > most_ppm)
      contradiction.kind = Contradiction::Kind::kSet;
    else
      limit_ppb = Ppb(std::min(most_ppm, 2 * drift_ppm));
  }
  if (contradictions_.size() < kMostKept) contradictions_.push_back(contradiction);
  ++contradictions_seen_;
  exchanges_since_ = 0;
  before_ = bounds_;
  bounds_ = PeerBounds(limit_ppb);
  measured_.Clear();
  line_.reset();
}

// False where the message contradicts those before, which end with it.
bool HostEstimate::Take(const PeerMessage& message) {
  const auto contradiction = bounds_.ContradictionOf(message);
  if (contradiction) BeginAnew(*contradiction);
  bounds_.Add(message);
  return !contradiction;
}

// What the last contradiction was, if a clock was set then: c went from one that the bounds of
// before hold for to one that those of now do.
void HostEstimate::NarrowChange() {
  if (!before_ || contradictions_seen_ > contradictions_.size()) return;
  Contradiction& last = contradictions_.back();
  if (last.kind == Contradiction::Kind::kOwnSetBack) return;
  const int64_t now = bounds_.latest_ns();
  const auto narrow = [](std::optional<int64_t>& kept, std::optional<int64_t> a,
                         std::optional<int64_t> b, const auto& narrower) {
    if (!a || !b) return;
    const int64_t change = Difference(*a, *b);
    kept = kept ? narrower(*kept, change) : change;
  };
  narrow(last.change_low_ns, bounds_.Lower(now), before_->Upper(now),
         [](int64_t a, int64_t b) { return std::max(a, b); });
  narrow(last.change_high_ns, bounds_.Upper(now), before_->Lower(now),
         [](int64_t a, int64_t b) { return std::min(a, b); });
}

// Of a burst: the middle of what the fastest messages each way leave open, at its end.
void HostEstimate::Measure(std::span<const ClockExchange> burst) {
  if (burst.empty()) return;
  const int64_t now = burst.back().t4_ns;
  const double drift = line_ ? line_->drift.value_or(0) : 0;
  const auto moved = [&](int64_t offset_ns, int64_t own_ns) {
    return RecentLine::Line{.own_ns = own_ns, .offset_ns = offset_ns, .drift = drift}.OffsetAt(now);
  };
  int64_t low = INT64_MIN;
  int64_t high = INT64_MAX;
  for (const ClockExchange& e : burst) {
    low = std::max(low, moved(Difference(e.t3_ns, e.t4_ns), e.t4_ns));
    high = std::min(high, moved(Difference(e.t2_ns, e.t1_ns), e.t1_ns));
  }
  measured_.Add({now, Middle(low, high), std::max<int64_t>(0, Difference(high, low) / 2)});
  line_ = measured_.Find();
}

void HostEstimate::Add(std::span<const ClockExchange> exchanges) {
  size_t first = 0;  // of those that belong together
  for (size_t i = 0; i < exchanges.size(); ++i) {
    // An answer that contradicts what was before may have been stamped after its question was, and
    // after what happened: that question tells nothing of the time since.
    if (!Take(QuestionOf(exchanges[i]))) first = i;
    if (Take(AnswerOf(exchanges[i]))) {
      ++exchanges_since_;
    } else {
      first = i + 1;
    }
    NarrowChange();
  }
  exchanges_ += exchanges.size();
  Measure(exchanges.subspan(first));
}

double HostEstimate::MeanDriftPpm(const HostOffset& host) const {
  if (line_ && line_->is_of_all && line_->drift) return *line_->drift * 1e6;
  const Int128 span = Minus(host.at_ns, host.since_ns);
  if (span <= 0) return 0;
  const int64_t at_first =
      Difference(Middle(*bounds_.LowerAtStart(), *bounds_.UpperAtStart()), host.since_ns);
  return static_cast<double>(Minus(host.offset_ns, at_first)) / static_cast<double>(span) * 1e6;
}

std::string HostEstimate::WhyUnbounded(int64_t own_ns) const {
  const auto lower = bounds_.Lower(own_ns);
  const auto upper = bounds_.Upper(own_ns);
  if (exchanges_since_ < contradictions_seen_) {
    return fmt::format(
        "its times contradict each other too often for a clock that is set now and "
        "then ({} times in {} exchanges): no bounds",
        contradictions_seen_, exchanges_);
  }
  if (!lower || !upper) return "nothing but one message since it contradicted those before";
  const bool is_at_an_end =
      IsAtAnEnd(*lower) || IsAtAnEnd(*upper) || IsAtAnEnd(Difference(*lower, own_ns)) ||
      IsAtAnEnd(Difference(*upper, own_ns)) || IsAtAnEnd(*bounds_.LowerAtStart()) ||
      IsAtAnEnd(*bounds_.UpperAtStart());
  return is_at_an_end ? "its times are at the end of what a clock can show: no bounds" : "";
}

std::optional<HostOffset> HostEstimate::At(int64_t own_ns) const {
  if (bounds_.is_empty()) return std::nullopt;
  const int64_t at = std::max(own_ns, bounds_.latest_ns());
  const auto lower = bounds_.Lower(at);
  const auto upper = bounds_.Upper(at);
  HostOffset host = {
      .at_ns = at, .since_ns = bounds_.start_ns(), .max_drift_ppm = Ppm(bounds_.max_drift_ppb())};
  host.reason = WhyUnbounded(at);
  if (!host.reason.empty()) {
    host.quality = Quality::kIncomplete;
    host.offset_ns = Difference(lower && upper ? Middle(*lower, *upper)
                                : lower        ? *lower
                                               : *upper,
                                at);
    return host;
  }
  const int64_t low = Difference(*lower, at);
  const int64_t high = Difference(*upper, at);
  host.quality = Quality::kAccurate;
  host.offset_ns = std::clamp(line_ ? line_->OffsetAt(at) : Middle(low, high), low, high);
  const DriftRange drift = MeanDrift(bounds_, at);
  host.drift_ppm = std::clamp(MeanDriftPpm(host), drift.low_ppm, drift.high_ppm);
  host.bounds = {.low_ns = low,
                 .high_ns = high,
                 .low_drift_ppm = drift.low_ppm,
                 .high_drift_ppm = drift.high_ppm,
                 .below_ns = Difference(host.offset_ns, low),
                 .above_ns = Difference(high, host.offset_ns)};
  host.bounds->bound_ns = std::max(host.bounds->below_ns, host.bounds->above_ns);
  return host;
}

}  // namespace syncline
