#include "read/pcap/capture_walker.h"

#include "base/try.h"

namespace syncline {
namespace {

tl::unexpected<Error> NotACapture(const ByteWindow& window) {
  return Fail(ErrorCode::kMalformed, "is not a pcap or pcapng capture", window.name(),
              ByteOffset{0});
}

}  // namespace

Result<CaptureWalker> CaptureWalker::Open(const std::string& path) {
  SYNCLINE_ASSIGN(auto window, ByteWindow::Open(path));
  return Start(std::move(window));
}

Result<CaptureWalker> CaptureWalker::Start(ByteWindow input) {
  WalkState state(std::move(input));
  const bool has_magic = state.window.Have(4);
  if (state.window.error()) return tl::unexpected(*state.window.error());
  if (state.window.available() == 0) {
    return Fail(ErrorCode::kMalformed, "is empty", state.window.name());
  }
  if (!has_magic) return NotACapture(state.window);
  const auto magic = Load<uint32_t>(state.window.data(), ByteOrder::kNative);
  if (magic == PcapngWalker::kMagic) {
    SYNCLINE_ASSIGN(auto pcapng, PcapngWalker::Start(state));
    return CaptureWalker(std::move(state), pcapng);
  }
  if (!ClassicWalker::KnowsMagic(magic)) return NotACapture(state.window);
  SYNCLINE_ASSIGN(auto classic, ClassicWalker::Start(state));
  return CaptureWalker(std::move(state), classic);
}

bool LooksLikeCapture(std::span<const std::byte> head) {
  if (head.size() < 4) return false;
  const auto magic = Load<uint32_t>(head.data(), ByteOrder::kNative);
  return magic == PcapngWalker::kMagic || ClassicWalker::KnowsMagic(magic);
}

}  // namespace syncline
