#include "live/character/characterization.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/int128.h"
#include "base/try.h"

namespace syncline {
namespace {

struct CounterRate {
  CounterKind kind = CounterKind::kSystemClock;
  std::optional<Frequency> frequency;
};

// Of counters that are not steady, too: this is how one sees it.
Result<CounterRate> MeasureCounter(ClockSource source) {
  if (source != ClockSource::kCounter) return CounterRate{};
  const CounterFacts facts = InspectCounter();
  if (facts.counters.empty() || facts.counters.front() == CounterKind::kSystemClock) {
    return Fail(ErrorCode::kUnsupported, "programs cannot read this processor's counter");
  }
  CounterRate rate{facts.counters.front(), std::nullopt};
  MachineTime time(rate.kind);
  const Sighting early = SeeReference(time);
  rate.frequency =
      Calibrate(time, early, {.wanted_bound_ppb = 50, .max_wait_ns = 200'000'000}).frequency;
  if (rate.frequency && rate.frequency->hz > 0) return rate;
  return Fail(ErrorCode::kUnsupported, "the counter's frequency cannot be measured");
}

// How far a reading may be behind.
int64_t StepNs(const Resolution& resolution, const CounterRate& rate) {
  const int64_t common = std::max<int64_t>(1, resolution.common_step_ns);
  if (!rate.frequency) return common;
  const Int128 ns = static_cast<Int128>(CounterStep(rate.kind)) * 1'000'000'000;
  return std::max(common, Saturate(CeilDiv(ns, rate.frequency->hz)));
}

}  // namespace

std::vector<std::string> ClockCharacterization::Weaknesses() const {
  std::vector<std::string> weaknesses;
  const Measurement& m = measurement;
  if (m.unanswered > 0) {
    weaknesses.push_back(
        fmt::format("{} of {} measurements had no answer", m.unanswered, m.wanted));
  }
  // The Allan deviation takes measurements as even.
  if (m.skipped * 100 > m.wanted) {
    weaknesses.push_back(
        fmt::format("the machine was too busy for {} of {} measurements", m.skipped, m.wanted));
  }
  if (!character) {
    weaknesses.emplace_back("too few measurements, or the reference clock was set back");
  }
  if (resolution && resolution->least_step_ns == 0) {
    weaknesses.emplace_back("the clock stands still");
  }
  return weaknesses;
}

Result<ClockCharacterization> CharacterizeLocal(ClockSource source, ClockSource against,
                                                const Pace& pace) {
  SYNCLINE_ASSIGN(const CounterRate rate, MeasureCounter(source));
  ClockCharacterization c;
  c.clock = NameOf(source, rate.kind);
  c.reference = NameOf(against, rate.kind);
  c.frequency = rate.frequency;
  c.wanted_interval_ns = pace.interval_ns;
  const ClockReader clock(source, rate.kind, rate.frequency ? rate.frequency->hz : 1);
  const ClockReader reference(against, rate.kind, 1);
  c.resolution = ResolutionOf(clock);
  LocalMeter meter({clock, reference, StepNs(*c.resolution, rate),
                    StepNs(ResolutionOf(reference), CounterRate{})});
  c.measurement = MeasureOverTime(meter, pace);
  c.character = CharacterOf(c.measurement.samples);
  return c;
}

Result<ClockCharacterization> CharacterizePeer(const std::string& name, ExchangeClient client,
                                               uint32_t exchanges, const Pace& pace) {
  PeerMeter meter(std::move(client), exchanges);
  ClockCharacterization c;
  c.clock = name;
  c.reference = "CLOCK_REALTIME";
  c.wanted_interval_ns = pace.interval_ns;
  c.measurement = MeasureOverTime(meter, pace);
  if (meter.error()) return tl::unexpected(*meter.error());
  if (c.measurement.samples.empty()) {
    return Fail(ErrorCode::kUnreadable, fmt::format("{} does not answer", name));
  }
  c.character = CharacterOf(c.measurement.samples);
  return c;
}

}  // namespace syncline
