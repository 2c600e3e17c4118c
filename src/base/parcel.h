// Values in a row of bytes, for another process of the same program on the same kind of machine,
// and back.
//
// Who reads takes the same types in the same order: numbers, enumerations, texts, what the standard
// has to hold them in, results, and
// - structs that lie in one piece of memory, as they lie there;
// - types that list their members: static auto Members(auto& self) { return std::tie(self.a_); },
//   or a function Members(Is<Type> auto& self) beside them. Those that may come garbled have to, if
//   there is a bool in them;
// - types with void Put(Parcel&) const and static Type Take(ParcelReader&).
// A reader of bytes of its own aborts where they end early or hold what cannot be; that the types
// are the same is not seen by it. One of bytes that lie elsewhere expects that they may be garbled:
// it reads nothing beyond their end, makes nothing larger than they can fill, and says so.
// Ownership: its texts point into the bytes. Cost: a nanosecond per value; what lies in one piece
// is copied at once. Tested by: parcel_test.cc.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "syncline/result.h"

#include "base/check.h"

namespace syncline {

template <typename T, typename Type>
concept Is = std::same_as<std::remove_const_t<T>, Type>;

auto Members(Is<Error> auto& self) {
  return std::tie(self.code, self.message, self.file, self.position);
}

class Parcel;
class ParcelReader;

// What the parcel's templates tell apart.
namespace parcel {

template <typename T>
concept PutsItself = requires(const T& value, Parcel& to) {
  value.Put(to);
};
template <typename T>
concept TakesItself = requires(ParcelReader& from) {
  { T::Take(from) } -> std::same_as<T>;
};
template <typename T>
concept ListsMembers = requires(T& value) {
  T::Members(value);
};
template <typename T>
concept HasMembers = ListsMembers<T> || requires(T& value) {
  Members(value);
};
template <typename T>
concept IsMaybe = requires(const T& value) {
  value.has_value();
};
template <typename T>
concept IsTuple = requires {
  std::tuple_size<T>::value;
};

template <typename T>
concept IsPlain = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_array_v<T> &&
                  !std::same_as<T, bool> && !std::ranges::view<T> && !IsMaybe<T> &&
                  !HasMembers<T> && !PutsItself<T>;
template <typename T>
concept IsInOnePiece =
    std::ranges::contiguous_range<T> && IsPlain<std::ranges::range_value_t<const T>>;

template <typename T>
auto MembersOf(T& value) {
  if constexpr (ListsMembers<T>) {
    return T::Members(value);
  } else {
    return Members(value);
  }
}

// What a container is filled with.
template <typename T>
struct Element {
  using type = std::ranges::range_value_t<T>;
};
template <typename T>
requires requires { typename T::mapped_type; }
struct Element<T> {
  using type = std::pair<typename T::key_type, typename T::mapped_type>;
};

}  // namespace parcel

class Parcel {
 public:
  template <typename... T>
  void Put(const T&... values) {
    (PutOne(values), ...);
  }
  // A number in as few bytes as hold it, behind one that has their count and four bits besides.
  void PutShort(uint64_t number, uint8_t bits = 0) {
    static_assert(std::endian::native == std::endian::little);
    const size_t length = (static_cast<size_t>(std::bit_width(number)) + 7) / 8;
    std::byte* const to = Extend(1 + length);
    *to = static_cast<std::byte>(length << 4 | bits);
    std::memcpy(to + 1, &number, sizeof number);  // what is too much lies in the room to spare
  }
  // Bytes of which the reader knows how many they are.
  void Append(std::string_view bytes) { Append(bytes.data(), bytes.size()); }

  std::span<const std::byte> bytes() const { return std::span(room_).first(size_); }
  std::string_view text() const { return {reinterpret_cast<const char*>(room_.data()), size_}; }
  void Clear() { size_ = 0; }

 private:
  template <typename T>
  void PutOne(const T& value) {
    using namespace parcel;
    if constexpr (PutsItself<T>) {
      value.Put(*this);
    } else if constexpr (HasMembers<const T>) {
      std::apply([this](const auto&... each) { this->Put(each...); }, MembersOf(value));
    } else if constexpr (IsPlain<T> || std::same_as<T, bool>) {
      std::memcpy(Extend(sizeof value), &value, sizeof value);
    } else if constexpr (IsTuple<T>) {
      std::apply([this](const auto&... each) { this->Put(each...); }, value);
    } else if constexpr (IsMaybe<T>) {
      PutMaybe(value);
    } else {
      PutOne(uint64_t{value.size()});
      if constexpr (IsInOnePiece<T>) {
        Append(value.data(), value.size() * sizeof(*value.data()));
      } else {
        for (const auto& each : value) PutOne(each);
      }
    }
  }
  template <typename T>
  void PutMaybe(const T& value) {
    PutOne(value.has_value());
    if constexpr (!std::is_void_v<typename T::value_type>) {
      if (value) PutOne(*value);
    }
    if constexpr (requires { value.error(); }) {
      if (!value) PutOne(value.error());
    }
  }
  void Append(const void* bytes, size_t count) {
    if (count > 0) std::memcpy(Extend(count), bytes, count);
  }
  // Where so many more bytes go, with room for a number behind them.
  std::byte* Extend(size_t count) {
    constexpr size_t kAhead = 256;
    const size_t begin = size_;
    size_ += count;
    if (size_ + sizeof(uint64_t) > room_.size()) room_.resize(size_ + kAhead);
    return room_.data() + begin;
  }

  std::vector<std::byte> room_;
  size_t size_ = 0;
};

class ParcelReader {
 public:
  explicit ParcelReader(std::vector<std::byte> bytes)
      : own_(std::make_shared<const std::vector<std::byte>>(std::move(bytes))),
        bytes_(reinterpret_cast<const char*>(own_->data()), own_->size()) {}
  explicit ParcelReader(std::span<const std::byte> bytes)
      : ParcelReader(std::vector(bytes.begin(), bytes.end())) {}
  explicit ParcelReader(std::string_view garbled) : bytes_(garbled) {}

  // The value as if default-constructed where the bytes end before it.
  template <typename T>
  T Take() {
    if constexpr (parcel::TakesItself<T>) {
      return T::Take(*this);
    } else {
      T value{};
      TakeOne(value);
      return value;
    }
  }
  template <typename... T>
  void Take(T&... values) {
    (TakeOne(values), ...);
  }
  template <typename T>
  std::vector<T> TakeAll() {
    return Take<std::vector<T>>();
  }
  // So many; none where there are fewer.
  template <parcel::IsPlain T>
  std::vector<T> TakeMany(uint64_t count) {
    if (!CanHold(count, sizeof(T))) return {};
    std::vector<T> values(count);
    Copy(values.data(), count * sizeof(T));
    return values;
  }
  // So many, or none where there are fewer.
  std::string_view TakeBytes(uint64_t count) {
    if (!CanHold(count)) return {};
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  struct Short {
    uint64_t number = 0;
    uint8_t bits = 0;
  };
  // What PutShort() made; zeros where the bytes end before it.
  Short TakeShort() {
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
  // Whether `count` elements of at least `bytes` each can follow; invalid where not.
  bool CanHold(uint64_t count, size_t bytes = 1) {
    if (count > bytes_.size() / bytes) SayGarbled();
    return is_valid_;
  }
  // Also where the caller finds that a value cannot be.
  void SayGarbled() {
    SYNCLINE_CHECK(!own_);
    is_valid_ = false;
  }
  // Whether everything was there.
  bool is_valid() const { return is_valid_; }
  bool is_at_end() const { return bytes_.empty(); }

 private:
  template <typename T>
  void TakeOne(T& value) {
    using namespace parcel;
    if constexpr (TakesItself<T>) {
      value = T::Take(*this);
    } else if constexpr (HasMembers<T>) {
      std::apply([this](auto&... each) { this->Take(each...); }, MembersOf(value));
    } else if constexpr (IsPlain<T>) {
      Copy(&value, sizeof value);
    } else if constexpr (IsTuple<T>) {
      std::apply([this](auto&... each) { this->Take(each...); }, value);
    } else if constexpr (IsMaybe<T>) {
      TakeMaybe(value);
    } else {
      TakeRange(value);
    }
  }
  void TakeOne(bool& value) {
    const auto byte = Take<uint8_t>();
    if (byte > 1) SayGarbled();
    value = byte == 1;
  }
  void TakeOne(std::string_view& text) { text = TakeBytes(Take<uint64_t>()); }
  void TakeOne(std::string& text) { text = Take<std::string_view>(); }
  void TakeOne(Error& error) {
    std::apply([this](auto&... each) { this->Take(each...); }, Members(error));
    if (error.code < ErrorCode::kUsage || error.code > ErrorCode::kCancelled) SayGarbled();
    if (!is_valid_) error = {ErrorCode::kMalformed, "a garbled error"};
  }
  template <typename T>
  void TakeMaybe(T& value) {
    value = T{};
    const bool has_value = Take<bool>();
    if constexpr (!std::is_void_v<typename T::value_type>) {
      if (has_value) value = Take<typename T::value_type>();
    }
    if constexpr (requires { value.error(); }) {
      if (!has_value && is_valid_) value = tl::unexpected(Take<Error>());
    }
  }
  template <typename T>
  void TakeRange(T& values) {
    using Value = typename parcel::Element<T>::type;
    const auto count = Take<uint64_t>();
    if constexpr (parcel::IsInOnePiece<T>) {
      values = TakeMany<Value>(count);
    } else {
      values.clear();
      if (!CanHold(count)) return;
      for (uint64_t i = 0; i < count && is_valid_; ++i) {
        values.insert(values.end(), Take<Value>());
      }
    }
  }
  void Copy(void* to, size_t size) {
    const std::string_view bytes = TakeBytes(size);
    if (!bytes.empty()) std::memcpy(to, bytes.data(), size);
  }
  Short NoShort() {
    SayGarbled();
    return {};
  }

  std::shared_ptr<const std::vector<std::byte>> own_;  // none: they lie elsewhere
  std::string_view bytes_;
  bool is_valid_ = true;
};

// A frame with these values and nothing else.
template <typename... T>
std::string FrameWith(const T&... values) {
  Parcel parcel;
  parcel.Put(values...);
  return std::string(parcel.text());
}

// What FrameWith() made of a result; kMalformed where the bytes are none.
template <typename T>
Result<T> UnpackResult(std::string_view bytes) {
  ParcelReader reader(bytes);
  auto result = reader.Take<Result<T>>();
  if (result && !reader.is_valid()) return Fail(ErrorCode::kMalformed, "a garbled result");
  return result;
}

}  // namespace syncline
