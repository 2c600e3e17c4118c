// Spans from any bytes: as they are, and as protobuf behind a length that fits.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "read/spans/span_reader.h"
#include "write/spans/span_rewriter.h"

namespace syncline {
namespace {

constexpr int64_t kShift = 1'000'000;  // a whole number of every form's units

struct Times {
  std::vector<int64_t> ns;
  bool has_error = false;
};

std::optional<Times> TimesOf(std::string_view input) {
  auto reader = SpanReader::FromBytes(input, "fuzz");
  if (!reader) return std::nullopt;
  Times times;
  uint64_t bytes = 0;
  while (const SpanPiece* piece = reader->Next()) {
    SYNCLINE_CHECK(piece->offset == bytes);
    SYNCLINE_CHECK(input.substr(bytes, piece->bytes.size()) ==
                   std::string_view(piece->bytes.data(), piece->bytes.size()));
    bytes += piece->bytes.size();
    for (const Span& span : piece->spans) {
      SYNCLINE_CHECK(span.resource < piece->resources.size());
      const auto take = [&](const TimePlace& time) {
        SYNCLINE_CHECK(time.at + time.length <= piece->bytes.size());
        if (time.IsThere()) times.ns.push_back(time.ns);
      };
      take(span.start);
      take(span.end);
      for (const SpanMoment& moment : span.moments) take(moment.time);
    }
  }
  times.has_error = reader->error().has_value();
  SYNCLINE_CHECK(times.has_error || bytes == input.size());
  return times;
}

std::optional<std::string> Rewritten(std::string_view input, int64_t shift) {
  auto reader = SpanReader::FromBytes(input, "fuzz");
  std::string written;
  const auto write = [&](std::string_view bytes) -> Result<void> {
    written += bytes;
    return {};
  };
  const auto done = RewriteSpans(*reader, "fuzz", ByteSink(write), [&](uint64_t, LocalTime time) {
    return GlobalTime{time.ticks < INT64_MAX - shift ? time.ticks + shift : time.ticks};
  });
  return done ? std::optional(written) : std::nullopt;
}

// Reading ends; what can be read can be rewritten; moved times read back.
void CheckSpans(std::string_view input) {
  const auto times = TimesOf(input);
  if (!times) return;
  const auto moved = Rewritten(input, kShift);
  SYNCLINE_CHECK(moved.has_value() != times->has_error);
  if (!moved) return;
  const auto again = TimesOf(*moved);
  SYNCLINE_CHECK(again && !again->has_error && again->ns.size() == times->ns.size());
  for (size_t i = 0; i < times->ns.size(); ++i) {
    const int64_t before = times->ns[i];
    SYNCLINE_CHECK(before >= INT64_MAX - kShift || again->ns[i] == before + kShift);
  }
}

}  // namespace
}  // namespace syncline

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  syncline::CheckSpans(input);
  if (size == 0 || size > 0xffffff) return 0;
  std::string message = {0, static_cast<char>(size >> 16), static_cast<char>(size >> 8),
                         static_cast<char>(size)};
  syncline::CheckSpans(message + input);
  return 0;
}
