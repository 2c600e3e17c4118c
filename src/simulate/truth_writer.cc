#include "simulate/truth_writer.h"

#include <fmt/format.h>

namespace syncline {
namespace {

// Whether a clock's readings never fall until `end_ns`.
bool HasInverse(const ClockModel& clock, int64_t end_ns) {
  ClockKnots knots = clock.Knots();
  for (ClockKnot knot = knots.Next(); knot.true_ns <= end_ns; knot = knots.Next()) {
    if (knot.is_step_back) return false;
  }
  return true;
}

Result<void> WritePoints(const ClockModel& clock, int64_t end_ns, ByteSink& output) {
  ClockKnots knots = clock.Knots();
  std::string_view separator;
  for (bool is_last = false; !is_last;) {
    const ClockKnot knot = knots.Next();
    is_last = knot.true_ns > end_ns;
    auto written = output.Append(fmt::format("{}[{}, {}]", separator, knot.local_ns, knot.true_ns));
    if (!written) return written;
    separator = ", ";
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> WriteTruth(const Simulation& simulation, ByteSink output) {
  std::vector<std::string> left_out;
  std::string before = "{\n  \"clocks\": {";
  const auto& clocks = simulation.traces().clocks;
  for (uint32_t c = 0; c < clocks.size(); ++c) {
    const ClockModel& clock = simulation.clock(ClockId(c));
    if (!HasInverse(clock, simulation.now_ns())) {
      left_out.push_back(clocks[c].name);
      continue;
    }
    auto written = output.Append(fmt::format("{}\n    \"{}\": [", before, clocks[c].name));
    if (written) written = WritePoints(clock, simulation.now_ns(), output);
    if (written) written = output.Append("]");
    if (!written) return tl::unexpected(written.error());
    before = ",";
  }
  if (left_out.size() == clocks.size()) {
    if (auto done = output.Append(before); !done) return tl::unexpected(done.error());
  }
  if (auto done = output.Append("\n  }\n}\n"); !done) return tl::unexpected(done.error());
  if (auto done = output.Flush(); !done) return tl::unexpected(done.error());
  return left_out;
}

}  // namespace syncline
