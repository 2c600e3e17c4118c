// Packets from the network events of LTTng kernel traces, as the matcher of captures takes them.
//
// - net_dev_queue (sent), netif_receive_skb and net_if_receive_skb (received), as lttng-modules
//   records them from 2.10 on: with the IPv4 or IPv6 header and that of TCP, UDP or ICMP. The
//   headers are put together again, byte by byte; options, which are not recorded, are zeros.
// - inet_sock_local_out and inet_sock_local_in (an old addition to lttng-modules): sequence and
//   acknowledgement numbers, window and flags alone. They make a TCP segment without data between
//   0.0.0.0 and 0.0.0.0; the checksum is left out, for senders leave it to the network card.
// Packets of other protocols, and transport headers that are not recorded (ICMPv6, extension
// headers), become packets of an unsupported protocol, which the matcher counts.
// Requires: an event is read by the reader of its class. Ownership: values; the device's name
// points into the event. Cost: some 300 ns per network event, a quarter of decoding it; classes are
// looked at once.
// Method: include/instrumentation/events/net.h of lttng-modules 2.13.
// Tested by: kernel_network_test.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "syncline/packet.h"

struct bt_event;
struct bt_event_class;

namespace syncline {

struct KernelPacket {
  // IPv4 (60 bytes) or IPv6 (40), and TCP (60) with options.
  static constexpr size_t kMaxBytes = 120;
  std::array<std::byte, kMaxBytes> bytes = {};
  size_t size = 0;
  uint32_t original_length = 0;
  LinkType link = LinkType::kRawIp;
  PacketDirection direction = PacketDirection::kUnknown;
  std::string_view device;  // empty where the event does not say it

  // Points into this object.
  Packet At(uint64_t index, LocalTime time) const;
};

// Whether events of this name tell of packets, if they hold headers.
bool IsKernelNetworkEvent(std::string_view name);

class KernelPacketReader {
 public:
  // Nothing where the class is no network event, or holds no headers.
  static std::optional<KernelPacketReader> For(const bt_event_class* event_class);
  KernelPacketReader(KernelPacketReader&&) noexcept;
  KernelPacketReader& operator=(KernelPacketReader&&) noexcept;
  ~KernelPacketReader();

  KernelPacket Read(const bt_event* event) const;

 private:
  struct Layout;
  explicit KernelPacketReader(std::unique_ptr<const Layout> layout);
  std::unique_ptr<const Layout> layout_;
};

}  // namespace syncline
