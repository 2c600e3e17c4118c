#include "live/exchange/distortion.h"

#include <string_view>

#include "base/int128.h"
#include "base/text_scanner.h"
#include "base/ticks.h"

namespace syncline {
namespace {

constexpr int64_t kMostOffsetNs = 1'000'000'000'000'000'000;
constexpr int64_t kMostDriftPpb = 100'000'000;
constexpr int64_t kPptPerPpb = 1000;

}  // namespace

int64_t Distortion::Shown(int64_t true_ns) const {
  const Int128 since = static_cast<Int128>(true_ns) - origin_ns;
  return Saturate(static_cast<Int128>(true_ns) + offset_ns +
                  FloorDiv(since * drift_ppb, kPpbInOne));
}

Result<Distortion> ParseDistortion(const std::string& text, int64_t now_ns) {
  TextScanner scan(text);
  std::optional<int64_t> offset_ns, drift_ppb, origin_ns;
  do {
    const size_t where = scan.position();
    const std::string_view name = scan.Word();
    if (name == "offset" && !offset_ns) {
      scan.Expect('=');
      offset_ns = scan.DurationNs();
    } else if (name == "drift" && !drift_ppb) {
      scan.Expect('=');
      drift_ppb = Saturate(MulDivRound(scan.DriftPpt(), 1, kPptPerPpb));
    } else if (name == "origin" && !origin_ns) {
      scan.Expect('=');
      origin_ns = scan.DurationNs();
    } else {
      scan.RefuseAt(where, "offset=TIME, drift=RATE or origin=NANOSECONDS, each once");
    }
  } while (scan.Accept(','));
  const Distortion d = {offset_ns.value_or(0), drift_ppb.value_or(0), origin_ns.value_or(now_ns)};
  scan.RefuseIf(std::abs(d.offset_ns) > kMostOffsetNs, 0, "an offset within ±10^18 ns");
  scan.RefuseIf(std::abs(d.drift_ppb) > kMostDriftPpb, 0, "a drift within ±100000 ppm");
  return scan.Finish(d, "',' or the end");
}

}  // namespace syncline
