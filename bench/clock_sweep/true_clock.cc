#include "true_clock.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace syncline::sweep {
namespace {

__extension__ typedef __int128 Int128;

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
// ntpd's limits: above the one a clock is set, at most the other it is corrected by.
constexpr double kNtpStepNs = 128e6;
constexpr double kNtpLimitPpm = 500;

Int128 FloorDiv(Int128 dividend, Int128 divisor) {
  const Int128 quotient = dividend / divisor;
  return quotient - (dividend % divisor < 0 ? 1 : 0);
}

// The rate of the free-running clock, constant for a step.
class Oscillator {
 public:
  Oscillator(const ClockModel& model, Random& random) : model_(model), random_(random) {
    for (const Walk& walk : model.walks) Refine(walk.step_ns);
    for (const Sine& sine : model.sines) Refine(sine.period_ns / 64);
    for (const Warming& warming : model.warmings) Refine(warming.tau_ns / 20);
    for (size_t i = 0; i < model.sines.size(); ++i) phases_.push_back(random.Between(0, 2 * M_PI));
    walked_.resize(model.walks.size());
    walks_at_.assign(model.walks.size(), 0);
    Act(0);
  }

  int64_t next_ns() const { return next_ns_; }
  double ppm() const { return ppm_; }

  void Act(int64_t now_ns) {
    ppm_ = model_.drift_ppm;
    for (size_t i = 0; i < model_.walks.size(); ++i) ppm_ += Walked(i, now_ns);
    for (size_t i = 0; i < model_.sines.size(); ++i) {
      const Sine& sine = model_.sines[i];
      const double turns = static_cast<double>(now_ns) / static_cast<double>(sine.period_ns);
      ppm_ += sine.ppm * std::sin(phases_[i] + 2 * M_PI * turns);
    }
    for (const Warming& warming : model_.warmings) {
      if (now_ns < warming.when_ns) continue;
      const auto since = static_cast<double>(now_ns - warming.when_ns);
      ppm_ += warming.ppm * (1 - std::exp(-since / static_cast<double>(warming.tau_ns)));
    }
    if (step_ns_ != kNever) next_ns_ = now_ns + step_ns_;
  }

 private:
  void Refine(int64_t step_ns) { step_ns_ = std::max<int64_t>(1000, std::min(step_ns_, step_ns)); }

  double Walked(size_t i, int64_t now_ns) {
    const Walk& walk = model_.walks[i];
    for (; walks_at_[i] + walk.step_ns <= now_ns; walks_at_[i] += walk.step_ns) {
      double rate = walked_[i] + random_.Normal(walk.ppm);
      if (rate > walk.limit_ppm) rate = 2 * walk.limit_ppm - rate;
      if (rate < -walk.limit_ppm) rate = -2 * walk.limit_ppm - rate;
      walked_[i] = std::clamp(rate, -walk.limit_ppm, walk.limit_ppm);
    }
    return walked_[i];
  }

  const ClockModel& model_;
  Random& random_;
  int64_t step_ns_ = kNever;
  int64_t next_ns_ = kNever;
  double ppm_ = 0;
  std::vector<double> phases_;
  std::vector<double> walked_;
  std::vector<int64_t> walks_at_;
};

// What a daemon adds to the rate. It learns the offset with a constant error, as of asymmetric
// ways, and one drawn anew each time.
class Discipline {
 public:
  Discipline(const ClockModel& model, Random& random) : random_(random) {
    if (!model.daemon) return;
    daemon_ = *model.daemon;
    bias_ns_ = random.Between(-daemon_.error_ns, daemon_.error_ns);
    poll_at_ = static_cast<int64_t>(random.Uniform() * static_cast<double>(daemon_.poll_ns));
  }

  int64_t next_ns() const { return std::min(poll_at_, slew_end_); }
  double ppm() const { return frequency_ppm_ + slew_ppm_; }
  void WaitUntil(int64_t now_ns) {
    if (poll_at_ != kNever) poll_at_ = std::max(poll_at_, now_ns);
    if (slew_end_ != kNever) slew_end_ = std::max(slew_end_, now_ns);
  }

  // By how much the clock is set now: 0 but where ntpd steps it.
  double Act(int64_t now_ns, double offset_ns, double free_ppm) {
    if (now_ns >= slew_end_) {
      slew_ppm_ = 0;
      slew_end_ = kNever;
    }
    if (now_ns < poll_at_) return 0;
    poll_at_ = now_ns + daemon_.poll_ns;
    const double seen_ns = offset_ns + bias_ns_ + random_.Normal(daemon_.error_ns);
    slew_ppm_ = 0;
    slew_end_ = kNever;
    if (daemon_.kind == Daemon::Kind::kChrony) return Chrony(now_ns, seen_ns, free_ppm);
    if (std::abs(seen_ns) > kNtpStepNs) return -seen_ns;
    return Ntp(now_ns, seen_ns);
  }

 private:
  double Ntp(int64_t now_ns, double seen_ns) {
    const double poll_s = static_cast<double>(daemon_.poll_ns) / kNsPerSecond;
    frequency_ppm_ = std::clamp(frequency_ppm_ - 0.1 * seen_ns / 1e3 / poll_s, -100.0, 100.0);
    const double most = std::min(daemon_.slew_ppm, kNtpLimitPpm - std::abs(frequency_ppm_));
    Slew(now_ns, seen_ns, most);
    return 0;
  }

  double Chrony(int64_t now_ns, double seen_ns, double free_ppm) {
    const double poll_s = static_cast<double>(daemon_.poll_ns) / kNsPerSecond;
    frequency_ppm_ = -free_ppm + random_.Normal(0.3 * daemon_.error_ns / 1e3 / poll_s);
    const double gentle = std::abs(seen_ns) / 1e3 / (0.5 * poll_s);
    Slew(now_ns, seen_ns, std::min(daemon_.slew_ppm, gentle));
    return 0;
  }

  void Slew(int64_t now_ns, double offset_ns, double ppm) {
    if (ppm <= 0) return;
    slew_ppm_ = offset_ns > 0 ? -ppm : ppm;
    slew_end_ = now_ns + 1 + static_cast<int64_t>(std::abs(offset_ns) / ppm * 1e6);
  }

  Random& random_;
  Daemon daemon_;
  double bias_ns_ = 0;
  int64_t poll_at_ = kNever;
  int64_t slew_end_ = kNever;
  double frequency_ppm_ = 0;
  double slew_ppm_ = 0;
};

// Builds the knots, change by change. Times count from the start of the run.
class ClockBuilder {
 public:
  ClockBuilder(const ClockModel& model, int64_t start_ns, Random& random)
      : start_ns_(start_ns),
        offset_ns_(model.offset_ns),
        oscillator_(model, random),
        discipline_(model, random),
        sets_(model.sets),
        sleeps_(model.sleeps) {
    clock_.ticks_per_second = model.ticks_per_second;
    std::sort(sets_.begin(), sets_.end(),
              [](const Set& a, const Set& b) { return a.when_ns < b.when_ns; });
    std::sort(sleeps_.begin(), sleeps_.end(),
              [](const Sleep& a, const Sleep& b) { return a.when_ns < b.when_ns; });
    AddKnot();
  }

  TrueClock Build(int64_t length_ns) {
    while (now_ns_ < length_ns) {
      const int64_t next = std::min(
          {length_ns, oscillator_.next_ns(), discipline_.next_ns(), NextSet(), NextSleep()});
      Advance(std::max(next, now_ns_));
      AddKnot();
      Act();
    }
    return std::move(clock_);
  }

 private:
  int64_t NextSet() const { return set_ < sets_.size() ? sets_[set_].when_ns : kNever; }
  int64_t NextSleep() const { return sleep_ < sleeps_.size() ? sleeps_[sleep_].when_ns : kNever; }
  double Ppm() const { return oscillator_.ppm() + discipline_.ppm(); }

  void Advance(int64_t next_ns) {
    offset_ns_ += static_cast<double>(next_ns - now_ns_) * Ppm() * 1e-6;
    now_ns_ = next_ns;
  }

  void AddKnot() {
    const int64_t true_ns = start_ns_ + now_ns_;
    const int64_t local_ns = true_ns + std::llround(offset_ns_);
    auto& knots = clock_.knots;
    // Rounding lets knots a nanosecond apart show the same reading.
    const bool is_same = !knots.empty() && !knots.back().is_jump &&
                         (knots.back().true_ns >= true_ns || knots.back().local_ns >= local_ns);
    if (is_same) {
      knots.back().ppm = Ppm();
    } else {
      knots.push_back({true_ns, local_ns, Ppm(), false});
    }
  }

  void Act() {
    if (now_ns_ >= oscillator_.next_ns()) oscillator_.Act(now_ns_);
    const double by_ns = now_ns_ < discipline_.next_ns()
                             ? 0
                             : discipline_.Act(now_ns_, offset_ns_, oscillator_.ppm());
    clock_.knots.back().ppm = Ppm();
    if (by_ns != 0) Jump(1, by_ns);
    if (now_ns_ >= NextSet()) Jump(1, static_cast<double>(sets_[set_++].by_ns));
    if (now_ns_ < NextSleep()) return;
    const Sleep& sleep = sleeps_[sleep_++];
    clock_.sleeps.push_back({start_ns_ + now_ns_, sleep.for_ns});
    // The clock shows one nanosecond more at the end, so that knots increase.
    Jump(sleep.for_ns, -static_cast<double>(sleep.for_ns - 1));
    discipline_.WaitUntil(now_ns_);
  }

  void Jump(int64_t for_ns, double by_ns) {
    clock_.knots.back().is_jump = true;
    now_ns_ += for_ns;
    offset_ns_ += by_ns;
    AddKnot();
  }

  TrueClock clock_;
  int64_t start_ns_;
  int64_t now_ns_ = 0;
  double offset_ns_;
  Oscillator oscillator_;
  Discipline discipline_;
  std::vector<Set> sets_;
  std::vector<Sleep> sleeps_;
  size_t set_ = 0;
  size_t sleep_ = 0;
};

}  // namespace

int64_t TrueClock::LocalNs(int64_t true_ns) const {
  const auto after =
      std::partition_point(knots.begin() + 1, knots.end() - 1,
                           [&](const Knot& knot) { return knot.true_ns <= true_ns; });
  const Knot& b = *after;
  const Knot& a = *(after - 1);
  const Int128 rise = static_cast<Int128>(b.local_ns) - a.local_ns;
  const Int128 passed = static_cast<Int128>(true_ns) - a.true_ns;
  return a.local_ns + static_cast<int64_t>(FloorDiv(passed * rise, b.true_ns - a.true_ns));
}

int64_t TrueClock::Ticks(int64_t true_ns) const {
  const Int128 product = static_cast<Int128>(LocalNs(true_ns)) * ticks_per_second;
  return static_cast<int64_t>(FloorDiv(product, kNsPerSecond));
}

bool TrueClock::IsAsleep(int64_t true_ns) const {
  return std::any_of(sleeps.begin(), sleeps.end(), [&](const Sleep& sleep) {
    return true_ns >= sleep.when_ns && true_ns <= sleep.when_ns + sleep.for_ns;
  });
}

TrueClock MakeClock(const ClockModel& model, int64_t start_ns, int64_t end_ns, Random random) {
  return ClockBuilder(model, start_ns, random).Build(end_ns - start_ns);
}

RateRange RatesAgainst(const TrueClock& reference, const TrueClock& clock) {
  RateRange range{1e9, -1e9};
  size_t r = 0;
  size_t c = 0;
  while (r + 1 < reference.knots.size() && c + 1 < clock.knots.size()) {
    const TrueClock::Knot& global = reference.knots[r];
    const TrueClock::Knot& local = clock.knots[c];
    if (!global.is_jump && !local.is_jump) {
      const double ppm = (global.ppm - local.ppm) / (1 + local.ppm * 1e-6);
      range.least_ppm = std::min(range.least_ppm, ppm);
      range.greatest_ppm = std::max(range.greatest_ppm, ppm);
    }
    const int64_t next_global = reference.knots[r + 1].true_ns;
    const int64_t next_local = clock.knots[c + 1].true_ns;
    if (next_global <= next_local) ++r;
    if (next_local <= next_global) ++c;
  }
  return range;
}

}  // namespace syncline::sweep
