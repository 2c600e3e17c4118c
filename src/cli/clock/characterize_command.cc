#include "cli/clock/characterize_command.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/int128.h"
#include "base/parse_number.h"
#include "cli/clock/characterization.h"
#include "cli/clock/exchange_options.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/optional_output.h"
#include "live/character/peer_meter.h"

namespace syncline {
namespace {

constexpr const char* kCharacterizeFooter =
    R"(Offset = clock - reference, positive: the clock is ahead. The counter's ticks become time by its
frequency against CLOCK_MONOTONIC_RAW, measured for a fifth of a second before.
Drift is that of a line through all offsets; jitter and Allan deviation are without it.
With --peer the clock is that of a host where `syncline clock serve` runs, and the reference this
machine's CLOCK_REALTIME.

Exit codes: 0 done; 1 wrong usage; 2 an output cannot be written, the counter cannot be read, the
peer does not answer; 3 done, with a stated weakness (measurements missing, clock stands still).)";

constexpr double kMostSamples = 1e6;

Result<Pace> ParsePace(const CharacterizeOptions& o) {
  const auto duration = ParseWithin("--duration", o.duration, 0.001, 1e7);
  if (!duration) return tl::unexpected(duration.error());
  const std::string interval_text = !o.interval.empty() ? o.interval
                                    : o.peer.empty()    ? "0.01"
                                                        : "0.1";
  const auto interval = ParseWithin("--interval", interval_text, 1e-5, 1e6);
  if (!interval) return tl::unexpected(interval.error());
  const double samples = std::floor(*duration / *interval * (1 + 1e-12)) + 1;
  if (samples < 3 || samples > kMostSamples) {
    return Fail(ErrorCode::kUsage,
                fmt::format("--duration and --interval give {:.0f} measurements; 3 to {:.0f} are "
                            "possible",
                            samples, kMostSamples));
  }
  return Pace{std::llround(*interval * 1e9), static_cast<uint64_t>(samples)};
}

ClockSource SourceNamed(const std::string& name) {
  if (name == "counter") return ClockSource::kCounter;
  if (name == "monotonic") return ClockSource::kMonotonic;
  if (name == "monotonic-raw") return ClockSource::kMonotonicRaw;
  return name == "realtime" ? ClockSource::kRealtime : ClockSource::kGetTimeOfDay;
}

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

Result<ClockCharacterization> MeasureLocal(const CharacterizeOptions& o, const Pace& pace) {
  const ClockSource source = SourceNamed(o.source);
  const ClockSource against = SourceNamed(o.against);
  const auto rate = MeasureCounter(source);
  if (!rate) return tl::unexpected(rate.error());
  ClockCharacterization c;
  c.clock = NameOf(source, rate->kind);
  c.reference = NameOf(against, rate->kind);
  c.frequency = rate->frequency;
  c.wanted_interval_ns = pace.interval_ns;
  const ClockReader clock(source, rate->kind, rate->frequency ? rate->frequency->hz : 1);
  const ClockReader reference(against, rate->kind, 1);
  c.resolution = ResolutionOf(clock);
  LocalMeter meter({clock, reference, StepNs(*c.resolution, *rate),
                    StepNs(ResolutionOf(reference), CounterRate{})});
  c.measurement = MeasureOverTime(meter, pace);
  c.character = CharacterOf(c.measurement.samples);
  return c;
}

Result<ExchangeClient> ConnectTo(const CharacterizeOptions& o) {
  const auto place = ParseHostAndPort(o.peer);
  if (!place) return tl::unexpected(place.error());
  const auto endpoint = ResolveEndpoint(*place);
  if (!endpoint) return tl::unexpected(endpoint.error());
  auto key = o.key.empty() ? Result<PacketKey>(PacketKey()) : PacketKey::FromFile(o.key);
  if (!key) return tl::unexpected(key.error());
  return ExchangeClient::Connect(*endpoint, {.key = std::move(*key)});
}

Result<ClockCharacterization> MeasurePeer(const CharacterizeOptions& o, const Pace& pace) {
  const auto exchanges = ParseWithin("--exchanges", o.exchanges, 1, 1000);
  if (!exchanges) return tl::unexpected(exchanges.error());
  auto client = ConnectTo(o);
  if (!client) return tl::unexpected(client.error());
  PeerMeter meter(std::move(*client), static_cast<uint32_t>(*exchanges));
  ClockCharacterization c;
  c.clock = o.peer;
  c.reference = "CLOCK_REALTIME";
  c.wanted_interval_ns = pace.interval_ns;
  c.measurement = MeasureOverTime(meter, pace);
  if (meter.error()) return tl::unexpected(*meter.error());
  if (c.measurement.samples.empty()) {
    return Fail(ErrorCode::kUnreadable, fmt::format("{} does not answer", o.peer));
  }
  c.character = CharacterOf(c.measurement.samples);
  return c;
}

}  // namespace

void DeclareCharacterizeOptions(CLI::App& command, CharacterizeOptions& o) {
  const auto add = [&command](const char* name, std::string& value, const char* type,
                              const char* help) {
    return command.add_option(name, value, help)->type_name(type);
  };
  CLI::Option* source =
      add("--source", o.source, "", "The clock that is measured; counter: the processor's")
          ->check(
              CLI::IsMember({"counter", "monotonic", "monotonic-raw", "realtime", "gettimeofday"}))
          ->capture_default_str();
  CLI::Option* against = add("--against", o.against, "", "The clock that it is measured against")
                             ->check(CLI::IsMember({"realtime", "monotonic", "monotonic-raw"}))
                             ->capture_default_str();
  CLI::Option* peer = add("--peer", o.peer, "HOST[:PORT]", "Measure this host's clock instead");
  peer->excludes(source)->excludes(against);
  add("--key", o.key, "FILE", "Sign exchanges with the key in this file, as the peer does")
      ->needs(peer);
  add("--exchanges", o.exchanges, "N", "Exchanges per measurement, of which the fastest counts")
      ->needs(peer)
      ->capture_default_str();
  add("--duration", o.duration, "SECONDS", "How long to measure")->capture_default_str();
  add("--interval", o.interval, "SECONDS",
      "From one measurement to the next (default: 0.01; 0.1 with --peer)");
  add("--plot", o.plot, "FILE.svg", "Draw offset and Allan deviation");
  DeclareOutputOptions(command, o, "Write the figures as JSON; - for standard output");
  FinishOptions(command);
  command.footer(kCharacterizeFooter);
}

Result<int> RunCharacterize(const CharacterizeOptions& o) {
  const auto pace = ParsePace(o);
  if (!pace) return tl::unexpected(pace.error());
  const IfExists if_exists = o.force ? IfExists::kReplace : IfExists::kFail;
  auto json = OptionalOutput(o.json, if_exists);
  if (!json) return tl::unexpected(json.error());
  auto plot = OptionalOutput(o.plot, if_exists);
  if (!plot) return tl::unexpected(plot.error());
  const auto c = o.peer.empty() ? MeasureLocal(o, *pace) : MeasurePeer(o, *pace);
  if (!c) return tl::unexpected(c.error());
  if (!o.quiet && o.json != "-") fmt::print("{}", CharacterizationText(*c));
  if (auto done = FinishOutput(*json, CharacterizationJson(*c)); !done) {
    return tl::unexpected(done.error());
  }
  if (c->character) {
    if (auto done = FinishOutput(*plot, CharacterizationPlot(*c)); !done) {
      return tl::unexpected(done.error());
    }
  }
  return c->Weaknesses().empty() ? kExitDone : kExitWeak;
}

}  // namespace syncline
