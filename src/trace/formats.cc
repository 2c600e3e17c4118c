#include "trace/formats.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace syncline {
namespace {

constexpr std::array kFormats = {&kCaptureFormat, &kSpanFormat, &kChromeFormat, &kLogFormat,
                                 &kTextFormat,    &kOtf2Format, &kCtfFormat,    &kMemoryFormat};

}  // namespace

std::span<const TraceFormat* const> AllFormats() { return kFormats; }

const TraceFormat& FormatOf(Format format) {
  const auto of_format = [](const TraceFormat* f) { return f->format; };
  const auto* const found = std::ranges::find(kFormats, format, of_format);
  SYNCLINE_CHECK(found != kFormats.end());
  return **found;
}

std::string_view FormatName(Format format) { return FormatOf(format).name; }

// The anchor file of an archive: two bytes, then its name.
bool LooksLikeOtf2(std::span<const std::byte> head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  return text.size() > 6 && text.substr(2, 4) == "OTF2";
}

}  // namespace syncline
