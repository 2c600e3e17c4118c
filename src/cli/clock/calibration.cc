#include "cli/clock/calibration.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/int128.h"
#include "report/table.h"

namespace syncline {
namespace {

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
  const double ppm = static_cast<double>(f.hz - best.hz) / static_cast<double>(best.hz) * 1e6;
  if (std::abs(ppm) < 0.0005) return "0.000 ppm";
  return fmt::format("{}{:.3f} ppm", ppm < 0 ? "−" : "+", std::abs(ppm));
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
  Table table({{"measured for"}, {"frequency"}, {"bound ±"}, {"from the last"}});
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
  switch (cost.least_step == 0 ? StepUnit::kNone : cost.step_unit) {
    case StepUnit::kNone:
      break;
    case StepUnit::kTicks:
      return fmt::format("{} ticks", cost.least_step);
    case StepUnit::kNanoseconds:
      return FormatDuration(cost.least_step);
  }
  return "–";
}

std::string ReadingCostText(const MachineCalibration& c) {
  const double ns = NsPerTick(c);
  Table table({{"reading", Align::kLeft},
               {"warm: least"},
               {"median ticks"},
               {"median"},
               {"cold: least"},
               {"median ticks"},
               {"median"},
               {"least step"}});
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
  Table table({{"core"},
               {"against"},
               {"offset at least"},
               {"at most"},
               {"exchanges"},
               {"equal", Align::kLeft}});
  for (const CoreOffset& core : c.cores) {
    table.AddRow({fmt::format("{}", core.core), fmt::format("{}", core.against),
                  FormatSignedTicks(core.low_ticks), FormatSignedTicks(core.high_ticks),
                  FormatCount(core.exchanges), core.MayBeEqual() ? "within this" : "no"});
  }
  return "\n" + table.ToString();
}

}  // namespace

std::optional<int64_t> MachineCalibration::WantedElapsedNs() const {
  if (is_reference || Best() == nullptr) return std::nullopt;
  // The error in nanoseconds stays the same, whatever the time.
  const Int128 error = static_cast<Int128>(Best()->BoundPpb()) * Best()->elapsed_ns;
  return Saturate(CeilDiv(error, std::max<int64_t>(1, wanted_bound_ppb)));
}

std::vector<std::string> MachineCalibration::Weaknesses() const {
  std::vector<std::string> weaknesses;
  const bool has_counter =
      !facts.counters.empty() && facts.counters.front() != CounterKind::kSystemClock;
  if (!has_counter) {
    weaknesses.emplace_back("programs cannot read this processor's counter");
  } else if (!facts.is_invariant || !facts.is_trusted_by_kernel) {
    weaknesses.emplace_back("the processor's counter is not steady");
  }
  for (const CoreOffset& core : cores) {
    if (core.MayBeEqual()) continue;
    weaknesses.push_back(
        fmt::format("the counters of cores {} and {} differ", core.against, core.core));
  }
  if (Best() == nullptr) {
    weaknesses.emplace_back("the frequency could not be measured");
  } else if (Best()->BoundPpb() > wanted_bound_ppb) {
    weaknesses.emplace_back("the wanted bound was not reached; give it more --time");
  }
  return weaknesses;
}

std::string CalibrationText(const MachineCalibration& calibration) {
  std::string text = MachineText(calibration) + FrequencyText(calibration) +
                     ReadingCostText(calibration) + CoreText(calibration);
  for (const std::string& weakness : calibration.Weaknesses()) {
    text += fmt::format("\nweakness: {}", weakness);
  }
  if (text.back() != '\n') text += '\n';
  return text;
}

}  // namespace syncline
