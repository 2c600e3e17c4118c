// For tests: writes a CTF trace with the network events of lttng-modules 2.13, nested headers and
// all, through libbabeltrace2's trace objects and its file system sink.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace syncline {

using HeaderBytes = std::vector<uint8_t>;

struct KernelNetworkEvent {
  std::string name = "net_dev_queue";  // or net_if_receive_skb, or net_dev_xmit, without headers
  uint64_t cycles = 0;                 // nanoseconds
  uint32_t cpu = 0;                    // the stream
  std::string device = "eth0";
  HeaderBytes network = {};    // 20 bytes of IPv4, 40 of IPv6, or none
  HeaderBytes transport = {};  // 20 bytes of TCP, 8 of UDP or ICMP, or none
};

struct KernelTrace {
  std::string hostname = "host";
  std::array<uint8_t, 16> clock_uuid = {};      // none where it is all zero
  std::vector<KernelNetworkEvent> events = {};  // in order of cycles
};

// Makes the folder `path`. An error, in the library's words; empty when all went well.
std::string WriteKernelTrace(const KernelTrace& trace, const std::string& path);

}  // namespace syncline
