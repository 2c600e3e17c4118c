// Messages in the wire format of protocol buffers, as far as a trace needs it.
//
// A writer of its own, because Perfetto's definitions come with no package of Debian, and a trace
// needs no more than these four kinds of fields. Cost: a few nanoseconds per field.
// Method: "Encoding", Protocol Buffers documentation. Tested by: wire_test.cc (protoc decodes).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace syncline {

class WireMessage {
 public:
  void AddVarint(uint32_t field, uint64_t value) {
    AddTag(field, 0);
    AppendVarint(value);
  }
  // int32 and int64: negative numbers take ten bytes.
  void AddSigned(uint32_t field, int64_t value) { AddVarint(field, static_cast<uint64_t>(value)); }
  void AddFixed64(uint32_t field, uint64_t value) {
    AddTag(field, 1);
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xFFU);
  }
  void AddBytes(uint32_t field, std::string_view value) {
    AddTag(field, 2);
    AppendVarint(value.size());
    bytes_ += value;
  }
  void AddMessage(uint32_t field, const WireMessage& message) { AddBytes(field, message.bytes_); }

  const std::string& bytes() const { return bytes_; }
  void Clear() { bytes_.clear(); }

 private:
  void AddTag(uint32_t field, uint32_t type) { AppendVarint(uint64_t{field} << 3 | type); }
  void AppendVarint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7FU) | 0x80U);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace syncline
