// Values as bytes for another process of the same program, and back.
//
// Both ends are one binary, so that values are copied as they lie in memory. What is unpacked may
// be garbled: an Unpacker reads nothing beyond its end, and says so. Ownership: texts point into
// the bytes. Tested by: packing_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
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
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void PutText(std::string_view text) {
    Put(uint64_t{text.size()});
    bytes_ += text;
  }
  template <Packable T>
  void PutAll(std::span<const T> values) {
    PutText({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  // Bytes of another packer, which are unpacked as what they hold.
  void Append(std::string_view bytes) { bytes_ += bytes; }
  const std::string& bytes() const { return bytes_; }
  void Clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

  // The value as if default-constructed where the bytes end before it.
  template <Packable T>
  T Get() {
    T value{};
    const std::string_view bytes = Take(sizeof value);
    if (is_valid_) std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof value);
    return value;
  }
  std::string_view GetText() { return Take(Get<uint64_t>()); }
  template <Packable T>
  std::vector<T> GetAll() {
    const std::string_view bytes = GetText();
    is_valid_ &= bytes.size() % sizeof(T) == 0;
    std::vector<T> values(is_valid_ ? bytes.size() / sizeof(T) : 0);
    if (!values.empty()) std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
    return values;
  }
  // Whether `count` elements of at least `bytes` each can follow; invalid where not.
  bool CanHold(uint64_t count, size_t bytes = 1) {
    return is_valid_ &= count <= bytes_.size() / bytes;
  }
  // Whether everything was there.
  bool is_valid() const { return is_valid_; }
  bool is_over() const { return bytes_.empty(); }

 private:
  std::string_view Take(uint64_t count) {
    is_valid_ &= count <= bytes_.size();
    if (!is_valid_) return {};
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
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
  return packer.bytes();
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
