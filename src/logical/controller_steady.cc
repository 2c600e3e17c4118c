#include "logical/controller_steady.h"

#include <utility>

namespace syncline {

bool SteadyController::IsBelowLow(int64_t ahead, Int128 largest) const {
  return largest > 0 && static_cast<double>(ahead) / static_cast<double>(largest) <= q_low_;
}

bool SteadyController::IsNeverAllAhead() const {
  const State* fewest = nullptr;
  for (const State& state : states_) {
    if (!state.has_events) continue;
    if (fewest == nullptr || state.times.size() < fewest->times.size()) fewest = &state;
  }
  if (fewest == nullptr) return true;
  std::vector<Ahead> common = fewest->times;
  for (const State& state : states_) {
    if (common.empty()) return true;
    if (!state.has_events || &state == fewest) continue;
    std::vector<Ahead> both;
    auto a = common.cbegin();
    auto b = state.times.cbegin();
    while (a != common.cend() && b != state.times.cend()) {
      const Ahead met{std::max(a->begin, b->begin), std::min(a->end, b->end)};
      if (met.begin <= met.end) both.push_back(met);
      (a->end < b->end ? a : b)++;
    }
    common = std::move(both);
  }
  return common.empty();
}

}  // namespace syncline
