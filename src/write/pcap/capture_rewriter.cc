#include "write/pcap/capture_rewriter.h"

#include <fmt/format.h>

#include "base/try.h"
#include "read/pcap/capture_walker.h"

namespace syncline {
namespace {

using Sink = std::function<Result<void>(std::span<const std::byte>)>;

class Rewriter {
 public:
  Rewriter(CaptureWalker walker, const Retime& retime, Sink sink)
      : walker_(std::move(walker)), retime_(retime), sink_(std::move(sink)) {}

  Result<CaptureRewriteCounts> Run() {
    while (const CaptureFrame* frame = walker_.Next()) {
      SYNCLINE_TRY(Rewrite(*frame));
      SYNCLINE_TRY(Append(frame->raw));
    }
    if (walker_.error()) return tl::unexpected(*walker_.error());
    SYNCLINE_TRY(Flush());
    return counts_;
  }

 private:
  Result<void> Rewrite(const CaptureFrame& frame) {
    if (frame.kind == FrameKind::kPacket) return RewritePacket(frame);
    if (frame.kind == FrameKind::kStatistics) RewriteStatistics(frame);
    if (frame.kind == FrameKind::kUntimedPacket) ++counts_.untimed_packets;
    if (frame.kind == FrameKind::kCutOff) counts_.cut_off_bytes = frame.raw.size();
    return {};
  }

  Result<void> RewritePacket(const CaptureFrame& frame) {
    const uint64_t index = counts_.packets++;
    const GlobalTime time = retime_(index, LocalTime{frame.time_ns});
    if (time.ns == frame.time_ns) return {};
    const auto ticks = Scale(frame).ToTicks(time.ns, frame.ticks);
    if (!ticks || !frame.time_field.CanHold(*ticks)) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("packet {}: its timestamp field cannot hold the corrected time {} ns",
                              index, time.ns),
                  walker_.name(), ByteOffset{frame.offset});
    }
    if (*ticks == frame.ticks) return {};
    frame.time_field.Write(frame.raw.data() + frame.time_at, *ticks);
    ++counts_.changed;
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
    if (!new_ticks) {
      ++counts_.statistics_times_kept;
      return;
    }
    frame.time_field.Write(field, *new_ticks);
    ++counts_.statistics_times;
  }

  const TimeScale& Scale(const CaptureFrame& frame) const {
    return walker_.interfaces()[frame.interface].time_scale;
  }

  Result<void> Append(std::span<const std::byte> bytes) {
    if (pending_.size() + bytes.size() > kFileBlock) {
      SYNCLINE_TRY(Flush());
      if (bytes.size() > kFileBlock) return sink_(bytes);
    }
    pending_.insert(pending_.end(), bytes.begin(), bytes.end());
    return {};
  }

  Result<void> Flush() {
    auto done = sink_(pending_);
    pending_.clear();
    return done;
  }

  CaptureWalker walker_;
  const Retime& retime_;
  Sink sink_;
  std::vector<std::byte> pending_;
  CaptureRewriteCounts counts_;
};

}  // namespace

Result<CaptureRewriteCounts> RewriteCapture(const std::string& input, OutputFile& output,
                                            const Retime& retime) {
  SYNCLINE_ASSIGN(auto walker, CaptureWalker::Open(input));
  return Rewriter(std::move(walker), retime,
                  [&output](std::span<const std::byte> bytes) { return output.Write(bytes); })
      .Run();
}

Result<std::vector<std::byte>> RewriteCaptureBytes(std::span<const std::byte> input,
                                                   const std::string& name, const Retime& retime) {
  SYNCLINE_ASSIGN(auto walker, CaptureWalker::Start(ByteWindow::OverBytes(input, name)));
  std::vector<std::byte> output;
  SYNCLINE_TRY(Rewriter(std::move(walker), retime,
                        [&output](std::span<const std::byte> bytes) -> Result<void> {
                          output.insert(output.end(), bytes.begin(), bytes.end());
                          return {};
                        })
                   .Run());
  return output;
}

}  // namespace syncline
