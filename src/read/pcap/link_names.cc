#include "read/pcap/link_names.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace syncline {
namespace {

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

}  // namespace

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
    case LinkType::kLinuxCookedV2:
      return link;
  }
  return std::nullopt;
}

std::string DescribeLinkType(uint32_t number) {
  const auto known = std::ranges::find(kLinkNames, number, &LinkName::number);
  if (known == kLinkNames.end()) return fmt::format("link type {}", number);
  return fmt::format("link type {} ({})", number, known->name);
}

}  // namespace syncline
