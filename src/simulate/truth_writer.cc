#include "simulate/truth_writer.h"

#include <limits>

#include <fmt/format.h>

#include "base/try.h"

namespace syncline {
namespace {

Result<void> WritePoints(const ClockModel& clock, int64_t end_ns, ByteSink& output) {
  ClockKnots knots = clock.Knots();
  std::string_view separator;
  int64_t last_local_ns = std::numeric_limits<int64_t>::min();
  for (bool is_last = false; !is_last;) {
    const ClockKnot knot = knots.Next();
    // What begins with a step back needs a second point.
    is_last = knot.true_ns > end_ns && knot.local_ns > last_local_ns;
    // Set back by a nanosecond, within which it went on by one.
    if (knot.local_ns == last_local_ns) continue;
    last_local_ns = knot.local_ns;
    SYNCLINE_TRY(output.Append(fmt::format("{}[{}, {}]", separator, knot.local_ns, knot.true_ns)));
    separator = ", ";
  }
  return {};
}

}  // namespace

Result<void> WriteTruth(const Simulation& simulation, ByteSink output) {
  std::string before = "{\n  \"clocks\": {";
  const auto& clocks = simulation.traces().clocks;
  for (uint32_t c = 0; c < clocks.size(); ++c) {
    SYNCLINE_TRY(output.Append(fmt::format("{}\n    \"{}\": [", before, clocks[c].name)));
    SYNCLINE_TRY(WritePoints(simulation.clock(ClockId(c)), simulation.now_ns(), output));
    SYNCLINE_TRY(output.Append("]"));
    before = ",";
  }
  SYNCLINE_TRY(output.Append("\n  }\n}\n"));
  return output.Flush();
}

}  // namespace syncline
