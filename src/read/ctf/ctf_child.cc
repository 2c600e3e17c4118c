#include "read/ctf/ctf_child.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "read/ctf/ctf_frames.h"
#include "read/ctf/library.h"
#include "read/ctf/serve_traces.h"

namespace syncline {

CtfBatch::CtfBatch(Unpacker frame, const CtfRequest& request, uint64_t first)
    : frame_(frame), request_(&request), first_(first) {
  times_ = frame_.GetAll<LocalTime>();
  class_numbers_ = frame_.GetAll<uint32_t>();
  wanted_left_ = frame_.Get<uint64_t>();
}

const CtfWantedEvent* CtfBatch::NextWanted() {
  if (wanted_left_ == 0) return nullptr;
  --wanted_left_;
  return ReadEvent() ? &event_ : nullptr;
}

bool CtfBatch::IsWhole() {
  if (!frame_.CanHold(wanted_left_)) return false;
  const Unpacker frame = frame_;
  bool is_whole = true;
  for (uint64_t i = 0; i < wanted_left_ && is_whole; ++i) is_whole = ReadEvent();
  frame_ = frame;
  return is_whole;
}

// False where the frame is garbled.
bool CtfBatch::ReadEvent() {
  const auto offset = frame_.Get<uint32_t>();
  event_.event_class = frame_.Get<uint32_t>();
  const bool is_valid =
      frame_.is_valid() && offset < times_.size() && event_.event_class < request_->classes.size();
  if (!is_valid) return false;
  event_.index = first_ + offset;
  event_.time = times_[offset];
  const CtfRequest::Class& wanted = request_->classes[event_.event_class];
  event_.values.clear();
  for (size_t i = 0; i < wanted.fields.size(); ++i) {
    event_.values.push_back(ctf_frames::UnpackValue(frame_));
  }
  if (wanted.packets) event_.packet = ctf_frames::UnpackPacket(frame_);
  return frame_.is_valid();
}

ChildLimits CtfChildLimits(const ReadableFolders& traces, size_t children) {
  constexpr uint64_t kMemory = uint64_t{512} << 20;
  constexpr uint64_t kMostMemoryForData = uint64_t{4} << 30;
  constexpr uint64_t kMemoryPerByte = 32;
  constexpr uint64_t kBytesPerMs = 20'000;
  uint64_t bytes = 0;
  uint64_t largest = 0;
  for (const auto& trace : traces) {
    bytes += trace->bytes();
    largest = std::max(largest, trace->bytes());
  }
  // The library maps parts of files as well.
  const uint64_t for_data = std::min(bytes, kMostMemoryForData / kMemoryPerByte) * kMemoryPerByte;
  ChildLimits limits;
  limits.memory_bytes = kMemory / std::max<size_t>(children, 1) + for_data + bytes;
  limits.patience += std::chrono::milliseconds(largest / kBytesPerMs);
  return limits;
}

Result<CtfChild> CtfChild::Start(ReadableFolders traces, const std::vector<std::string>& fields,
                                 const ChildLimits& limits) {
  SYNCLINE_TRY(CtfPlugin());
  SYNCLINE_ASSIGN(auto process, ChildProcess::Start(limits, [&](ChildLink& parent) {
                    ServeCtfTraces(traces, fields, parent);
                  }));
  return CtfChild(std::move(process), std::move(traces));
}

Result<CtfTraceInfo> CtfChild::Describe() {
  const ReadableFolder& trace = *traces_.at(described_++);
  SYNCLINE_TRY(Receive(trace));
  Unpacker unpacker(frame_);
  auto info = ctf_frames::UnpackInfo(unpacker);
  if (!info && info.error().file.empty()) return Failure(trace, info.error().message);
  return info;
}

void CtfChild::BeginTrace(const CtfTraceInfo& info, CtfRequest request) {
  ++begun_;
  events_ = 0;
  request_ = std::move(request);
  request_.classes.resize(info.classes.size());
  process_.Send(ctf_frames::PackRequest(request_));
}

Result<std::optional<CtfBatch>> CtfChild::Next() {
  const ReadableFolder& trace = *traces_.at(begun_ - 1);
  SYNCLINE_TRY(Receive(trace));
  Unpacker unpacker(frame_);
  if (unpacker.Get<ctf_frames::Kind>() == ctf_frames::Kind::kEnd) {
    SYNCLINE_ASSIGN(defects_, ctf_frames::UnpackEnd(unpacker));
    events_ = 0;
    return std::optional<CtfBatch>();
  }
  CtfBatch batch(unpacker, request_, events_);
  const bool has_numbers = request_.class_numbers == CtfRequest::Numbers::kOfAllEvents;
  const bool are_classes_there =
      std::all_of(batch.class_numbers_.begin(), batch.class_numbers_.end(),
                  [&](uint32_t number) { return number < request_.classes.size(); });
  if (!are_classes_there || !batch.IsWhole() ||
      batch.class_numbers_.size() != (has_numbers ? batch.times_.size() : 0)) {
    return Failure(trace, "garbled results");
  }
  events_ += batch.times_.size();
  return batch;
}

Result<void> CtfChild::Receive(const ReadableFolder& trace) {
  auto frame = process_.Receive();
  if (!frame) return Failure(trace, frame.error().message);
  frame_ = *frame;
  return {};
}

tl::unexpected<Error> CtfChild::Failure(const ReadableFolder& trace,
                                        const std::string& reason) const {
  return Fail(ErrorCode::kMalformed,
              fmt::format("cannot be read: the CTF library failed on it ({})", reason),
              trace.folder());
}

}  // namespace syncline
