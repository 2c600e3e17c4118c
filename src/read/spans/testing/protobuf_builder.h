// Messages of protobuf, for tests: each function makes one field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace syncline::protobuf {

inline std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
inline std::string Number(uint32_t field, uint64_t value) {
  return Varint(uint64_t{field} << 3) + Varint(value);
}
inline std::string Bytes(uint32_t field, std::string_view bytes) {
  return Varint(uint64_t{field} << 3 | 2) + Varint(bytes.size()) + std::string(bytes);
}
inline std::string Fixed64(uint32_t field, uint64_t value) {
  std::string bytes = Varint(uint64_t{field} << 3 | 1);
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> 8 * i);
  return bytes;
}
inline std::string TextAttribute(std::string_view key, std::string_view value) {
  return Bytes(1, key) + Bytes(2, Bytes(1, value));
}
inline std::string IntegerAttribute(std::string_view key, uint64_t value) {
  return Bytes(1, key) + Bytes(2, Number(3, value));
}
// A request of one resource on `host`, with one scope, of these spans (fields 2 of the scope).
inline std::string Request(std::string_view host, std::string_view spans) {
  const std::string resource = Bytes(1, TextAttribute("host.name", host));
  return Bytes(1, Bytes(1, resource) + Bytes(2, spans));
}
// As the collector writes it to files.
inline std::string WithLength(const std::string& message) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(message.size() >> shift);
  return bytes + message;
}

}  // namespace syncline::protobuf
