#include "experiments/page.h"

#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "experiments/offsets.h"
#include "experiments/ticks.h"

namespace syncline {
namespace {

constexpr std::string_view kHead =
    R"(<!-- Written by build/release/logical_experiments > docs/methods/logical-experiments.md: do not edit. -->
# Logical clocks: the papers' experiments

What [the logical clocks](logical-clock.md) do to the experiments of R. Rabenseifner, *The Controlled Logical Clock*
(1997, chapter 6) and *Die geregelte logische Uhr* (about 2000, chapters 5.3 and 6.3.2). Everything is simulated
([simulate.md](../simulate.md)), so true time is known; the same build gives the same page. Code:
`bench/experiments/`, whose test holds the program to this page and to the criteria.
)";

constexpr std::string_view kTicks = R"(
## A large clock tick

20 processes pass a message 0 → 1 → … → 19 → … → 0 once in 10 ms; it takes 250 µs from one to the next. The clocks
tick once in 10 ms, so that messages seem to take −9.75 ms forward and −0.25 ms backward. A clock that always ran on at
γ = 1 would run away. Controllers A, B and C (D is off, as ticks are coarse), γmax = 1 − 2·10⁻⁵. Times in ms, of the
send of process 0 in each loop; γ as the least and the largest ΔLC' / ΔC of the loop's sends that a tick precedes.

The paper moves the send shown at 20.25 ms to 39.368 ms with µ = 250 µs, and reports that γ is regulated down to
about 0.17. Here it falls below that within the first loop and goes on falling. The loops settle at 10 ms in both: within
0.2 % from the fourth send on, with µ = 150 µs from the third.

| loop | shown | µ = 250 µs | length | γ | µ = 150 µs | length | γ |
|---:|---:|---:|---:|---:|---:|---:|---:|
)";

constexpr std::string_view kTicksByHand = R"(
Why the second loop takes longer, worked by hand with µ = 250 µs. Process *i* receives just before its tick; then its
simple clock is 10 ms ahead, its controlled one d. Controller C sees q = d / 10 ms, and the tick adds γC(q) · 10 ms to LC'.
But for the 250 µs of the message, the next process shows before its tick what this one did, so it finds q + γC(q). B
never acts: x stays below 0.7, so that γB is above one half. A loop takes 38 · 0.25 ms = 9.5 ms for its messages and
10 ms · Σγ for its 20 ticks: 10 ms when Σγ = 0.05.

| loop | q before the ticks of processes 1, 2, 3, 4, 5, … 19, 0 | γ of these ticks | Σγ | process 0 sends | length |
|---:|---|---|---:|---:|---:|
)";

constexpr std::string_view kTicksResult = R"(
Nothing is delivered late: the second loop begins with q further from 3 than the steady state does, so γ is larger
in it. Near 3, γC(q) is about ((3 − q) / 1.039)²; what is left of the excess falls to an eighth with each loop.
Whether MAX falls as the paper's curve C* does or by its Algorithm 4 to the letter, and whether B takes the maximum or
the 16-norm, changes nothing in these digits. The paper's figure settles the same way with others: from the send of process 0 to
the send back to it its second loop takes 9.668 ms (39.368 to 49.036 ms), of which messages take 9.25 ms; here it is
9.830 ms. What its program did otherwise, the text does not say.
)";

constexpr std::string_view kTheorem10 = R"(
## Theorem 10: controllers A and B with two processes

Two processes send to each other every τ, without delay; one starts D behind and is faster by p. Theorem 10 says how far
ahead, in suitable units, the clock of the other runs at its *j*-th receive: o(0) = 0 and
o(j + 1) = max(o(j) + f − f·o(j)², 0), where f = τ / D · √(p − (1 − γmax)(1 + p)) · √(γmax (1 + p)). Here
D = 10 s, p = 10⁻¹⁰, 1 − γmax = 10⁻¹²; 40 periods; C finds nothing to do, D is off. The theorem leaves out that the gap D closes by p·τ each period,
which is the difference that remains.

| f | | o(1) | o(2) | o(3) | o(4) | o(5) | o(6) | … | o(38) | o(39) | largest difference | what the theorem says |
|---:|---|---:|---:|---:|---:|---:|---:|---|---:|---:|---:|---|
)";

constexpr uint64_t kPeriods = 40;

struct OffsetCase {
  double factor;
  std::string_view claim;
};
constexpr OffsetCase kOffsetCases[] = {
    {0.25, "rises to 1"},     {0.5, "rises to 1"},
    {1.0, "1 from o(1) on"},  {1.2, "period 2 in the limit, within [0, 1.4128]"},
    {1.5, "0 and f in turn"},
};

std::string OffsetsOf(const std::vector<double>& offsets) {
  std::string cells;
  for (size_t j = 1; j <= 6; ++j) cells += fmt::format(" {:.3f} |", offsets[j]);
  return cells +
         fmt::format(" … | {:.3f} | {:.3f} |", offsets[kPeriods - 2], offsets[kPeriods - 1]);
}

std::string LoopCells(const TickLoop& loop) {
  return fmt::format(" {:.3f} | {:.3f} | {:.4f} … {:.4f} |",
                     static_cast<double>(loop.after_ns) / 1e6,
                     static_cast<double>(loop.length_ns) / 1e6, loop.slowest, loop.fastest);
}

// The first five, the last two.
std::string Ends(const std::vector<double>& values, int digits) {
  std::string cells;
  for (size_t i = 0; i < 5; ++i) cells += fmt::format("{:.{}f}, ", values[i], digits);
  const size_t last = values.size() - 1;
  return fmt::format("{}… {:.{}f}, {:.{}f}", cells, values[last - 1], digits, values[last], digits);
}

std::string TicksByHand() {
  constexpr size_t kLoops = 5;
  const std::vector<TickLoopByHand> loops = LoopsByHand(0.25, kLoops + 1);
  std::string text(kTicksByHand);
  for (size_t k = 0; k < kLoops; ++k) {
    const auto& [sent_ms, quotients, gammas] = loops[k];
    const double next_ms = loops[k + 1].sent_ms;
    text += fmt::format("| {} | {} | {} | {:.4f} | {:.3f} → {:.3f} | {:.3f} |\n", k + 1,
                        Ends(quotients, 4), Ends(gammas, 4),
                        std::accumulate(gammas.begin(), gammas.end(), 0.0), sent_ms, next_ms,
                        next_ms - sent_ms);
  }
  return text.append(kTicksResult);
}

}  // namespace

Result<std::string> TicksSection() {
  constexpr size_t kLoops = 30;
  const auto exact = RunTicks(250'000, kLoops);
  if (!exact) return tl::unexpected(exact.error());
  const auto shorter = RunTicks(150'000, kLoops);
  if (!shorter) return tl::unexpected(shorter.error());
  std::string text(kTicks);
  for (const size_t loop : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 19, 29}) {
    text += fmt::format("| {} | {:.3f} |{}{}\n", loop + 1,
                        static_cast<double>((*exact)[loop].before_ns) / 1e6,
                        LoopCells((*exact)[loop]), LoopCells((*shorter)[loop]));
  }
  return text + TicksByHand();
}

Result<std::string> Theorem10Section() {
  std::string text(kTheorem10);
  for (const OffsetCase& offset_case : kOffsetCases) {
    const auto run = RunOffsets(offset_case.factor, kPeriods);
    if (!run) return tl::unexpected(run.error());
    text += fmt::format("| {} | predicted |{} | |\n", run->factor, OffsetsOf(run->predicted));
    text += fmt::format("| | computed |{} {:.4f} | {} |\n", OffsetsOf(run->computed),
                        run->LargestDifference(), offset_case.claim);
  }
  return text;
}

Result<std::string> ExperimentsPage() {
  std::string page(kHead);
  for (const auto& section : {GridSection(), TicksSection(), Theorem10Section()}) {
    if (!section) return section;
    page += *section;
  }
  return page;
}

}  // namespace syncline
