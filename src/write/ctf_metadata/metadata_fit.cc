#include "write/ctf_metadata/metadata_fit.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/ticks.h"
#include "base/try.h"
#include "write/ctf_metadata/clock_shifts.h"

namespace syncline::ctf_metadata {
namespace {

// A block with the values chosen for it so far.
struct Chosen {
  ClockLine line;
  ClockSetting setting;
  BabeltraceClock clock;
};

std::optional<Chosen> Choose(const ClockLine& line, const ClockSetting& before) {
  // What differs by a nanosecond from what is there already is no reason to change it.
  const auto unchanged = BabeltraceClock::Make(before);
  if (unchanged && before.freq == line.freq) {
    const Int128 difference = static_cast<Int128>(unchanged->base_ns()) - line.base_ns;
    if (difference >= -1 && difference <= 1) return Chosen{line, before, *unchanged};
  }
  const auto setting = SettingOf(line);
  const auto clock = setting ? BabeltraceClock::Make(*setting) : std::nullopt;
  if (!clock) return std::nullopt;
  return Chosen{line, *setting, *clock};
}

// What is left of the messages' delays above the least ones.
struct Slacks {
  explicit Slacks(size_t clocks) : table(clocks) {}
  SlackTable table;
  uint64_t too_fast = 0;
  uint64_t unreadable = 0;  // messages with a time that has no 64 bits
  int64_t worst_ns = 0;     // of the too fast
};

class Fitter {
 public:
  Fitter(std::span<const BlockToFit> blocks, const std::vector<bool>& movable, const FitPass& pass)
      : blocks_(blocks), movable_(movable), pass_(pass) {}

  Result<FitOutcome> Run() {
    for (const BlockToFit& block : blocks_) {
      const auto line = NearestLine(block.span);
      const auto chosen = line ? Choose(*line, block.before) : std::nullopt;
      if (!chosen) return FitOutcome{{}, "a correction is beyond what a clock block can express"};
      chosen_.push_back(*chosen);
    }
    auto slacks = Measure();
    if (!slacks) return tl::unexpected(slacks.error());
    if (slacks->too_fast > 0 && slacks->unreadable == 0) {
      if (!Shift(*slacks)) return FitOutcome{{}, TooFast(*slacks) + ", whatever the offsets"};
      slacks = Measure();
      if (!slacks) return tl::unexpected(slacks.error());
    }
    if (slacks->unreadable > 0) return FitOutcome{{}, "babeltrace2 could not compute all times"};
    if (slacks->too_fast > 0) return FitOutcome{{}, TooFast(*slacks)};
    return FitOutcome{Fit(), {}};
  }

 private:
  static std::string TooFast(const Slacks& slacks) {
    return fmt::format("rates in whole hertz would make {} messages too fast, by up to {} ns",
                       slacks.too_fast, slacks.worst_ns);
  }

  Result<Slacks> Measure() const {
    Slacks slacks(movable_.size());
    SYNCLINE_TRY(pass_([&](const FitMessage& message) { Add(message, slacks); }));
    return slacks;
  }

  void Add(const FitMessage& message, Slacks& slacks) const {
    const auto sent = BabeltraceNs(message.send);
    const auto received = BabeltraceNs(message.receive);
    if (!sent || !received) {
      ++slacks.unreadable;
      return;
    }
    const Int128 computed = static_cast<Int128>(*received) - *sent;
    const Int128 exact = Exact(message.receive) - Exact(message.send);
    const int64_t slack = Saturate(std::min(computed, exact) - message.least_ns);
    slacks.table.Add(message.send.clock, message.receive.clock, slack);
    if (slack >= 0) return;
    ++slacks.too_fast;
    slacks.worst_ns = std::max(slacks.worst_ns, Saturate(-static_cast<Int128>(slack)));
  }

  std::optional<int64_t> BabeltraceNs(const FitEvent& event) const {
    if (!event.block) return event.written_ns;
    return chosen_[*event.block].clock.Ns(event.cycles);
  }
  Int128 Exact(const FitEvent& event) const {
    if (!event.block) return event.written_ns;
    return ExactNs(chosen_[*event.block].setting, event.cycles);
  }

  // An offset counts whole cycles, and either reader drops a fraction: that much is kept in hand.
  int64_t Margin() const {
    uint64_t freq = kNsPerSecond;
    for (const Chosen& chosen : chosen_) freq = std::min(freq, chosen.line.freq);
    return kNsPerSecond / static_cast<int64_t>(freq) + 2;
  }

  bool Shift(const Slacks& slacks) {
    SlackTable reduced(slacks.table.clocks());
    for (size_t a = 0; a < reduced.clocks(); ++a) {
      for (size_t b = 0; b < reduced.clocks(); ++b) {
        const int64_t least = slacks.table.Least(a, b);
        if (least == std::numeric_limits<int64_t>::max()) continue;
        reduced.Add(a, b, Saturate(static_cast<Int128>(least) - Margin()));
      }
    }
    const auto shifts = LeastShifts(reduced, movable_);
    if (!shifts) return false;
    for (size_t i = 0; i < blocks_.size(); ++i) {
      ClockLine line = chosen_[i].line;
      const int64_t shift = (*shifts)[blocks_[i].clock];
      if (shift == 0) continue;
      if (__builtin_add_overflow(line.base_ns, shift, &line.base_ns)) return false;
      const auto chosen = Choose(line, blocks_[i].before);
      if (!chosen) return false;
      chosen_[i] = *chosen;
    }
    return true;
  }

  MetadataFit Fit() const {
    MetadataFit fit;
    for (size_t i = 0; i < blocks_.size(); ++i) {
      const Chosen& chosen = chosen_[i];
      fit.settings.push_back(chosen.setting);
      const ClockLine line = {chosen.line.freq, chosen.clock.base_ns()};
      const int64_t rounding = BabeltraceClock::LargestError(line.freq, blocks_[i].span.last);
      fit.deviations_ns.push_back(
          Saturate(static_cast<Int128>(DeviationNs(blocks_[i].span, line)) + rounding));
    }
    return fit;
  }

  std::span<const BlockToFit> blocks_;
  const std::vector<bool>& movable_;
  const FitPass& pass_;
  std::vector<Chosen> chosen_;
};

}  // namespace

Result<FitOutcome> FitMetadata(std::span<const BlockToFit> blocks, const std::vector<bool>& movable,
                               const FitPass& pass) {
  return Fitter(blocks, movable, pass).Run();
}

}  // namespace syncline::ctf_metadata
