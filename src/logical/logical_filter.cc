#include "logical/logical_filter.h"

#include "logical/logical_engine.h"

namespace syncline {
namespace {

bool IsFraction(double v) { return v >= 0 && v <= 1; }

}  // namespace

Result<void> CheckOptions(const LogicalOptions& options) {
  const RevisedControllerOptions& r = options.revised;
  const OriginalControllerOptions& o = options.original;
  const auto fail = [](std::string_view what) {
    return Fail(ErrorCode::kUsage, std::string(what));
  };
  if (!IsFraction(r.gamma_max) || !IsFraction(o.gamma_max)) {
    return fail("γmax must lie between 0 and 1");
  }
  if (!IsFraction(r.gamma_floor)) return fail("γD must lie between 0 and 1");
  if (!(r.q_low >= 0 && r.q_low < r.q_high)) return fail("the limits of q must be 0 ≤ low < high");
  if (!IsFraction(o.q_factor)) return fail("qf must lie between 0 and 1");
  if (!(o.gamma_step > 0 && o.gamma_step < 1)) return fail("γdeg must lie between 0 and 1");
  if (!(o.l_low >= 0 && o.l_low <= o.l_up && o.l_up <= 1e6)) {
    return fail("the limits of D' must be 0 ≤ lower ≤ upper ≤ 1000000");
  }
  if (o.q_init_ns < 0 || o.q_min_ns < 0) return fail("qinit and qmin must not be negative");
  if (options.min_event_gap_ns < 0)
    return fail("the least distance of events must not be negative");
  const AmortizationOptions& a = options.amortizer;
  if (a.error_numerator <= 0 || a.error_denominator <= 0) {
    return fail("the amortization error must be positive");
  }
  if (a.start_difference_ns < 0) return fail("the clock difference must not be negative");
  return {};
}

LogicalFilter::LogicalFilter(const LogicalOptions& options, const DelayModel& delays,
                             LogicalSink& sink)
    : engine_(std::make_unique<LogicalEngine>(options, delays, sink)) {}

LogicalFilter::~LogicalFilter() = default;

ProcessId LogicalFilter::AddProcess(ClockId clock) {
  engine_->AddProcess(clock);
  return ProcessId{static_cast<uint32_t>(engine_->process_count() - 1)};
}

uint32_t LogicalFilter::AddGroup(std::span<const ProcessId> members) {
  return engine_->AddGroup(members);
}

void LogicalFilter::Push(const LogicalEvent& event) { engine_->Push(event); }

void LogicalFilter::End(ProcessId process) { engine_->End(process.value); }

uint32_t LogicalFilter::StarvingNumber() const { return engine_->Starving(); }

void LogicalFilter::Tick(int64_t now_ns) { engine_->Tick(now_ns); }

void LogicalFilter::Finish() { engine_->Finish(); }

const LogicalReport& LogicalFilter::report() const { return engine_->report(); }

}  // namespace syncline
