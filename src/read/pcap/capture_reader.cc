#include "read/pcap/capture_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/try.h"
#include "read/pcap/link_names.h"

namespace syncline {
namespace {

// The packet type that both cooked headers carry for packets that this host sent.
constexpr uint16_t kCookedOutgoing = 4;

PacketDirection CookedDirection(uint16_t packet_type) {
  return packet_type == kCookedOutgoing ? PacketDirection::kOutbound : PacketDirection::kInbound;
}

// As the block's flags say, else as a cooked header says.
PacketDirection FrameDirection(const CaptureFrame& frame, LinkType link) {
  if (frame.direction != PacketDirection::kUnknown) return frame.direction;
  if (link == LinkType::kLinuxCooked && frame.data().size() >= 2) {
    return CookedDirection(Load<uint16_t>(frame.data().data(), kBigEndian));
  }
  if (link == LinkType::kLinuxCookedV2 && frame.data().size() >= 11) {
    return CookedDirection(std::to_integer<uint16_t>(frame.data()[10]));
  }
  return PacketDirection::kUnknown;
}

}  // namespace

Result<CaptureReader> CaptureReader::Open(const std::string& path) {
  SYNCLINE_ASSIGN(auto walker, CaptureWalker::Open(path));
  return CaptureReader(std::move(walker));
}

Result<CaptureReader> CaptureReader::FromBytes(std::span<const std::byte> bytes, std::string name) {
  SYNCLINE_ASSIGN(auto walker, CaptureWalker::Start(ByteWindow::OverBytes(bytes, std::move(name))));
  return CaptureReader(std::move(walker));
}

const Packet* CaptureReader::Next() {
  if (finished_) return nullptr;
  while (const CaptureFrame* frame = walker_.Next()) {
    if (frame->kind == FrameKind::kPacket) [[likely]]
      return Deliver(*frame);
    if (frame->kind == FrameKind::kUntimedPacket) without_time_.Add(frame->offset);
    if (frame->kind == FrameKind::kCutOff) {
      truncated_ = true;
      cut_off_.Add(frame->offset);
    }
  }
  error_ = walker_.error();
  Finish();
  return nullptr;
}

const Packet* CaptureReader::Deliver(const CaptureFrame& frame) {
  if (frame.interface >= links_.size() || !links_[frame.interface]) [[unlikely]] {
    if (!LearnLinkType(frame)) {
      Finish();
      return nullptr;
    }
  }
  CountFindings(frame);
  packet_.index = next_index_++;
  packet_.time = LocalTime{frame.time_ns};
  packet_.bytes = frame.data();
  packet_.original_length = frame.original_length;
  packet_.interface = frame.interface;
  packet_.link = *links_[frame.interface];
  packet_.direction = FrameDirection(frame, packet_.link);
  return &packet_;
}

bool CaptureReader::LearnLinkType(const CaptureFrame& frame) {
  const CaptureInterface& interface = walker_.interfaces()[frame.interface];
  links_.resize(walker_.interfaces().size());
  links_[frame.interface] = SupportedLinkType(interface.link_number);
  if (!links_[frame.interface]) {
    error_ = Error{ErrorCode::kUnsupported,
                   fmt::format("holds packets of {}, which is not supported",
                               DescribeLinkType(interface.link_number)),
                   walker_.name(), ByteOffset{frame.offset}};
    return false;
  }
  return true;
}

void CaptureReader::CountFindings(const CaptureFrame& frame) {
  if (frame.time_ns < previous_ns_) steps_back_.Add(frame.offset);
  previous_ns_ = frame.time_ns;
  if (frame.captured_length > frame.original_length) too_long_.Add(frame.offset);
  const TimeField& field = frame.time_field;
  if (field.layout == TimeLayout::kSecondsAndFraction &&
      Load<uint32_t>(frame.raw.data() + frame.time_at + 4, field.order) >= field.ticks_per_second) {
    large_fraction_.Add(frame.offset);
  }
}

void CaptureReader::Finish() {
  finished_ = true;
  Report("capture-cut-off", Severity::kWarning, cut_off_);
  Report("packet-without-time", Severity::kWarning, without_time_);
  Report("time-steps-back", Severity::kInfo, steps_back_);
  Report("time-fraction-too-large", Severity::kInfo, large_fraction_);
  Report("captured-longer-than-packet", Severity::kInfo, too_long_);
}

void CaptureReader::Report(const char* name, Severity severity, const Tally& tally) {
  if (tally.count == 0) return;
  diagnostics_.Count(name, severity, tally.count,
                     fmt::format("{}: byte {}", walker_.name(), tally.first_offset));
}

int64_t CaptureReader::ticks_per_second() const {
  constexpr int64_t kNanoseconds = 1'000'000'000;
  const auto interfaces = walker_.interfaces();
  const auto coarsest = std::ranges::min_element(
      interfaces, {},
      [](const CaptureInterface& interface) { return interface.time_scale.ticks_per_second(); });
  return coarsest == interfaces.end() ? kNanoseconds : coarsest->time_scale.ticks_per_second();
}

}  // namespace syncline
