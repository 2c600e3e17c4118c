#include "write/pcap/capture_merger.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <queue>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "read/pcap/capture_walker.h"
#include "read/pcap/pcapng_option.h"

namespace syncline {
namespace {

constexpr uint32_t kSectionBlock = 0x0a0d0d0a;
constexpr uint32_t kInterfaceBlock = 1;
constexpr uint32_t kEnhancedPacketBlock = 6;
constexpr uint32_t kByteOrderMagic = 0x1a2b3c4d;
constexpr uint64_t kUnknownSectionLength = std::numeric_limits<uint64_t>::max();
constexpr uint8_t kNanosecondResolution = 9;
constexpr size_t kLongestOption = std::numeric_limits<uint16_t>::max();

// Texts longer than an option can hold (65535 bytes) are cut.
struct PcapngInterfaceFields {
  uint16_t link_number = 0;
  uint32_t snap_length = 0;  // 0 = unlimited
  std::string_view name;
  std::string_view description;
};

struct PcapngOptionFields {
  uint16_t code = 0;
  std::span<const std::byte> value;
};

struct PcapngPacketFields {
  uint32_t interface = 0;  // in the order of WriteInterface()
  uint64_t time_ns = 0;
  uint32_t original_length = 0;
  std::span<const std::byte> data;
  std::span<const PcapngOptionFields> options;
};

// Writes the blocks of a pcapng file, in this machine's byte order, to an output in large pieces.
class PcapngWriter {
 public:
  // `output` must outlive the writer.
  explicit PcapngWriter(OutputFile& output) : output_(output) {}

  void WriteSection(std::string_view application) {
    Begin(kSectionBlock);
    Put(kByteOrderMagic);
    Put(uint16_t{1});
    Put(uint16_t{0});
    Put(kUnknownSectionLength);
    PutText(kSectionApplication, application);
    PutOption(kEndOfOptions, {});
    End();
  }

  void WriteInterface(const PcapngInterfaceFields& interface) {
    Begin(kInterfaceBlock);
    Put(interface.link_number);
    Put(uint16_t{0});
    Put(interface.snap_length);
    PutText(kInterfaceName, interface.name);
    PutText(kInterfaceDescription, interface.description);
    PutOption(kInterfaceTimeResolution, std::as_bytes(std::span(&kNanosecondResolution, 1)));
    PutOption(kEndOfOptions, {});
    End();
  }

  Result<void> WritePacket(const PcapngPacketFields& packet) {
    Begin(kEnhancedPacketBlock);
    Put(packet.interface);
    Put(static_cast<uint32_t>(packet.time_ns >> 32));
    Put(static_cast<uint32_t>(packet.time_ns));
    Put(static_cast<uint32_t>(packet.data.size()));
    Put(packet.original_length);
    PutBytes(packet.data);
    for (const auto& [code, value] : packet.options) PutOption(code, value);
    if (!packet.options.empty()) PutOption(kEndOfOptions, {});
    End();
    if (pending_.size() < kFileBlock) return {};
    return Flush();
  }

  // Everything up to here is in the output only afterwards.
  Result<void> Flush() {
    auto done = output_.Write(pending_);
    pending_.clear();
    return done;
  }

 private:
  void Begin(uint32_t type) {
    block_at_ = pending_.size();
    Put(type);
    Put(uint32_t{0});  // the length, known at the end
  }

  void End() {
    const auto length = static_cast<uint32_t>(pending_.size() - block_at_ + sizeof(uint32_t));
    Put(length);
    std::memcpy(pending_.data() + block_at_ + sizeof(uint32_t), &length, sizeof(length));
  }

  void PutBytes(std::span<const std::byte> bytes) {
    pending_.insert(pending_.end(), bytes.begin(), bytes.end());
    pending_.resize(block_at_ + (pending_.size() - block_at_ + 3) / 4 * 4);
  }

  void PutOption(uint16_t code, std::span<const std::byte> value) {
    Put(code);
    Put(static_cast<uint16_t>(value.size()));
    PutBytes(value);
  }

  void PutText(uint16_t code, std::string_view text) {
    if (text.empty()) return;
    PutOption(code, std::as_bytes(std::span(text.substr(0, kLongestOption))));
  }

  template <typename T>
  void Put(T value) {
    const size_t at = pending_.size();
    pending_.resize(at + sizeof(T));
    std::memcpy(pending_.data() + at, &value, sizeof(T));
  }

  OutputFile& output_;
  std::vector<std::byte> pending_;
  size_t block_at_ = 0;  // where the block begun last starts in pending_
};

// One input with its next packet.
class Stream {
 public:
  Stream(const MergeInput& input, CaptureWalker walker, uint32_t first_interface)
      : input_(input), walker_(std::move(walker)), first_interface_(first_interface) {}

  // Goes to the next packet with a time; false at the end.
  Result<bool> Advance() {
    while ((frame_ = walker_.Next()) != nullptr) {
      if (frame_->kind == FrameKind::kPacket) return Correct();
    }
    if (walker_.error()) return tl::unexpected(*walker_.error());
    return false;
  }

  // The time to sort by: the latest corrected time so far.
  GlobalTime key() const { return key_; }

  Result<void> Write(PcapngWriter& writer) {
    CollectOptions();
    return writer.WritePacket({.interface = first_interface_ + frame_->interface,
                               .time_ns = static_cast<uint64_t>(time_.ns),
                               .original_length = frame_->original_length,
                               .data = frame_->data(),
                               .options = options_});
  }

 private:
  Result<bool> Correct() {
    time_ = input_.retime(index_++, LocalTime{frame_->time_ns});
    key_ = std::max(key_, time_);
    if (time_.ns >= 0) return true;
    return Fail(ErrorCode::kUnsupported,
                fmt::format("packet {}: a capture cannot hold the corrected time {} ns, which is "
                            "before 1970",
                            index_ - 1, time_.ns),
                walker_.name(), ByteOffset{frame_->offset});
  }

  void CollectOptions() {
    options_.clear();
    PcapngOptionList list(frame_->options, frame_->time_field.order);
    while (const auto option = list.Next()) {
      if (option->code == kComment) options_.push_back({option->code, option->value});
      if (option->code != kPacketFlags || option->value.size() != 4) continue;
      flags_ = Load<uint32_t>(option->value.data(), frame_->time_field.order);
      options_.push_back({option->code, std::as_bytes(std::span(&flags_, 1))});
    }
    if (!input_.comment) return;
    comment_ = input_.comment(index_ - 1);
    if (!comment_.empty()) options_.push_back({kComment, std::as_bytes(std::span(comment_))});
  }

  const MergeInput& input_;
  CaptureWalker walker_;
  uint32_t first_interface_ = 0;
  const CaptureFrame* frame_ = nullptr;
  uint64_t index_ = 0;
  GlobalTime time_;
  GlobalTime key_{std::numeric_limits<int64_t>::min()};
  uint32_t flags_ = 0;
  std::string comment_;
  std::vector<PcapngOptionFields> options_;
};

// All interfaces of a capture, also those that it describes late.
Result<std::vector<CaptureInterface>> FindInterfaces(const std::string& path) {
  SYNCLINE_ASSIGN(auto walker, CaptureWalker::Open(path));
  while (walker.Next() != nullptr) {
  }
  if (walker.error()) return tl::unexpected(*walker.error());
  const auto interfaces = walker.interfaces();
  for (const CaptureInterface& interface : interfaces) {
    if (interface.link_number <= std::numeric_limits<uint16_t>::max()) continue;
    return Fail(ErrorCode::kUnsupported,
                fmt::format("has link type {}, which pcapng cannot express", interface.link_number),
                path);
  }
  return std::vector<CaptureInterface>(interfaces.begin(), interfaces.end());
}

void WriteInterfaces(const MergeInput& input, std::span<const CaptureInterface> interfaces,
                     PcapngWriter& writer) {
  size_t number = 0;
  for (const CaptureInterface& interface : interfaces) {
    const std::string own = interface.name.empty() ? std::to_string(number) : interface.name;
    const std::string name = interfaces.size() == 1 ? input.name : input.name + "/" + own;
    const bool described = !input.description.empty();
    writer.WriteInterface({.link_number = static_cast<uint16_t>(interface.link_number),
                           .snap_length = interface.snap_length,
                           .name = name,
                           .description = described ? input.description : interface.description});
    ++number;
  }
}

class Merger {
 public:
  Merger(std::span<const MergeInput> inputs, OutputFile& output)
      : inputs_(inputs), writer_(output) {}

  Result<void> Run() {
    writer_.WriteSection("Syncline");
    streams_.reserve(inputs_.size());
    for (const MergeInput& input : inputs_) SYNCLINE_TRY(Add(input));
    for (size_t stream = 0; stream < streams_.size(); ++stream) SYNCLINE_TRY(Queue(stream));
    while (!queue_.empty()) {
      const size_t stream = queue_.top().second;
      queue_.pop();
      SYNCLINE_TRY(streams_[stream].Write(writer_));
      SYNCLINE_TRY(Queue(stream));
    }
    return writer_.Flush();
  }

 private:
  Result<void> Add(const MergeInput& input) {
    SYNCLINE_ASSIGN(const auto interfaces, FindInterfaces(input.path));
    SYNCLINE_ASSIGN(auto walker, CaptureWalker::Open(input.path));
    WriteInterfaces(input, interfaces, writer_);
    streams_.emplace_back(input, std::move(walker), interfaces_);
    interfaces_ += static_cast<uint32_t>(interfaces.size());
    return {};
  }

  Result<void> Queue(size_t stream) {
    SYNCLINE_ASSIGN(const auto more, streams_[stream].Advance());
    if (more) queue_.push({streams_[stream].key(), stream});
    return {};
  }

  using Entry = std::pair<GlobalTime, size_t>;  // a stream's key, and its place among the inputs

  std::span<const MergeInput> inputs_;
  PcapngWriter writer_;
  std::vector<Stream> streams_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  uint32_t interfaces_ = 0;  // so far
};

}  // namespace

Result<void> MergeCaptures(std::span<const MergeInput> inputs, OutputFile& output) {
  return Merger(inputs, output).Run();
}

}  // namespace syncline
