#include "logical/logical_clocks.h"

#include <type_traits>
#include <utility>

#include "logical/logical_options.h"

namespace syncline {

LogicalClocks LogicalClocks::By(const LogicalOptions& options) {
  if (options.clock == LogicalClockKind::kSimple) return Simple(options.min_event_gap_ns);
  if (options.controller == ControllerKind::kOriginal) {
    return Controlled(options.min_event_gap_ns, options.original);
  }
  return Controlled(options.min_event_gap_ns, options.revised);
}

LogicalClocks LogicalClocks::Simple(int64_t min_event_gap_ns) {
  return {min_event_gap_ns, NoController{}};
}

LogicalClocks LogicalClocks::Controlled(int64_t min_event_gap_ns,
                                        const RevisedControllerOptions& options) {
  return {min_event_gap_ns, RevisedController(options)};
}

LogicalClocks LogicalClocks::Controlled(int64_t min_event_gap_ns,
                                        const OriginalControllerOptions& options) {
  return {min_event_gap_ns, OriginalController(options)};
}

void LogicalClocks::Resize(size_t processes) {
  states_.resize(std::max(processes, states_.size()));
  if (auto* revised = std::get_if<RevisedController>(&controller_)) {
    revised->Resize(states_.size());
  } else if (auto* original = std::get_if<OriginalController>(&controller_)) {
    original->Resize(states_.size());
  }
}

void LogicalClocks::Leave() {
  if (auto* revised = std::get_if<RevisedController>(&controller_)) revised->Leave();
}

// LC' without C and message: max(LC'(j−1) + δ, LC'(j−1) + γ·ΔC), with its fraction.
void LogicalClocks::Run(State& state, int64_t before, Fraction gamma) {
  constexpr UInt128 kMask = (UInt128{1} << kFractionBits) - 1;
  // Differences of int64 fit in 64 bits without sign; a negative one is less than any δ.
  const uint64_t passed = before > state.before
                              ? static_cast<uint64_t>(before) - static_cast<uint64_t>(state.before)
                              : 0;
  const UInt128 share = static_cast<UInt128>(passed) * static_cast<uint64_t>(gamma.units);
  auto whole = static_cast<uint64_t>(gap_);
  if (static_cast<uint64_t>(share >> kFractionBits) >= whole) {
    const UInt128 step = share + state.fraction;
    whole = static_cast<uint64_t>(step >> kFractionBits);
    state.fraction = static_cast<uint64_t>(step & kMask);
  }
  const uint64_t room = static_cast<uint64_t>(INT64_MAX) - static_cast<uint64_t>(state.controlled);
  state.controlled =
      static_cast<int64_t>(static_cast<uint64_t>(state.controlled) + std::min(whole, room));
}

void LogicalClocks::Count(size_t process, const State& state, const GammaChoice& choice) {
  ++report_.events[static_cast<size_t>(choice.by)];
  if (choice.gamma >= smallest_) return;
  smallest_ = choice.gamma;
  report_.smallest = choice.gamma.ToDouble();
  report_.smallest_process = static_cast<uint32_t>(process);
  report_.smallest_event = state.events;
}

ClockStep LogicalClocks::Advance(size_t process, int64_t before, const ClockBound& message) {
  if (auto* revised = std::get_if<RevisedController>(&controller_)) {
    return AdvanceWith(*revised, process, before, message);
  }
  if (auto* original = std::get_if<OriginalController>(&controller_)) {
    return AdvanceWith(*original, process, before, message);
  }
  return AdvanceWith(std::get<NoController>(controller_), process, before, message);
}

template <typename C>
ClockStep LogicalClocks::AdvanceWith(C& controller, size_t process, int64_t before,
                                     const ClockBound& message) {
  State& state = states_[process];
  if (state.events == 0) {
    state.simple = state.controlled = before;
  } else {
    state.simple = std::max(SaturatingAdd(state.simple, gap_), before);
    const GammaChoice choice = controller.Choose(process);
    if constexpr (!std::is_same_v<C, NoController>) Count(process, state, choice);
    Run(state, before, choice.gamma);
    if (before > state.controlled) {
      state.controlled = before;
      state.fraction = 0;
    }
  }
  state.simple = std::max(state.simple, message.simple);
  int64_t jump = 0;
  if (message.controlled > state.controlled) {
    jump = SaturatingSubtract(message.controlled, state.controlled);
    state.controlled = message.controlled;
    state.fraction = 0;
  }
  state.before = before;
  ++state.events;
  controller.Update(process, before, state.simple, state.controlled);
  return {state.simple, state.controlled, jump};
}

}  // namespace syncline
