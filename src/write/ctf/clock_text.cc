#include "write/ctf/clock_text.h"

#include <optional>

#include <fmt/format.h>

#include "base/int128.h"
#include "base/parse_number.h"
#include "base/ticks.h"

namespace syncline::ctf_write {
namespace {

// Where a block's property has its value.
struct Place {
  size_t begin = 0;
  size_t size = 0;
};

// Of `\tname = value;` on a line of its own.
std::optional<Place> FindValue(std::string_view block, std::string_view name) {
  const std::string head = fmt::format("\n\t{} = ", name);
  const size_t at = block.find(head);
  if (at == std::string_view::npos) return std::nullopt;
  const size_t begin = at + head.size();
  const size_t end = block.find(';', begin);
  if (end == std::string_view::npos) return std::nullopt;
  return Place{begin, end - begin};
}

template <typename Integer>
std::optional<Integer> ReadValue(std::string_view block, std::string_view name) {
  const auto place = FindValue(block, name);
  if (!place) return std::nullopt;
  return ParseNumber<Integer>(block.substr(place->begin, place->size));
}

template <typename Integer>
void SetValue(std::string& block, std::string_view name, Integer value) {
  const auto place = FindValue(block, name);
  if (place) block.replace(place->begin, place->size, fmt::to_string(value));
}

std::optional<std::string> ChangeBlock(std::string block, int64_t earlier_ns) {
  const auto frequency = ReadValue<uint64_t>(block, "freq");
  const auto precision = ReadValue<uint64_t>(block, "precision");
  const auto offset_s = ReadValue<int64_t>(block, "offset_s");
  const auto offset = ReadValue<uint64_t>(block, "offset");
  if (!frequency || *frequency == 0 || !precision || !offset_s || !offset) return std::nullopt;
  if (*frequency == kNsPerSecond && earlier_ns == 0) return block;
  const Int128 in_second =
      FloorDiv(static_cast<Int128>(*offset) * kNsPerSecond, *frequency) - earlier_ns;
  const Int128 seconds = *offset_s + FloorDiv(in_second, kNsPerSecond);
  const Int128 rest = in_second - FloorDiv(in_second, kNsPerSecond) * kNsPerSecond;
  const Int128 precise = CeilDiv(static_cast<Int128>(*precision) * kNsPerSecond, *frequency);
  SetValue(block, "freq", kNsPerSecond);
  SetValue(block, "precision", Saturate(precise));
  SetValue(block, "offset_s", Saturate(seconds));
  SetValue(block, "offset", Saturate(rest));
  return block;
}

}  // namespace

Result<std::string> CountNanoseconds(std::string_view metadata, int64_t earlier_ns) {
  // Strings of the sink have no line breaks, so that such a line is always a block.
  constexpr std::string_view kBlock = "\nclock {\n";
  constexpr std::string_view kEnd = "\n};\n";
  std::string changed;
  size_t done = 0;
  for (;;) {
    const size_t begin = metadata.find(kBlock, done);
    if (begin == std::string_view::npos) break;
    const size_t end = metadata.find(kEnd, begin);
    auto block = end == std::string_view::npos
                     ? std::nullopt
                     : ChangeBlock(std::string(metadata.substr(begin, end - begin)), earlier_ns);
    if (!block) {
      return Fail(ErrorCode::kUnsupported,
                  "this version of libbabeltrace2 describes clocks in an unknown way");
    }
    changed.append(metadata.substr(done, begin - done)).append(*block);
    done = end;
  }
  return changed.append(metadata.substr(done));
}

}  // namespace syncline::ctf_write
