#include "experiments/offsets.h"

#include <algorithm>
#include <cmath>

#include "experiments/recording.h"

namespace syncline {
namespace {

constexpr int64_t kBehindNs = 10'000'000'000;  // D
constexpr double kFaster = 1e-10;              // p
constexpr int64_t kFasterPpt = 100;
constexpr double kRest = 1e-12;  // 1 − γmax

double PredictedAfter(double offset, double factor) {
  return std::max(offset + factor - factor * offset * offset, 0.0);
}

}  // namespace

double OffsetRun::LargestDifference() const {
  double largest = 0;
  for (size_t j = 0; j < computed.size(); ++j) {
    largest = std::max(largest, std::abs(computed[j] - predicted[j]));
  }
  return largest;
}

Result<OffsetRun> RunOffsets(double factor, uint64_t periods) {
  const double gain = std::sqrt(kFaster - kRest * (1 + kFaster));
  const double growth = std::sqrt((1 - kRest) * (1 + kFaster));
  const auto behind = static_cast<double>(kBehindNs);
  ScenarioOptions scenario;
  scenario.kind = ScenarioKind::kTwo;
  scenario.steps = periods;
  scenario.period_ns = static_cast<int64_t>(factor * behind / gain / growth);  // τ
  scenario.behind_ns = kBehindNs;
  scenario.faster_ppt = kFasterPpt;
  const auto recording = Record(scenario);
  if (!recording) return tl::unexpected(recording.error());

  LogicalOptions options;
  options.revised.gamma_max = 1 - kRest;
  options.revised.gamma_floor = 0;
  options.amortization = AmortizationKind::kNone;
  options.max_horizon_ns = -1;
  const auto retimed = Retime(*recording, options, 0);
  if (!retimed) return tl::unexpected(retimed.error());

  OffsetRun run{.factor = factor, .predicted = {}, .computed = {}};
  double offset = 0;
  for (size_t e = 0; e < recording->events.size(); ++e) {
    const LogicalEvent& event = recording->events[e];
    if (event.process.value != 0 || event.kind != LogicalEvent::Kind::kReceive) continue;
    const auto ahead = static_cast<double>(retimed->after_ns[e] - recording->shown_ns[e]);
    run.computed.push_back(ahead / behind * growth / gain);
    run.predicted.push_back(offset);
    offset = PredictedAfter(offset, factor);
  }
  return run;
}

}  // namespace syncline
