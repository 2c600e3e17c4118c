// The events and messages of a report as bytes (docs/formats/report.md).
//
// Cost: about 5 bytes per event and 8 per message; base64, in which the page has them, adds a
// third. Tested by: page_test.cc, and by the decoder's tests in web/.
#pragma once

#include <cstdint>
#include <string>

#include "report/report_trace.h"

namespace syncline {

// Variable-length integers: seven bits a byte, the least first; signed ones alternate 0, −1, 1, …
class ByteWriter {
 public:
  void Byte(uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void Unsigned(uint64_t value);
  void Signed(int64_t value) {
    Unsigned(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
  }
  // `value` − `before`, modulo 2^64.
  void Difference(int64_t value, int64_t before) {
    Signed(static_cast<int64_t>(static_cast<uint64_t>(value) - static_cast<uint64_t>(before)));
  }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

std::string EncodeTrace(const ReportTrace& trace);

}  // namespace syncline
