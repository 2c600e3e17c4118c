// Builds capture files byte by byte, for tests and benchmarks.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "read/pcap/capture_frame.h"

namespace syncline {

class CaptureBuilder {
 public:
  explicit CaptureBuilder(ByteOrder order = ByteOrder::kNative) : order_(order) {}

  template <typename T>
  CaptureBuilder& Put(T value) {
    bytes_.resize(bytes_.size() + sizeof(T));
    Store(bytes_.data() + bytes_.size() - sizeof(T), order_, value);
    return *this;
  }
  CaptureBuilder& PutText(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  CaptureBuilder& Pad() {
    bytes_.resize((bytes_.size() + 3) / 4 * 4);
    return *this;
  }

  // Classic captures.
  CaptureBuilder& FileHeader(uint32_t magic, uint32_t link = 1, uint32_t snap_length = 65535) {
    Put<uint32_t>(magic).Put<uint16_t>(2).Put<uint16_t>(4).Put<uint64_t>(0);
    return Put<uint32_t>(snap_length).Put<uint32_t>(link);
  }
  CaptureBuilder& Record(uint32_t seconds, uint32_t fraction, std::string_view data,
                         uint32_t original_length) {
    Put(seconds).Put(fraction).Put(static_cast<uint32_t>(data.size())).Put(original_length);
    return PutText(data);
  }
  CaptureBuilder& Record(uint32_t seconds, uint32_t fraction, std::string_view data = "data") {
    return Record(seconds, fraction, data, static_cast<uint32_t>(data.size()));
  }

  // Pcapng. A block's body is built by another builder of the same order.
  CaptureBuilder& Block(uint32_t type, const CaptureBuilder& body) {
    const auto length = static_cast<uint32_t>(12 + (body.bytes_.size() + 3) / 4 * 4);
    Put(type).Put(length);
    bytes_.insert(bytes_.end(), body.bytes_.begin(), body.bytes_.end());
    return Pad().Put(length);
  }
  CaptureBuilder& Section() {
    CaptureBuilder body(order_);
    body.Put<uint32_t>(0x1a2b3c4d).Put<uint16_t>(1).Put<uint16_t>(0).Put<uint64_t>(~uint64_t{0});
    return Block(0x0a0d0d0a, body);
  }
  CaptureBuilder& Option(uint16_t code, std::string_view value) {
    Put(code).Put(static_cast<uint16_t>(value.size()));
    return PutText(value).Pad();
  }
  template <typename T>
  CaptureBuilder& NumberOption(uint16_t code, T value) {
    Put(code).Put(static_cast<uint16_t>(sizeof(T))).Put(value);
    return Pad();
  }
  // `options` as made by Option() and NumberOption().
  CaptureBuilder& Interface(uint16_t link, const CaptureBuilder& options) {
    CaptureBuilder body(order_);
    body.Put(link).Put<uint16_t>(0).Put<uint32_t>(0).Append(options);
    return Block(1, body);
  }
  CaptureBuilder& Interface(uint16_t link = 1) { return Interface(link, CaptureBuilder(order_)); }
  CaptureBuilder& EnhancedPacket(uint32_t interface, uint64_t ticks, std::string_view data,
                                 const CaptureBuilder& options) {
    CaptureBuilder body(order_);
    body.Put(interface).PutHalves(ticks).Put(static_cast<uint32_t>(data.size()));
    body.Put(static_cast<uint32_t>(data.size())).PutText(data).Pad().Append(options);
    return Block(6, body);
  }
  CaptureBuilder& EnhancedPacket(uint32_t interface, uint64_t ticks,
                                 std::string_view data = "data") {
    return EnhancedPacket(interface, ticks, data, CaptureBuilder(order_));
  }
  // A count of ticks as its upper and lower half.
  CaptureBuilder& PutHalves(uint64_t ticks) {
    return Put(static_cast<uint32_t>(ticks >> 32)).Put(static_cast<uint32_t>(ticks));
  }
  CaptureBuilder& Append(const CaptureBuilder& other) {
    bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
    return *this;
  }

  CaptureBuilder Empty() const { return CaptureBuilder(order_); }
  const std::vector<std::byte>& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }

 private:
  ByteOrder order_;
  std::vector<std::byte> bytes_;
};

// The samples beside the tests.
inline std::string SamplePath(std::string_view name) {
  return std::string(SYNCLINE_SOURCE_DIR "/src/read/pcap/testdata/").append(name);
}
inline constexpr std::string_view kSamples[] = {
    "loopback_us.pcap",
    "loopback_us_big_endian.pcap",
    "snap60_ns.pcap",
    "raw_us.pcap",
    "snap60_ns_big_endian.pcap",
    "null_us.pcap",
    "loop_ns.pcap",
    "cooked_us.pcap",
    "cooked2_ns.pcap",
    "vlan_us.pcap",
    "host_a_ns.pcap",
    "host_b_ns.pcap",
    "cut_off_ns.pcap",
    "two_interfaces.pcapng",
    "mixed_links.pcapng",
    "two_sections.pcapng",
    "cut_off.pcapng",
};

}  // namespace syncline
