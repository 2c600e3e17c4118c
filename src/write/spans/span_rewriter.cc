#include "write/spans/span_rewriter.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"

namespace syncline {
namespace {

// Bytes of a piece and what takes their place.
struct Patch {
  size_t at = 0;
  size_t length = 0;
  uint64_t value = 0;
};

class PiecePatcher {
 public:
  PiecePatcher(SpanForm form, int64_t tick_ns, const RetimeSpan& retime)
      : form_(form), tick_ns_(tick_ns), retime_(retime) {}

  // False: a time lies before 1970.
  bool Find(const SpanPiece& piece) {
    patches_.clear();
    for (const Span& span : piece.spans) {
      const int64_t start = TakeTime(span.start);
      if (span.end.IsThere() && form_ == SpanForm::kJaegerJson) {
        TakeDuration(span.end, start);
      } else {
        TakeTime(span.end);
      }
      for (const SpanMoment& moment : span.moments) TakeTime(moment.time);
    }
    // Members of a span may stand in any order.
    std::ranges::sort(patches_, {}, &Patch::at);
    return !is_too_early_;
  }

  Result<void> Write(std::string_view bytes, ByteSink& output) const {
    size_t at = 0;
    for (const Patch& patch : patches_) {
      const std::string_view before = bytes.substr(at, patch.at - at);
      if (form_ == SpanForm::kOtlpProtobuf) {
        char little[8];
        for (size_t i = 0; i < 8; ++i) little[i] = static_cast<char>(patch.value >> 8 * i);
        SYNCLINE_TRY(output.Append({before, std::string_view(little, 8), {}}));
      } else {
        const fmt::format_int digits(patch.value);
        SYNCLINE_TRY(output.Append({before, {digits.data(), digits.size()}, {}}));
      }
      at = patch.at + patch.length;
    }
    return output.Append(bytes.substr(at));
  }

 private:
  int64_t Retimed(const TimePlace& time) {
    const int64_t ns = retime_(next_++, {time.ns}).ns;
    is_too_early_ = is_too_early_ || ns < 0;
    return std::max<int64_t>(ns, 0) / tick_ns_;
  }

  // In units of the file; 0 where there is none.
  int64_t TakeTime(const TimePlace& time) {
    if (!time.IsThere()) return 0;
    const int64_t units = Retimed(time);
    patches_.push_back({time.at, time.length, static_cast<uint64_t>(units)});
    return units;
  }

  void TakeDuration(const TimePlace& end, int64_t start) {
    const int64_t units = std::max<int64_t>(Retimed(end) - start, 0);
    patches_.push_back({end.at, end.length, static_cast<uint64_t>(units)});
  }

  SpanForm form_;
  int64_t tick_ns_;
  const RetimeSpan& retime_;
  uint64_t next_ = 0;
  bool is_too_early_ = false;
  std::vector<Patch> patches_;
};

}  // namespace

Result<void> RewriteSpans(const std::string& input, OutputFile& output, const RetimeSpan& retime) {
  SYNCLINE_ASSIGN(SpanReader reader, SpanReader::Open(input));
  return RewriteSpans(reader, input, ByteSink(output), retime);
}

Result<void> RewriteSpans(SpanReader& reader, const std::string& name, ByteSink output,
                          const RetimeSpan& retime) {
  PiecePatcher patcher(reader.form(), reader.tick_ns(), retime);
  while (const SpanPiece* piece = reader.Next()) {
    if (!patcher.Find(*piece)) {
      return Fail(ErrorCode::kUnsupported,
                  "a corrected time lies before 1970, which spans cannot say", name,
                  ByteOffset{piece->offset});
    }
    SYNCLINE_TRY(patcher.Write({piece->bytes.data(), piece->bytes.size()}, output));
  }
  if (reader.error()) return tl::unexpected(*reader.error());
  return output.Flush();
}

}  // namespace syncline
