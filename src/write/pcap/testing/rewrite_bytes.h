// Captures in memory, rewritten in memory.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/try.h"
#include "write/pcap/capture_rewriter.h"

namespace syncline {

inline Result<std::vector<std::byte>> RewriteCaptureBytes(std::span<const std::byte> input,
                                                          const Retime& retime) {
  SYNCLINE_ASSIGN(auto walker, CaptureWalker::Start(ByteWindow::OverBytes(input, "memory")));
  std::vector<std::byte> output;
  ByteSink sink([&output](std::string_view bytes) -> Result<void> {
    const auto written = std::as_bytes(std::span(bytes));
    output.insert(output.end(), written.begin(), written.end());
    return {};
  });
  SYNCLINE_TRY(RewriteCapture(std::move(walker), std::move(sink), retime));
  return output;
}

}  // namespace syncline
