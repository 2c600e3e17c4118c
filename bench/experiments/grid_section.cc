#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "experiments/grid.h"
#include "experiments/page.h"

namespace syncline {
namespace {

using Quantity = std::vector<double> Deviations::*;

constexpr std::string_view kGrid = R"(
## A finite-element computation

4 × 5 processes, 120 steps: each computes its border (200…400 µs), sends to its neighbours (250…500 µs),
computes the rest (2…4 ms), receives from them. µ = 250 µs, δ = 1 µs; only messages are recorded, seed 1. C is the
clock itself; LC the simple logical clock; LC' the controlled one, with the original or the revised controller, without
amortization as in the 1997 paper; LC^A the revised one with it. γD is off for clocks that tick.

- **F**, being fast: mean over a process's events of max(LC − T, 0), where T is true time.
- **S**, being slow: mean over a process's events of max(T − LC, 0).
- **A**, the deviation of intervals: sum over a process's successive events of |ΔLC − ΔT|, by the run's length.

"Mean" is over the processes, "largest" is the largest process's. Too fast is a message that takes less than µ; after any of
the four logical clocks there is none.

| clocks | as `--clock` of `syncline simulate grid` | messages | too fast |
|---|---|---:|---:|
)";

constexpr std::string_view kCriteria = R"(
### The criteria for the original controller

The revised controller approaches the *largest* of all clocks on purpose, so its F is not bounded like this.

| clocks | F(LC') / F(LC) | < 2 | S(LC') / S(LC) | < 1 | A(LC') | < 5 % |
|---|---:|---|---:|---|---:|---|
)";

constexpr std::string_view kAfterCriteria = R"(
Where both are zero there is nothing to compare. With ticks no logical clock can meet the criteria: C's own intervals are as
wrong, and LC is never fast. There LC' neither helps nor harms, as in the paper.

Most drifts here are chosen to reach about 1 ms within half a second, and go up to 31 000 ppm (sine): more than γmax = 1 − 2·10⁻⁵
is made for (10 ppm), and with the sine more than γD = 0.98 is (10 000 ppm). There the revised controller runs ahead even of
the fastest clock. Amortization raises events further, as far as their receives allow, which makes F larger and A smaller.
)";

constexpr std::string_view kSeeds = R"(
### How much depends on chance

One clock 1000 µs fast or slow, seeds 1 to 20: least … median … largest. A prototype of this computation gave, for its one
run, a largest A of 11.2 → 4.0 % (fast) and 21.6 → 6.3 % (slow) for LC → LC' original.

| clock | largest A(LC), % | largest A(LC'), % | mean A(LC'), % | F(LC') / F(LC) | S(LC') / S(LC) |
|---|---:|---:|---:|---:|---:|
)";

constexpr std::string_view kHeights = R"(
### Height of the clock error, length of the run, density of messages

One clock fast, or slow, original controller. The paper finds that results hardly depend on the length of the run, but strictly
on the height of the error, which should be up to four times µ (here 1000 µs) for A < 5 %.

They also depend on how densely messages follow one another, and the paper does not state its durations. Its figures are: for a
fast clock a largest A of 82 → 13 % (LC → LC'), the criteria being met; for a slow one 96.1 → 13.2 %, mean 0.7 %, up to 65 %
of S compensated. Rests of 700…1400 µs come near and meet the criteria, too. With shorter ones F(LC') / F(LC) exceeds 2 and A(LC')
5 % for the fast clock, whereas the slow one gains even more.

| | too fast | F(LC') / F(LC) | S(LC') / S(LC) | largest A(LC), % | largest A(LC'), % | mean A(LC'), % |
|---|---:|---:|---:|---:|---:|---:|
)";

constexpr std::string_view kByProcess = R"(
### One clock 1000 µs fast, by process

Process 7 has the fast clock; 2, 6, 8 and 12 are its neighbours.

| process | F(LC), µs | F(LC'), µs | A(LC), % | A(LC'), % |
|---:|---:|---:|---:|---:|
)";

std::string Ratio(double ratio) {
  if (std::isnan(ratio)) return "–";
  return std::isinf(ratio) ? "∞" : fmt::format("{:.2f}", ratio);
}

std::string Verdict(double value, double limit) {
  if (std::isnan(value)) return "–";
  return value < limit ? "yes" : "no";
}

std::string Assignments(const GridCase& of) {
  std::string text = of.clocks.empty() ? "none" : fmt::format("`{}`", of.clocks.front());
  if (of.clocks.size() > 1) text += fmt::format(", `{}`, …", of.clocks[1]);
  if (of.steps != 120) text += fmt::format(" ({} steps)", of.steps);
  return text;
}

// One line per kind of clocks, the mean and the largest of each logical clock.
std::string Table(const std::vector<GridOutcome>& outcomes, std::string_view title, Quantity of,
                  double unit) {
  std::string text = fmt::format(
      "\n### {}\n\n| clocks | C | LC | LC' original | LC' revised | LC^A |\n"
      "|---|---:|---:|---:|---:|---:|\n",
      title);
  for (const GridOutcome& outcome : outcomes) {
    text += fmt::format("| {} |", outcome.of.name);
    for (const Deviations& clock : outcome.clocks) {
      text += fmt::format(" {:.2f} / {:.2f} |", Mean(clock.*of) / unit, Largest(clock.*of) / unit);
    }
    text += "\n";
  }
  return text;
}

std::string CriteriaTable(const std::vector<GridOutcome>& outcomes) {
  std::string text(kCriteria);
  for (const GridOutcome& outcome : outcomes) {
    const GridCriteria c = CriteriaOf(outcome);
    text += fmt::format("| {} | {} | {} | {} | {} | {:.2f} % | {} |\n", outcome.of.name,
                        Ratio(c.fast_ratio), Verdict(c.fast_ratio, 2), Ratio(c.slow_ratio),
                        Verdict(c.slow_ratio, 1), 100 * c.relative, Verdict(c.relative, 0.05));
  }
  return text.append(kAfterCriteria);
}

std::string ByProcess(const GridOutcome& outcome) {
  std::string text(kByProcess);
  const Deviations& simple = outcome[GridClock::kSimple];
  const Deviations& original = outcome[GridClock::kOriginal];
  for (size_t p = 0; p < simple.fast_ns.size(); ++p) {
    text += fmt::format("| {} | {:.1f} | {:.1f} | {:.2f} | {:.2f} |\n", p, simple.fast_ns[p] / 1e3,
                        original.fast_ns[p] / 1e3, 100 * simple.relative[p],
                        100 * original.relative[p]);
  }
  return text;
}

std::string Spread(std::vector<double> values) {
  if (std::isnan(values.front())) return "–";
  std::sort(values.begin(), values.end());
  return fmt::format("{:.2f} … {:.2f} … {:.2f}", values.front(), values[values.size() / 2],
                     values.back());
}

Result<std::string> SeedLine(GridCase grid_case) {
  std::vector<double> values[5];
  for (grid_case.seed = 1; grid_case.seed <= 20; ++grid_case.seed) {
    const auto outcome = RunGrid(grid_case);
    if (!outcome) return tl::unexpected(outcome.error());
    const GridCriteria criteria = CriteriaOf(*outcome);
    values[0].push_back(100 * Largest((*outcome)[GridClock::kSimple].relative));
    values[1].push_back(100 * Largest((*outcome)[GridClock::kOriginal].relative));
    values[2].push_back(100 * criteria.relative);
    values[3].push_back(criteria.fast_ratio);
    values[4].push_back(criteria.slow_ratio);
  }
  std::string line = fmt::format("| {} |", grid_case.name);
  for (const auto& of : values) line += fmt::format(" {} |", Spread(of));
  return line + "\n";
}

Result<std::string> VariantLine(const GridCase& grid_case) {
  const auto outcome = RunGrid(grid_case);
  if (!outcome) return tl::unexpected(outcome.error());
  const GridCriteria criteria = CriteriaOf(*outcome);
  return fmt::format("| {} | {} | {} | {} | {:.1f} | {:.1f} | {:.2f} |\n", grid_case.name,
                     outcome->too_fast, Ratio(criteria.fast_ratio), Ratio(criteria.slow_ratio),
                     100 * Largest((*outcome)[GridClock::kSimple].relative),
                     100 * Largest((*outcome)[GridClock::kOriginal].relative),
                     100 * criteria.relative);
}

std::vector<GridCase> Variants() {
  std::vector<GridCase> variants;
  for (const int64_t ahead_us : {250, 500, 1000, 2000, 4000}) {
    variants.push_back(OneWrongClock(ahead_us));
    variants.back().name = fmt::format("fast by {} µs", ahead_us);
  }
  for (const uint64_t steps : {60, 240, 960}) {
    variants.push_back(OneWrongClock(1000));
    variants.back().name = fmt::format("fast by 1000 µs, {} steps", steps);
    variants.back().steps = steps;
  }
  for (const int64_t ahead_us : {1000, -1000}) {
    for (const int64_t rest_us : {1000, 700, 500, 250}) {
      variants.push_back(OneWrongClock(ahead_us));
      variants.back().name = fmt::format("{} by 1000 µs, rest {}…{} µs",
                                         ahead_us > 0 ? "fast" : "slow", rest_us, 2 * rest_us);
      variants.back().rest_ns = {rest_us * 1000, rest_us * 2000};
    }
  }
  return variants;
}

Result<std::string> Variation() {
  std::string text(kSeeds);
  for (const int64_t ahead_us : {1000, -1000}) {
    auto line = SeedLine(OneWrongClock(ahead_us));
    if (!line) return line;
    text += *line;
  }
  text += kHeights;
  for (const GridCase& variant : Variants()) {
    auto line = VariantLine(variant);
    if (!line) return line;
    text += *line;
  }
  return text;
}

}  // namespace

Result<std::string> GridSection() {
  std::vector<GridOutcome> outcomes;
  std::string text(kGrid);
  for (const GridCase& grid_case : GridCases()) {
    auto outcome = RunGrid(grid_case);
    if (!outcome) return tl::unexpected(outcome.error());
    text += fmt::format("| {} | {} | {} | {} |\n", grid_case.name, Assignments(grid_case),
                        outcome->messages, outcome->too_fast);
    outcomes.push_back(std::move(*outcome));
  }
  text += Table(outcomes, "F in µs, mean / largest", &Deviations::fast_ns, 1e3);
  text += Table(outcomes, "S in µs, mean / largest", &Deviations::slow_ns, 1e3);
  text += Table(outcomes, "A in %, mean / largest", &Deviations::relative, 0.01);
  text += CriteriaTable(outcomes);
  text += ByProcess(outcomes[1]);
  auto variation = Variation();
  if (!variation) return variation;
  return text + *variation;
}

}  // namespace syncline
