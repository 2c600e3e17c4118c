#include "syncline/region_stamp.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace syncline {
namespace {

// LEB128: seven bits per byte, the lowest first; the high bit says that more follow.
constexpr unsigned kBits = 7;
constexpr uint64_t kMore = uint64_t{1} << kBits;
constexpr size_t kLeastEntryBytes = 3;

void Put(std::vector<std::byte>& bytes, uint64_t number) {
  for (; number >= kMore; number >>= kBits) {
    bytes.push_back(static_cast<std::byte>(number | kMore));
  }
  bytes.push_back(static_cast<std::byte>(number));
}

class StampReader {
 public:
  explicit StampReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  Result<RegionStamp> Read(size_t processes) {
    processes = std::min(processes, size_t{UINT32_MAX});
    const uint64_t version = Number();
    if (error_.empty() && version != kRegionStampVersion) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("a stamp has version {}; this is {}", version, kRegionStampVersion),
                  {}, ByteOffset{0});
    }
    RegionStamp stamp{Time(), {}};
    const uint64_t entries = Number();
    if (entries > processes) Refuse("a stamp knows of more processes than there are");
    if (entries > (bytes_.size() - at_) / kLeastEntryBytes) Refuse("a stamp is cut off");
    if (error_.empty()) stamp.entries.reserve(entries);
    uint64_t next = 0;  // the least process that may follow
    for (uint64_t i = 0; i < entries && error_.empty(); ++i) {
      const uint64_t skipped = Number();
      if (skipped >= processes - next) {
        Refuse("a stamp knows of a process that does not exist");
        break;
      }
      const auto process = static_cast<uint32_t>(next + skipped);
      const int64_t computed = Time();
      stamp.entries.push_back({process, computed, Time()});
      next = uint64_t{process} + 1;
    }
    if (at_ < bytes_.size()) Refuse("a stamp has bytes after its end");
    if (error_.empty()) return stamp;
    return Fail(ErrorCode::kMalformed, std::move(error_), {}, ByteOffset{error_at_});
  }

 private:
  void Refuse(const char* message) {
    if (!error_.empty()) return;
    error_ = message;
    error_at_ = at_;
  }

  // 0 after an error. There is one way to write a number.
  uint64_t Number() {
    uint64_t number = 0;
    for (unsigned shift = 0; error_.empty(); shift += kBits) {
      if (at_ == bytes_.size()) {
        Refuse("a stamp is cut off");
        break;
      }
      const auto byte = std::to_integer<uint64_t>(bytes_[at_]);
      const uint64_t part = byte & (kMore - 1);
      const bool is_last = byte < kMore;
      if (shift >= 64 || (part << shift) >> shift != part || (is_last && byte == 0 && shift > 0)) {
        Refuse("a stamp has a number that is too large or has needless digits");
        break;
      }
      ++at_;
      number |= part << shift;
      if (is_last) return number;
    }
    return 0;
  }

  int64_t Time() {
    const uint64_t number = Number();
    if (std::in_range<int64_t>(number)) return static_cast<int64_t>(number);
    Refuse("a stamp has a time that is too large");
    return 0;
  }

  std::span<const std::byte> bytes_;
  size_t at_ = 0;
  std::string error_;
  uint64_t error_at_ = 0;
};

}  // namespace

std::vector<std::byte> EncodeStamp(const RegionStamp& stamp) {
  constexpr size_t kUsualEntryBytes = 12;
  std::vector<std::byte> bytes;
  bytes.reserve(16 + stamp.entries.size() * kUsualEntryBytes);
  bytes.push_back(std::byte{kRegionStampVersion});
  Put(bytes, static_cast<uint64_t>(stamp.height_ns));
  Put(bytes, stamp.entries.size());
  uint64_t next = 0;
  for (const RegionStamp::Entry& entry : stamp.entries) {
    Put(bytes, entry.process - next);
    Put(bytes, static_cast<uint64_t>(entry.computed_ns));
    Put(bytes, static_cast<uint64_t>(entry.delayed_ns));
    next = uint64_t{entry.process} + 1;
  }
  return bytes;
}

Result<RegionStamp> DecodeStamp(std::span<const std::byte> bytes, size_t processes) {
  return StampReader(bytes).Read(processes);
}

}  // namespace syncline
