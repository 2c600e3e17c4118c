#include "cli/clock/calibrate_command.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/parse_number.h"
#include "cli/clock/calibration.h"
#include "cli/clock/exchange_options.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/optional_output.h"
#include "cli/options.h"
#include "record/counter/time_sources.h"

namespace syncline {
namespace {

constexpr const char* kCalibrateFooter =
    R"(Ticks are the counter's. Least and median costs are per call: warm, of calls one after the other;
cold, of single calls after their code and data were put out of the first two caches.
The frequency's bound holds whatever interrupted the measurement, but only against the reference
clock: monotonic-raw is neither stepped nor slewed, and has the error of this machine's oscillator.

Exit codes: 0 done; 1 wrong usage; 2 an output cannot be written; 3 done, with a stated weakness
(counter not steady or not the same on all cores, wanted bound not reached).)";

struct Reference {
  clockid_t clock = CLOCK_MONOTONIC_RAW;
  const char* name = "CLOCK_MONOTONIC_RAW";
};

Reference ReferenceNamed(const std::string& name) {
  if (name == "monotonic") return {CLOCK_MONOTONIC, "CLOCK_MONOTONIC"};
  if (name == "realtime") return {CLOCK_REALTIME, "CLOCK_REALTIME"};
  return {};
}

CounterWish WishNamed(const std::string& name) {
  if (name == "processor") return CounterWish::kProcessor;
  return name == "system" ? CounterWish::kSystem : CounterWish::kAuto;
}

// Not longer than the span even where the clock is set back meanwhile. Short times are waited for
// without giving the processor away.
void WaitUntil(TimeSources& sources, int64_t end_ns, int64_t span) {
  constexpr int64_t kShortNs = 2'000'000;
  int64_t left = end_ns - sources.ReferenceNs();
  if (span > kShortNs) return sources.Sleep(std::min(left, span));
  while (left > 0 && left <= span) left = end_ns - sources.ReferenceNs();
}

// From 10 µs on, each time ten times longer; what an interruption has made late is left out.
std::vector<Frequency> FrequencyOverTime(TimeSources& sources, int64_t longest_ns) {
  constexpr int64_t kShortestNs = 10'000;
  std::vector<Frequency> by_elapsed;
  const Sighting early = SeeReference(sources);
  for (int64_t span = kShortestNs;; span = std::min(span * 10, longest_ns)) {
    const int64_t elapsed = sources.ReferenceNs() - early.clock_ns;
    if (elapsed > 5 * span && span < longest_ns) continue;
    WaitUntil(sources, early.clock_ns + span, span);
    if (const auto f = FrequencyBetween(early, SeeReference(sources), sources)) {
      by_elapsed.push_back(*f);
    }
    if (span >= longest_ns) return by_elapsed;
  }
}

Result<MachineCalibration> Measure(const CalibrateOptions& o) {
  const auto seconds = ParseWithin("--time", o.time, 0.001, 3600);
  if (!seconds) return tl::unexpected(seconds.error());
  const auto bound_ppm = ParseWithin("--bound-ppm", o.bound_ppm, 0.001, 1000);
  if (!bound_ppm) return tl::unexpected(bound_ppm.error());
  MachineCalibration c;
  c.facts = InspectCounter();
  auto choice = ChooseCounter(c.facts, WishNamed(o.counter));
  if (!choice) return tl::unexpected(choice.error());
  c.choice = *choice;
  const Reference reference = ReferenceNamed(o.reference);
  c.reference = reference.name;
  c.wanted_bound_ppb = std::llround(*bound_ppm * 1000);
  MachineTime sources(c.choice.kind, reference.clock);
  c.is_reference = sources.CounterIsReference();
  c.by_elapsed = FrequencyOverTime(sources, std::llround(*seconds * 1e9));
  c.costs = MeasureReadingCosts(c.facts, c.choice.kind);
  c.cores = CompareCores(c.choice.kind);
  return c;
}

}  // namespace

void DeclareCalibrateOptions(CLI::App& command, CalibrateOptions& o) {
  command.add_option("--time", o.time, "How long the frequency is measured")
      ->type_name("SECONDS")
      ->capture_default_str();
  command.add_option("--bound-ppm", o.bound_ppm, "How closely the frequency is to be known")
      ->type_name("PPM")
      ->capture_default_str();
  command.add_option("--reference", o.reference, "The clock that it is measured against")
      ->check(CLI::IsMember({"monotonic-raw", "monotonic", "realtime"}))
      ->capture_default_str();
  command
      .add_option("--counter", o.counter,
                  "What is measured. auto: the processor's counter where it is steady, else the "
                  "system's clock; processor: fail where it is not; system: CLOCK_MONOTONIC_RAW")
      ->check(CLI::IsMember({"auto", "processor", "system"}))
      ->capture_default_str();
  DeclareOutputOptions(command, o, "Write the figures as JSON; - for standard output");
  FinishOptions(command);
  command.footer(kCalibrateFooter);
}

Result<int> RunCalibrate(const CalibrateOptions& options) {
  auto json = OptionalOutput(options.json, options.force ? IfExists::kReplace : IfExists::kFail);
  if (!json) return tl::unexpected(json.error());
  const auto calibration = Measure(options);
  if (!calibration) return tl::unexpected(calibration.error());
  if (!options.quiet && options.json != "-") fmt::print("{}", CalibrationText(*calibration));
  if (auto done = FinishOutput(*json, CalibrationJson(*calibration)); !done) {
    return tl::unexpected(done.error());
  }
  return calibration->Weaknesses().empty() ? kExitDone : kExitWeak;
}

}  // namespace syncline
