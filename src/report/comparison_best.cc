#include "report/comparison_best.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "report/table.h"

namespace syncline {
namespace {

// Less is better.
auto RankOf(const Comparison::Method& method) {
  constexpr int64_t kOpen = std::numeric_limits<int64_t>::max();
  return std::tuple(method.is_weak, method.inverted, method.too_fast,
                    method.CorrectedClocks() - method.AccurateClocks(),
                    method.Bound().mean_ns.value_or(kOpen));
}

std::string OrderText(const Comparison::Method& method) {
  if (method.inverted > 0) {
    return fmt::format("it leaves the fewest messages inverted, {}", FormatCount(method.inverted));
  }
  if (method.too_fast > 0) {
    return fmt::format("it leaves no message inverted and the fewest too fast, {}",
                       FormatCount(method.too_fast));
  }
  return "it leaves no message inverted or too fast";
}

std::string ReasonFor(const Comparison::Method& method) {
  std::string reason = fmt::format(
      "{}, {} of {} {} accurate", OrderText(method), method.AccurateClocks(),
      FormatCount(method.CorrectedClocks(), "clock"), method.CorrectedClocks() == 1 ? "is" : "are");
  if (const auto mean_ns = method.Bound().mean_ns) {
    reason += fmt::format(", with the narrowest bounds of all such methods, ± {} on average",
                          FormatDuration(*mean_ns));
  }
  if (method.is_weak) reason += "; like every other it has a stated weakness";
  return reason;
}

}  // namespace

std::optional<BestMethod> FindBest(const Comparison& comparison) {
  const Comparison::Method* best = nullptr;
  for (const Comparison::Method& method : comparison.methods) {
    if (!method.IsFound()) continue;
    if (best == nullptr || RankOf(method) < RankOf(*best)) best = &method;
  }
  if (best == nullptr) return std::nullopt;
  BestMethod found{best->name, {}, ReasonFor(*best)};
  for (const Comparison::Method& method : comparison.methods) {
    if (&method == best || !method.IsFound() || RankOf(method) != RankOf(*best)) continue;
    found.as_good.push_back(method.name);
  }
  return found;
}

}  // namespace syncline
