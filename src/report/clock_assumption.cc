#include "report/clock_assumption.h"

#include <cmath>
#include <map>

#include <fmt/format.h>

namespace syncline {

// Most clocks have one limit; the others are named.
std::string ClockAssumption(const Summary& s) {
  std::map<double, std::string> by_limit;
  const auto rounded = [](double ppm) { return std::round(ppm * 1000) / 1000; };
  for (const Summary::Clock& clock : s.clocks) {
    if (!clock.rate_limit_ppm) continue;
    std::string& names = by_limit[rounded(*clock.rate_limit_ppm)];
    names += (names.empty() ? "" : ", ") + clock.name;
  }
  if (by_limit.empty()) {
    return s.max_drift_ppm ? fmt::format("clocks of constant rates within {} ppm of each other",
                                         *s.max_drift_ppm)
                           : "clocks of constant rates";
  }
  if (!s.max_drift_ppm) return "clocks that never go back";
  std::string text =
      fmt::format("clocks whose rates stay within {} ppm of the reference", *s.max_drift_ppm);
  for (const auto& [limit, names] : by_limit) {
    if (limit > *s.max_drift_ppm + 0.001) text += fmt::format(" ({} ppm: {})", limit, names);
  }
  if (s.max_wander_ppm) {
    text += fmt::format(", and within {} ppm of their own mean", *s.max_wander_ppm);
  }
  return text;
}

}  // namespace syncline
