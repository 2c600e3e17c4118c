#include "write/pcap/capture_merger.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "read/pcap/capture_walker.h"
#include "write/pcap/pcapng_writer.h"

namespace syncline {
namespace {

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
