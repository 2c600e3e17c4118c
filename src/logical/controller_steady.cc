#include "logical/controller_steady.h"

#include <utility>

namespace syncline {

bool SteadyController::IsBelowLow(int64_t ahead, Int128 largest) const {
  return largest > 0 && static_cast<double>(ahead) / static_cast<double>(largest) <= q_low_;
}

std::vector<SteadyController::Ahead> SteadyController::InCommon(const std::vector<Ahead>& a,
                                                                const std::vector<Ahead>& b) {
  std::vector<Ahead> both;
  auto in_a = a.cbegin();
  auto in_b = b.cbegin();
  while (in_a != a.cend() && in_b != b.cend()) {
    const Ahead met{std::max(in_a->begin, in_b->begin), std::min(in_a->end, in_b->end)};
    if (met.begin <= met.end) both.push_back(met);
    (in_a->end < in_b->end ? in_a : in_b)++;
  }
  return both;
}

std::vector<SteadyController::Ahead> SteadyController::TimesAllAhead() const {
  const State* fewest = nullptr;
  for (const State& state : states_) {
    if (!state.has_events) continue;
    if (fewest == nullptr || state.times.size() < fewest->times.size()) fewest = &state;
  }
  if (fewest == nullptr) return {{INT64_MIN, INT64_MAX}};
  std::vector<Ahead> common = fewest->times;
  for (const State& state : states_) {
    if (common.empty()) break;
    if (state.has_events && &state != fewest) common = InCommon(common, state.times);
  }
  return common;
}

}  // namespace syncline
