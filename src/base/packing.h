// Values as bytes for another process of the same program, and back.
//
// Both ends are one binary, so that values are copied as they lie in memory. What is unpacked may
// be garbled: an Unpacker reads nothing beyond its end, and says so. Ownership: texts point into
// the bytes. Cost: a nanosecond per value. Tested by: packing_test.cc.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "syncline/result.h"

namespace syncline {

template <typename T>
concept Packable = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> &&
                   !std::is_same_v<T, std::string_view>;

class Packer {
 public:
  template <Packable T>
  void Put(const T& value) {
    std::memcpy(Extend(sizeof value), &value, sizeof value);
  }
  void PutText(std::string_view text) {
    Put(uint64_t{text.size()});
    Append(text);
  }
  // A number in as few bytes as hold it, behind one that has their count and four bits besides.
  void PutShort(uint64_t number, uint8_t bits = 0) {
    static_assert(std::endian::native == std::endian::little);
    const size_t length = (static_cast<size_t>(std::bit_width(number)) + 7) / 8;
    char* const to = Extend(1 + length);
    *to = static_cast<char>(length << 4 | bits);
    std::memcpy(to + 1, &number, sizeof number);  // what is too much lies in the room to spare
  }
  template <Packable T>
  void PutAll(std::span<const T> values) {
    Put(uint64_t{values.size()});
    Append({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  // Bytes of another packer, which are unpacked as what they hold.
  void Append(std::string_view bytes) {
    if (!bytes.empty()) std::memcpy(Extend(bytes.size()), bytes.data(), bytes.size());
  }
  std::string_view bytes() const { return std::string_view(room_).substr(0, size_); }
  void Clear() { size_ = 0; }

 private:
  // Where so many more bytes go, with room for a number behind them.
  char* Extend(size_t count) {
    const size_t begin = size_;
    size_ += count;
    if (size_ + sizeof(uint64_t) > room_.size()) room_.resize(2 * size_ + sizeof(uint64_t));
    return room_.data() + begin;
  }

  std::string room_;
  size_t size_ = 0;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

  // The value as if default-constructed where the bytes end before it.
  template <Packable T>
  T Get() {
    T value{};
    const std::string_view bytes = GetBytes(sizeof value);
    if (is_valid_) std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof value);
    return value;
  }
  std::string_view GetText() { return GetBytes(Get<uint64_t>()); }
  // So many, or none where there are fewer.
  std::string_view GetBytes(uint64_t count) {
    is_valid_ &= count <= bytes_.size();
    if (!is_valid_) return {};
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  struct Short {
    uint64_t number = 0;
    uint8_t bits = 0;
  };
  // What PutShort() made; zeros where the bytes end before it.
  Short GetShort() {
    if (bytes_.empty() || !is_valid_) return NoShort();
    const auto head = static_cast<uint8_t>(bytes_[0]);
    const size_t length = head >> 4;
    Short value{.bits = static_cast<uint8_t>(head & 15)};
    if (length > sizeof value.number || length >= bytes_.size()) return NoShort();
    if (bytes_.size() > sizeof value.number) {
      // Copies of a size that is known take a tenth of the time.
      std::memcpy(&value.number, bytes_.data() + 1, sizeof value.number);
      value.number &= length == 0 ? 0 : ~uint64_t{0} >> (64 - 8 * length);
    } else {
      std::memcpy(&value.number, bytes_.data() + 1, length);
    }
    bytes_.remove_prefix(1 + length);
    return value;
  }
  template <Packable T>
  std::vector<T> GetAll() {
    return GetMany<T>(Get<uint64_t>());
  }
  // So many; none where there are fewer.
  template <Packable T>
  std::vector<T> GetMany(uint64_t count) {
    if (!CanHold(count, sizeof(T))) return {};
    const std::string_view bytes = GetBytes(count * sizeof(T));
    std::vector<T> values(count);
    if (count > 0) std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
    return values;
  }
  // Whether `count` elements of at least `bytes` each can follow; invalid where not.
  bool CanHold(uint64_t count, size_t bytes = 1) {
    return is_valid_ &= count <= bytes_.size() / bytes;
  }
  // Where the caller finds that a value cannot be.
  void SayGarbled() { is_valid_ = false; }
  // Whether everything was there.
  bool is_valid() const { return is_valid_; }
  bool is_over() const { return bytes_.empty(); }

 private:
  Short NoShort() {
    is_valid_ = false;
    return {};
  }

  std::string_view bytes_;
  bool is_valid_ = true;
};

void PackError(const Error& error, Packer& packer);
Error UnpackError(Unpacker& unpacker);

template <Packable T>
std::string PackResult(const Result<T>& result) {
  Packer packer;
  packer.Put(static_cast<uint8_t>(result.has_value()));
  if (result) {
    packer.Put(*result);
  } else {
    PackError(result.error(), packer);
  }
  return std::string(packer.bytes());
}

// kMalformed where the bytes are no result.
template <Packable T>
Result<T> UnpackResult(std::string_view bytes) {
  Unpacker unpacker(bytes);
  if (unpacker.Get<uint8_t>() == 0 && unpacker.is_valid())
    return tl::unexpected(UnpackError(unpacker));
  const T value = unpacker.Get<T>();
  if (!unpacker.is_valid()) return Fail(ErrorCode::kMalformed, "a garbled result");
  return value;
}

}  // namespace syncline
