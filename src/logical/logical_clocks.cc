#include "logical/logical_clocks.h"

#include "logical/logical_options.h"

namespace syncline {

namespace {

LogicalClocks Choose(const LogicalOptions& options) {
  using Clocks = LogicalClocks;
  if (options.clock == LogicalClockKind::kSimple) return Clocks::Simple(options.min_event_gap_ns);
  if (options.controller == ControllerKind::kOriginal) {
    return Clocks::Controlled(options.min_event_gap_ns, options.original);
  }
  return Clocks::Controlled(options.min_event_gap_ns, options.revised);
}

}  // namespace

LogicalClocks LogicalClocks::By(const LogicalOptions& options) {
  LogicalClocks clocks = Choose(options);
  if (options.keeps_gamma_over_time) clocks.KeepGammaOverTime();
  return clocks;
}

LogicalClocks LogicalClocks::Steady(const LogicalOptions& options) {
  LogicalClocks clocks(ClocksUnder(options.min_event_gap_ns, SteadyController(options.revised)));
  if (options.keeps_gamma_over_time) clocks.KeepGammaOverTime();
  return clocks;
}

LogicalClocks LogicalClocks::Simple(int64_t min_event_gap_ns) {
  return LogicalClocks(ClocksUnder(min_event_gap_ns, NoController()));
}

LogicalClocks LogicalClocks::Controlled(int64_t min_event_gap_ns,
                                        const RevisedControllerOptions& options) {
  return LogicalClocks(ClocksUnder(min_event_gap_ns, RevisedController(options)));
}

LogicalClocks LogicalClocks::Controlled(int64_t min_event_gap_ns,
                                        const OriginalControllerOptions& options) {
  return LogicalClocks(ClocksUnder(min_event_gap_ns, OriginalController(options)));
}

void LogicalClocks::Resize(size_t processes) {
  With([&](auto& clocks) { clocks.Resize(processes); });
}

void LogicalClocks::Leave() {
  With([](auto& clocks) { clocks.Leave(); });
}

void LogicalClocks::KeepGammaOverTime() {
  With([](auto& clocks) { clocks.KeepGammaOverTime(); });
}

ClockStep LogicalClocks::Advance(size_t process, int64_t before, const ClockBound& message) {
  if (auto* revised = std::get_if<ClocksUnder<RevisedController>>(&clocks_)) {
    return revised->Advance(process, before, message);
  }
  return std::visit([&](auto& clocks) { return clocks.Advance(process, before, message); },
                    clocks_);
}

const GammaReport& LogicalClocks::gamma_report() const {
  return std::visit([](const auto& clocks) -> const GammaReport& { return clocks.gamma_report(); },
                    clocks_);
}

}  // namespace syncline
