#include <cmath>

#include <fmt/format.h>

#include "base/terminal_text.h"
#include "base/try.h"
#include "cli/clock/clock_command.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/parsed_option.h"
#include "report/json_parts.h"
#include "report/table.h"

namespace syncline {
namespace {

constexpr const char* kCalibrateFooter =
    R"(Ticks are the counter's. Least and median costs are per call: warm, of calls one after the other;
cold, of single calls after their code and data were put out of the first two caches.
The frequency's bound holds whatever interrupted the measurement, but only against the reference
clock: monotonic-raw is neither stepped nor slewed, and has the error of this machine's oscillator.
Times take ns, us, ms, s, min, h; a number alone is in seconds.

Exit codes: 0 done; 1 wrong usage; 2 an output cannot be written; 3 done, with a stated weakness
(counter not steady or not the same on all cores, wanted bound not reached).)";

double NsPerTick(const MachineCalibration& c) {
  return c.Best() == nullptr ? 0 : 1e9 / static_cast<double>(c.Best()->hz);
}

std::string FormatTicks(double ticks) { return fmt::format("{:.{}f}", ticks, ticks < 100 ? 1 : 0); }

std::string FormatTenthsOfNs(double ns) { return fmt::format("{:.1f} ns", ns); }

std::string FormatPpb(int64_t ppb) {
  return fmt::format("{:.{}f} ppm", static_cast<double>(ppb) * 1e-3, ppb < 100'000 ? 3 : 0);
}

std::string FormatMegahertz(int64_t hz) {
  return fmt::format("{:.6f} MHz", static_cast<double>(hz) * 1e-6);
}

std::string FormatDifference(const Frequency& f, const Frequency& best) {
  return FormatDrift(static_cast<double>(f.hz - best.hz) / static_cast<double>(best.hz) * 1e6);
}

std::string FormatSignedTicks(int64_t ticks) {
  const uint64_t size = ticks < 0 ? -static_cast<uint64_t>(ticks) : static_cast<uint64_t>(ticks);
  return fmt::format("{}{} ticks", ticks < 0 ? "−" : "", size);
}

const char* YesNo(bool yes) { return yes ? "yes" : "no"; }

std::string MachineText(const MachineCalibration& c) {
  const CounterFacts& f = c.facts;
  std::string text =
      fmt::format("{}, {}{}\n", f.processor.empty() ? "processor unknown" : f.processor, f.kernel,
                  f.is_virtual_machine ? ", in a virtual machine" : "");
  text += fmt::format("Counter: {}, {}.\n", CounterName(c.choice.kind), c.choice.reason);
  text +=
      fmt::format("Invariant: {}; not rejected by the kernel: {}; the kernel's own source: {}.\n\n",
                  YesNo(f.is_invariant), YesNo(f.is_trusted_by_kernel),
                  f.clock_source.empty() ? "unknown" : f.clock_source);
  return text;
}

std::string FrequencyText(const MachineCalibration& c) {
  if (c.is_reference) return "Frequency: 1000 MHz, being the reference clock itself.\n";
  const Frequency* best = c.Best();
  if (best == nullptr)
    return "Frequency: unknown, the counter or the reference clock stands still.\n";
  std::string text = fmt::format("Frequency: {} ± {}, by {}.\n\n", FormatMegahertz(best->hz),
                                 FormatPpb(best->BoundPpb()), c.reference);
  Table table({"measured for", "frequency", "bound ±", "from the last"});
  for (const Frequency& f : c.by_elapsed) {
    table.AddRow({FormatDuration(f.elapsed_ns), FormatMegahertz(f.hz), FormatPpb(f.BoundPpb()),
                  FormatDifference(f, *best)});
  }
  text += table.ToString();
  if (const auto wanted = c.WantedElapsedNs()) {
    text += fmt::format("\nA bound of {} takes {} on this machine.\n",
                        FormatPpb(c.wanted_bound_ppb), FormatDuration(*wanted));
  }
  return text;
}

std::string FormatStep(const ReadingCost& cost) {
  switch (cost.steps.least == 0 ? StepUnit::kNone : cost.step_unit) {
    case StepUnit::kNone: break;
    case StepUnit::kTicks: return fmt::format("{} ticks", cost.steps.least);
    case StepUnit::kNanoseconds: return FormatDuration(cost.steps.least);
  }
  return "–";
}

std::string ReadingCostText(const MachineCalibration& c) {
  const double ns = NsPerTick(c);
  Table table({Left("reading"), "warm: least", "median ticks", "median", "cold: least",
               "median ticks", "median", "least step"});
  for (const ReadingCost& cost : c.costs.readings) {
    table.AddRow({cost.name, FormatTicks(cost.warm.least), FormatTicks(cost.warm.median),
                  FormatTenthsOfNs(cost.warm.median * ns), FormatTicks(cost.cold.least),
                  FormatTicks(cost.cold.median), FormatTenthsOfNs(cost.cold.median * ns),
                  FormatStep(cost)});
  }
  const uint64_t code = c.costs.evicted_code_bytes;
  return fmt::format("\n{}\nCold: after {} of data {}.\n", table.ToString(),
                     FormatBytes(c.costs.evicted_data_bytes),
                     code == 0
                         ? "were written; code stayed warm"
                         : fmt::format("were written and {} of code called", FormatBytes(code)));
}

std::string CoreText(const MachineCalibration& c) {
  if (c.cores.empty()) return "\nOnly one core may be used: nothing to compare it with.\n";
  Table table({"core", "against", "offset at least", "at most", "exchanges", Left("equal")});
  for (const CoreOffset& core : c.cores) {
    table.AddRow({fmt::format("{}", core.core), fmt::format("{}", core.against),
                  FormatSignedTicks(core.low_ticks), FormatSignedTicks(core.high_ticks),
                  FormatCount(core.exchanges), core.MayBeEqual() ? "within this" : "no"});
  }
  return "\n" + table.ToString();
}

Json FrequencyJson(const Frequency& f) {
  return {SYNCLINE_FIELDS(f, elapsed_ns, hz, low_hz, high_hz), {"bound_ppb", f.BoundPpb()}};
}

double Rounded(double value) { return std::round(value * 100) / 100; }

Json TickFiguresJson(const TickFigures& figures, const Frequency* frequency) {
  const auto in_ns = [frequency](double ticks) {
    if (frequency == nullptr) return Json(nullptr);
    return Json(Rounded(ticks * (1e9 / static_cast<double>(frequency->hz))));
  };
  return {{"least_ticks", Rounded(figures.least)},
          {"median_ticks", Rounded(figures.median)},
          {"least_ns", in_ns(figures.least)},
          {"median_ns", in_ns(figures.median)}};
}

Json StepUnitJson(StepUnit unit) {
  if (unit == StepUnit::kNone) return nullptr;
  return unit == StepUnit::kTicks ? "ticks" : "ns";
}

Json CostJson(const ReadingCost& cost, const Frequency* frequency) {
  return {{"name", cost.name},
          {"warm", TickFiguresJson(cost.warm, frequency)},
          {"cold", TickFiguresJson(cost.cold, frequency)},
          {"step_unit", StepUnitJson(cost.step_unit)},
          {"least_step", cost.steps.least},
          {"common_step", cost.steps.common}};
}

Json CoreJson(const CoreOffset& core) {
  return {SYNCLINE_FIELDS(core, core, against, low_ticks, high_ticks, exchanges),
          {"may_be_equal", core.MayBeEqual()}};
}

}  // namespace

std::string CalibrationText(const MachineCalibration& calibration) {
  std::string text = MachineText(calibration) + FrequencyText(calibration) +
                     ReadingCostText(calibration) + CoreText(calibration);
  for (const std::string& weakness : calibration.Weaknesses()) {
    text += fmt::format("\nweakness: {}", weakness);
  }
  if (text.back() != '\n') text += '\n';
  return text;
}

std::string CalibrationJson(const MachineCalibration& c) {
  const auto cost = [&c](const ReadingCost& reading) { return CostJson(reading, c.Best()); };
  const Json json = {
      {"syncline", SYNCLINE_VERSION},
      {"machine",
       {SYNCLINE_FIELDS(c.facts, processor, kernel),
        {"virtual_machine", c.facts.is_virtual_machine}}},
      {"counter",
       {{"name", CounterName(c.choice.kind)},
        {"reason", c.choice.reason},
        {"invariant", c.facts.is_invariant},
        {"trusted_by_kernel", c.facts.is_trusted_by_kernel},
        {"kernel_clock_source", c.facts.clock_source}}},
      {"frequency",
       {{"reference", c.reference},
        {"best", c.Best() == nullptr ? Json(nullptr) : FrequencyJson(*c.Best())},
        {"by_elapsed", ListJson(c.by_elapsed, FrequencyJson)},
        {"wanted_bound_ppb", c.wanted_bound_ppb},
        {"wanted_elapsed_ns", OrNull(c.WantedElapsedNs())}}},
      {"costs", ListJson(c.costs.readings, cost)},
      {"evicted",
       {{"data_bytes", c.costs.evicted_data_bytes}, {"code_bytes", c.costs.evicted_code_bytes}}},
      {"cores", ListJson(c.cores, CoreJson)},
      {"weaknesses", c.Weaknesses()}};
  return JsonText(json, 2) + "\n";
}

void DeclareCalibrateOptions(CLI::App& command, CalibrateOptions& o) {
  AddParsed(command, "--time", o.plan.longest_ns, SecondsWithin(0.001, 3600), "SECONDS",
            "How long the frequency is measured")
      ->default_str("1");
  AddParsed(command, "--bound-ppm", o.bound_ppm, NumberWithin(0.001, 1000), "PPM",
            "How closely the frequency is to be known")
      ->default_str("1");
  AddChoice<clockid_t, clockid_t>(command, "--reference", o.plan.reference,
                                  {{"monotonic-raw", CLOCK_MONOTONIC_RAW},
                                   {"monotonic", CLOCK_MONOTONIC},
                                   {"realtime", CLOCK_REALTIME}},
                                  "The clock that it is measured against")
      ->default_str("monotonic-raw");
  AddChoice<CounterWish, CounterWish>(
      command, "--counter", o.plan.counter,
      {{"auto", CounterWish::kAuto},
       {"processor", CounterWish::kProcessor},
       {"system", CounterWish::kSystem}},
      "What is measured. auto: the processor's counter where it is steady, else the "
      "system's clock; processor: fail where it is not; system: CLOCK_MONOTONIC_RAW")
      ->default_str("auto");
  DeclareOutputOptions(command, o, "Write the figures as JSON; - for standard output");
  FinishOptions(command);
  command.footer(kCalibrateFooter);
}

Result<int> RunCalibrate(const CalibrateOptions& o) {
  CalibrationPlan plan = o.plan;
  plan.wanted_bound_ppb = std::llround(o.bound_ppm * 1000);
  SYNCLINE_TRY(CheckOutputs({o.json}, {o.config}));
  SYNCLINE_ASSIGN(auto json, OptionalOutput(o.json, o.if_exists()));
  SYNCLINE_ASSIGN(const auto calibration, CalibrateMachine(plan));
  SYNCLINE_TRY(FinishOutput(json, CalibrationJson(calibration)));
  if (!o.is_silent()) SYNCLINE_TRY(PrintText(CalibrationText(calibration), stdout));
  return calibration.Weaknesses().empty() ? kExitDone : kExitWeak;
}

}  // namespace syncline
