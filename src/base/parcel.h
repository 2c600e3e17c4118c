// Values in a row of bytes, for another process of the same program on the same kind of machine.
//
// Who reads takes the same types in the same order. Tested by: parcel_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"

namespace syncline {

class Parcel {
 public:
  template <typename T>
  void Put(const T& value) {
    PutAll(std::span(&value, 1));
  }
  void Put(const std::string& text) { PutAll(std::span(text.data(), text.size())); }
  template <typename T>
  void PutAll(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const uint64_t count = values.size();
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof(count) + values.size_bytes());
    std::memcpy(bytes_.data() + at, &count, sizeof(count));
    if (count > 0) {
      std::memcpy(bytes_.data() + at + sizeof(count), values.data(), values.size_bytes());
    }
  }
  template <typename T>
  void PutAll(const std::vector<T>& values) {
    PutAll(std::span<const T>(values));
  }

  // One after the other, vectors and spans as by PutAll().
  template <typename... T>
  void PutEach(const T&... values) {
    (PutOne(values), ...);
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  template <typename T>
  void PutOne(const T& value) {
    Put(value);
  }
  template <typename T>
  void PutOne(const std::vector<T>& values) {
    PutAll(values);
  }
  template <typename T>
  void PutOne(std::span<const T> values) {
    PutAll(values);
  }

  std::vector<std::byte> bytes_;
};

// A parcel that was received. Aborts where it holds something else.
class ParcelReader {
 public:
  explicit ParcelReader(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  template <typename T>
  T Take() {
    T value;
    Copy(&value, TakeCount(sizeof(T), 1), sizeof(T));
    return value;
  }
  std::string TakeText() {
    std::string text(TakeCount(1), '\0');
    Copy(text.data(), text.size(), 1);
    return text;
  }
  template <typename T>
  std::vector<T> TakeAll() {
    static_assert(std::is_trivially_copyable_v<T>);
    const size_t count = TakeCount(sizeof(T));
    std::vector<T> values(count);
    Copy(values.data(), count, sizeof(T));
    return values;
  }
  // What PutEach() put.
  template <typename... T>
  void TakeEach(T&... values) {
    (TakeOne(values), ...);
  }
  bool is_at_end() const { return next_ == bytes_.size(); }

 private:
  void TakeOne(std::string& text) { text = TakeText(); }
  template <typename T>
  void TakeOne(std::vector<T>& values) {
    values = TakeAll<T>();
  }
  template <typename T>
  void TakeOne(T& value) {
    value = Take<T>();
  }
  size_t TakeCount(size_t size) {
    uint64_t count = 0;
    SYNCLINE_CHECK(bytes_.size() - next_ >= sizeof(count));
    std::memcpy(&count, bytes_.data() + next_, sizeof(count));
    next_ += sizeof(count);
    SYNCLINE_CHECK(count <= (bytes_.size() - next_) / size);
    return count;
  }
  size_t TakeCount(size_t size, size_t expected) {
    const size_t count = TakeCount(size);
    SYNCLINE_CHECK(count == expected);
    return count;
  }
  void Copy(void* to, size_t count, size_t size) {
    if (count > 0) std::memcpy(to, bytes_.data() + next_, count * size);
    next_ += count * size;
  }

  std::vector<std::byte> bytes_;
  size_t next_ = 0;
};

}  // namespace syncline
