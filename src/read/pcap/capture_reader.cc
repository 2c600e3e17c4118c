#include "read/pcap/capture_reader.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/try.h"

namespace syncline {
namespace {

// The link types that packets are decoded for, and names for those that are not.
struct LinkName {
  uint32_t number;
  std::string_view name;
};

constexpr std::array kLinkNames = {
    LinkName{0, "NULL"},
    LinkName{1, "ETHERNET"},
    LinkName{6, "IEEE802_5"},
    LinkName{8, "SLIP"},
    LinkName{9, "PPP"},
    LinkName{10, "FDDI"},
    LinkName{50, "PPP_HDLC"},
    LinkName{51, "PPP_ETHER"},
    LinkName{101, "RAW"},
    LinkName{104, "C_HDLC"},
    LinkName{105, "IEEE802_11"},
    LinkName{107, "FRELAY"},
    LinkName{108, "LOOP"},
    LinkName{113, "LINUX_SLL"},
    LinkName{119, "IEEE802_11_PRISM"},
    LinkName{122, "IP_OVER_FC"},
    LinkName{127, "IEEE802_11_RADIOTAP"},
    LinkName{147, "USER0"},
    LinkName{163, "IEEE802_11_AVS"},
    LinkName{187, "BLUETOOTH_HCI_H4"},
    LinkName{189, "USB_LINUX"},
    LinkName{192, "PPI"},
    LinkName{195, "IEEE802_15_4_WITHFCS"},
    LinkName{201, "BLUETOOTH_HCI_H4_WITH_PHDR"},
    LinkName{220, "USB_LINUX_MMAPPED"},
    LinkName{227, "CAN_SOCKETCAN"},
    LinkName{228, "IPV4"},
    LinkName{229, "IPV6"},
    LinkName{230, "IEEE802_15_4_NOFCS"},
    LinkName{231, "DBUS"},
    LinkName{239, "NFLOG"},
    LinkName{242, "IPOIB"},
    LinkName{247, "INFINIBAND"},
    LinkName{249, "USBPCAP"},
    LinkName{252, "WIRESHARK_UPPER_PDU"},
    LinkName{253, "NETLINK"},
    LinkName{254, "BLUETOOTH_LINUX_MONITOR"},
    LinkName{271, "VSOCK"},
    LinkName{276, "LINUX_SLL2"},
};

// BSD systems number raw IP 12 or 14 in memory, and some programs write that into files.
constexpr uint32_t kRawIpOfBsd = 12;
constexpr uint32_t kRawIpOfOpenBsd = 14;

// The link type that a LINKTYPE number of a capture file stands for; nullopt if unsupported.
std::optional<LinkType> SupportedLinkType(uint32_t number) {
  if (number == kRawIpOfBsd || number == kRawIpOfOpenBsd) return LinkType::kRawIp;
  if (number > UINT16_MAX) return std::nullopt;
  switch (const auto link = static_cast<LinkType>(number)) {
    case LinkType::kNull:
    case LinkType::kEthernet:
    case LinkType::kRawIp:
    case LinkType::kLoop:
    case LinkType::kLinuxCooked:
    case LinkType::kIpv4:
    case LinkType::kIpv6:
    case LinkType::kLinuxCookedV2: return link;
  }
  return std::nullopt;
}

// "link type 105 (IEEE802_11)", or without a name where none is known.
std::string DescribeLinkType(uint32_t number) {
  const auto known = std::ranges::find(kLinkNames, number, &LinkName::number);
  if (known == kLinkNames.end()) return fmt::format("link type {}", number);
  return fmt::format("link type {} ({})", number, known->name);
}

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
      EndEarly(frame->offset);
      break;
    }
  }
  if (walker_.is_cut_off() && !truncated_) EndEarly(walker_.bytes_read());
  error_ = walker_.error();
  Finish();
  return nullptr;
}

void CaptureReader::EndEarly(uint64_t offset) {
  truncated_ = true;
  cut_off_.Add(offset);
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
