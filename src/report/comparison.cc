#include "report/comparison.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "base/int128.h"
#include "report/table.h"

namespace syncline {
namespace {

using Methods = std::vector<const Comparison::Method*>;

// Less is better.
auto RankOf(const Comparison::Method& method) {
  constexpr int64_t kOpen = std::numeric_limits<int64_t>::max();
  return std::tuple(method.is_weak, method.inverted, method.too_fast,
                    method.CorrectedClocks() - method.AccurateClocks(),
                    method.Bound().mean_ns.value_or(kOpen));
}

std::string OrderText(const Comparison::Method& method, bool is_alone) {
  const auto left = [&](uint64_t count) {
    return is_alone ? FormatCount(count, "message")
                    : fmt::format("the fewest messages, {},", FormatCount(count));
  };
  if (method.inverted > 0) return fmt::format("it leaves {} inverted", left(method.inverted));
  if (method.too_fast > 0) {
    return fmt::format("it leaves no message inverted and {} too fast", left(method.too_fast));
  }
  return "it leaves no message inverted";
}

std::string ReasonFor(const Comparison::Method& method, bool is_alone) {
  std::string reason = fmt::format(
      "{}, {} of {} {} accurate", OrderText(method, is_alone), method.AccurateClocks(),
      FormatCount(method.CorrectedClocks(), "clock"), method.CorrectedClocks() == 1 ? "is" : "are");
  if (const auto mean_ns = method.Bound().mean_ns) {
    reason += fmt::format(", with {}, ± {} on average",
                          is_alone ? "bounds" : "the narrowest bounds of all such methods",
                          FormatDuration(*mean_ns));
  }
  if (method.is_weak) {
    reason +=
        is_alone ? "; it has a stated weakness" : "; like every other it has a stated weakness";
  }
  return reason;
}

BestMethod BestOf(const Methods& methods) {
  const Comparison::Method* best = *std::ranges::min_element(
      methods, [](const auto* a, const auto* b) { return RankOf(*a) < RankOf(*b); });
  BestMethod found{best->name, {}, ReasonFor(*best, methods.size() == 1)};
  for (const Comparison::Method* method : methods) {
    if (method != best && RankOf(*method) == RankOf(*best)) found.as_good.push_back(method->name);
  }
  return found;
}

}  // namespace

std::vector<SharedAssumption> RankByAssumption(const Comparison& comparison) {
  Methods found;
  for (const Comparison::Method& method : comparison.methods) {
    if (method.IsFound()) found.push_back(&method);
  }
  std::stable_partition(found.begin(), found.end(),
                        [](const auto* method) { return !method->assumes_constant_rates; });
  std::vector<SharedAssumption> shared;
  std::vector<Methods> members;
  for (const Comparison::Method* method : found) {
    const auto same = std::ranges::find_if(shared, [&](const SharedAssumption& s) {
      return s.assumes == method->assumes && s.contradiction == method->contradiction;
    });
    const auto place = static_cast<size_t>(same - shared.begin());
    if (same == shared.end()) {
      shared.push_back({method->assumes, method->contradiction, {}, {}});
      members.emplace_back();
    }
    shared[place].methods.push_back(method->name);
    members[place].push_back(method);
  }
  for (size_t i = 0; i < shared.size(); ++i) {
    if (shared[i].contradiction.empty()) shared[i].best = BestOf(members[i]);
  }
  return shared;
}

Summary::Bound Comparison::Method::Bound() const {
  Summary::Bound bound;
  Int128 sum = 0;
  int64_t count = 0;
  for (const Clock& clock : clocks) {
    if (clock.IsReference() || !clock.bound.worst_ns) continue;
    bound.best_ns = std::min(bound.best_ns.value_or(*clock.bound.best_ns), *clock.bound.best_ns);
    bound.worst_ns =
        std::max(bound.worst_ns.value_or(*clock.bound.worst_ns), *clock.bound.worst_ns);
    sum += *clock.bound.mean_ns;
    ++count;
  }
  if (count > 0) bound.mean_ns = static_cast<int64_t>((sum + count / 2) / count);
  return bound;
}

uint64_t Comparison::Method::AccurateClocks() const {
  return static_cast<uint64_t>(std::ranges::count_if(
      clocks, [](const Clock& c) { return !c.IsReference() && c.quality == "accurate"; }));
}

uint64_t Comparison::Method::CorrectedClocks() const {
  return static_cast<uint64_t>(
      std::ranges::count_if(clocks, [](const Clock& c) { return !c.IsReference(); }));
}

}  // namespace syncline
