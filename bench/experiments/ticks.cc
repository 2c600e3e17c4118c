#include "experiments/ticks.h"

#include <algorithm>
#include <limits>

#include "experiments/recording.h"
#include "logical/controller_options.h"

namespace syncline {
namespace {

// Events are in order of true time, and a loop begins with a send of process 0.
std::vector<TickLoop> LoopsOf(const Recording& recording, const std::vector<int64_t>& after_ns) {
  struct Last {
    int64_t before_ns = 0;
    int64_t after_ns = 0;
    bool any = false;
  };
  std::vector<Last> last(recording.processes);
  std::vector<TickLoop> loops;
  for (size_t e = 0; e < recording.events.size(); ++e) {
    const LogicalEvent& event = recording.events[e];
    const int64_t before = recording.shown_ns[e];
    Last& of = last[event.process.index()];
    if (event.kind == LogicalEvent::Kind::kSend) {
      if (event.process.value == 0) {
        const int64_t length = loops.empty() ? 0 : after_ns[e] - loops.back().after_ns;
        loops.push_back({before, after_ns[e], length, std::numeric_limits<double>::infinity(), 0});
      }
      if (of.any && before > of.before_ns) {
        const double pace = static_cast<double>(after_ns[e] - of.after_ns) /
                            static_cast<double>(before - of.before_ns);
        loops.back().slowest = std::min(loops.back().slowest, pace);
        loops.back().fastest = std::max(loops.back().fastest, pace);
      }
    }
    of = {before, after_ns[e], true};
  }
  return loops;
}

}  // namespace

Result<std::vector<TickLoop>> RunTicks(int64_t mu_ns, uint64_t loops) {
  ScenarioOptions scenario;
  scenario.kind = ScenarioKind::kTicks;
  scenario.steps = loops;
  const auto recording = Record(scenario);
  if (!recording) return tl::unexpected(recording.error());
  LogicalOptions options;
  options.revised.gamma_floor = 0;  // ticks are coarse: no controller D
  options.amortization = AmortizationKind::kNone;
  const auto retimed = Retime(*recording, options, mu_ns);
  if (!retimed) return tl::unexpected(retimed.error());
  return LoopsOf(*recording, retimed->after_ns);
}

std::vector<TickLoopByHand> LoopsByHand(double mu_ms, size_t loops) {
  constexpr size_t kProcesses = 20;
  constexpr double kTickMs = 10;
  constexpr double kDelayMs = 0.25;
  const auto shown_ms = [&](size_t process, size_t ticks) {
    return kTickMs * static_cast<double>(ticks) + kDelayMs * static_cast<double>(process + 1);
  };
  const RevisedControllerOptions c;
  const auto gamma = [&](double q) {
    const double t = std::clamp((q - c.q_low) / (c.q_high - c.q_low), 0.0, 1.0);
    return c.gamma_max * (1 - t * t * (3 - 2 * t));
  };
  double token_ms = shown_ms(0, 1);
  std::vector<TickLoopByHand> by_hand(loops);
  for (size_t loop = 0; loop < loops; ++loop) {
    TickLoopByHand& hand = by_hand[loop];
    hand.sent_ms = token_ms;
    const auto tick = [&](double before_ms) {
      const double q = (token_ms - before_ms) / (kTickMs + mu_ms - kDelayMs);
      hand.quotients.push_back(q);
      hand.gammas.push_back(gamma(q));
      token_ms += kTickMs * gamma(q);
    };
    for (size_t process = 1; process < kProcesses; ++process) {
      token_ms += mu_ms;
      tick(shown_ms(process, loop));
    }
    token_ms += mu_ms * (kProcesses - 1);
    tick(shown_ms(0, loop + 1));
  }
  return by_hand;
}

}  // namespace syncline
