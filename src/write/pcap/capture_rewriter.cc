#include "write/pcap/capture_rewriter.h"

#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "read/pcap/pcapng_option.h"

namespace syncline {
namespace {

std::string_view TextOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Rewriter {
 public:
  Rewriter(CaptureWalker walker, const Retime& retime)
      : walker_(std::move(walker)), retime_(retime) {}

  Result<void> Run(ByteSink& output) {
    while (const CaptureFrame* frame = walker_.Next()) {
      SYNCLINE_TRY(Rewrite(*frame));
      SYNCLINE_TRY(output.Append(TextOf(frame->raw)));
    }
    if (walker_.error()) return tl::unexpected(*walker_.error());
    return output.Flush();
  }

 private:
  Result<void> Rewrite(const CaptureFrame& frame) {
    if (frame.kind == FrameKind::kPacket) return RewritePacket(frame);
    if (frame.kind == FrameKind::kStatistics) RewriteStatistics(frame);
    return {};
  }

  Result<void> RewritePacket(const CaptureFrame& frame) {
    const uint64_t index = next_packet_++;
    const GlobalTime time = retime_(index, LocalTime{frame.time_ns});
    if (time.ns == frame.time_ns) return {};
    const auto ticks = Scale(frame).ToTicks(time.ns, frame.ticks);
    if (!ticks || !frame.time_field.CanHold(*ticks)) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("packet {}: its timestamp field cannot hold the corrected time {} ns",
                              index, time.ns),
                  walker_.name(), ByteOffset{frame.offset});
    }
    if (*ticks != frame.ticks) frame.time_field.Write(frame.raw.data() + frame.time_at, *ticks);
    return {};
  }

  void RewriteStatistics(const CaptureFrame& frame) {
    RewriteStatisticsTime(frame, frame.raw.data() + frame.time_at);
    PcapngOptionList options(frame.options, frame.time_field.order);
    while (const auto option = options.Next()) {
      const bool is_time = option->code == kStatisticsStart || option->code == kStatisticsEnd;
      if (is_time && option->value.size() == 8) RewriteStatisticsTime(frame, option->value.data());
    }
  }

  void RewriteStatisticsTime(const CaptureFrame& frame, std::byte* field) {
    const uint64_t ticks = frame.time_field.Read(field);
    const auto old_ns = ticks == 0 ? std::nullopt : Scale(frame).ToNs(ticks);
    const auto new_ticks =
        old_ns ? Scale(frame).ToTicks(retime_(kNoPacket, LocalTime{*old_ns}).ns, ticks)
               : std::nullopt;
    if (new_ticks) frame.time_field.Write(field, *new_ticks);
  }

  const TimeScale& Scale(const CaptureFrame& frame) const {
    return walker_.interfaces()[frame.interface].time_scale;
  }

  CaptureWalker walker_;
  const Retime& retime_;
  uint64_t next_packet_ = 0;
};

}  // namespace

Result<void> RewriteCapture(CaptureWalker input, ByteSink output, const Retime& retime) {
  return Rewriter(std::move(input), retime).Run(output);
}

}  // namespace syncline
