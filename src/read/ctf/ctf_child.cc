#include "read/ctf/ctf_child.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>

#include "base/try.h"
#include "read/ctf/ctf_frames.h"
#include "read/ctf/library.h"

namespace syncline {
namespace {

constexpr const char* kGarbled = "garbled results";

// First the work of a process that reads CTF traces for its parent, then what the parent sees.

CtfClassInfo InfoOf(const CtfEventClass& event_class, const std::vector<std::string>& fields) {
  CtfClassInfo info{.name = event_class.name};
  for (const std::string& field : fields) {
    if (FieldPlace::Find(event_class.handle, field)) info.fields.push_back(field);
  }
  info.has_packets = IsKernelNetworkEvent(event_class.name) &&
                     KernelPacketReader::For(event_class.handle).has_value();
  return info;
}

CtfTraceInfo InfoOf(CtfReader& reader, const std::vector<std::string>& fields) {
  CtfTraceInfo info{.hostname = reader.hostname(), .clocks = reader.clocks()};
  for (const CtfEventClass& event_class : reader.event_classes()) {
    info.classes.push_back(InfoOf(event_class, fields));
  }
  for (const auto& stream : reader.streams()) {
    info.streams.push_back({stream->file(), stream->channel(), stream->clock()});
  }
  return info;
}

// What is wanted of the events of one class.
struct WantedClass {
  bool is_wanted = false;
  std::vector<FieldPlace> places;
  std::optional<KernelPacketReader> packets;
};

std::vector<WantedClass> Bind(const CtfReader& reader, const CtfRequest& request) {
  std::vector<WantedClass> bound;
  for (size_t i = 0; i < reader.event_classes().size(); ++i) {
    const bt_event_class* handle = reader.event_classes()[i].handle;
    WantedClass wanted{.is_wanted = request.classes[i].is_wanted};
    for (const std::string& field : request.classes[i].fields) {
      wanted.places.push_back(*FieldPlace::Find(handle, field));
    }
    if (request.classes[i].packets) wanted.packets = KernelPacketReader::For(handle);
    bound.push_back(std::move(wanted));
  }
  return bound;
}

// Sends the events of one stream.
class StreamServer {
 public:
  StreamServer(const CtfRequest& request, const std::vector<WantedClass>& classes,
               ChildLink& parent)
      : has_numbers_(request.class_numbers == CtfRequest::Numbers::kOfAllEvents),
        classes_(classes),
        parent_(parent) {}

  void Serve(CtfStream& stream) {
    while (const CtfEvent* event = stream.Next()) {
      Add(*event);
      if (times_.size() == kMostEvents || wanted_.text().size() > kMostBytes) SendBatch();
    }
    if (!times_.empty()) SendBatch();
    parent_.Send(ctf_frames::PackEnd(stream.defects(), stream.error()));
  }

 private:
  static constexpr size_t kMostEvents = 4096;
  static constexpr size_t kMostBytes = size_t{1} << 16;

  void Add(const CtfEvent& event) {
    const uint64_t number = times_.size();
    times_.push_back(event.time);
    if (has_numbers_) class_numbers_.push_back(event.event_class);
    const WantedClass& wanted = classes_[event.event_class];
    if (!wanted.is_wanted) return;
    ++wanted_count_;
    const auto bits =
        static_cast<uint8_t>(std::min<uint32_t>(event.event_class, ctf_frames::kClassFollows));
    wanted_.PutShort(number - behind_wanted_, bits);
    if (bits == ctf_frames::kClassFollows) wanted_.PutShort(event.event_class);
    behind_wanted_ = number + 1;
    for (const FieldPlace& place : wanted.places) {
      ctf_frames::PackValue(place.Read(event.handle), wanted_);
    }
    if (wanted.packets) ctf_frames::PackPacket(wanted.packets->Read(event.handle), wanted_);
  }

  void SendBatch() {
    head_.Clear();
    head_.Put(ctf_frames::Kind::kBatch, times_.size(), wanted_count_);
    const std::array parts = {head_.text(), BytesOf(times_), BytesOf(class_numbers_),
                              wanted_.text()};
    parent_.SendJoined(parts);
    times_.clear();
    class_numbers_.clear();
    wanted_count_ = behind_wanted_ = 0;
    wanted_.Clear();
  }

  template <typename T>
  static std::string_view BytesOf(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
  }

  bool has_numbers_;
  const std::vector<WantedClass>& classes_;
  ChildLink& parent_;
  Parcel head_;
  std::vector<LocalTime> times_;
  std::vector<uint32_t> class_numbers_;
  uint64_t wanted_count_ = 0;
  uint64_t behind_wanted_ = 0;  // the number in the batch of what follows the last one
  Parcel wanted_;
};

void ServeTrace(CtfReader& reader, ChildLink& parent) {
  const std::string frame = parent.Receive();
  const auto request = ParcelReader(std::string_view(frame)).Take<CtfRequest>();
  for (uint32_t i = 0; i < request.origins.size(); ++i) reader.SetOrigin(i, request.origins[i]);
  const std::vector<WantedClass> classes = Bind(reader, request);
  if (reader.clocks().empty()) return;
  StreamServer server(request, classes, parent);
  for (const auto& stream : reader.streams()) server.Serve(*stream);
}

// Returns when all traces are read, or one cannot be.
void ServeCtfTraces(const ReadableFolders& traces, const std::vector<std::string>& fields,
                    ChildLink& parent) {
  std::vector<std::unique_ptr<CtfReader>> readers;
  for (const auto& trace : traces) {
    auto reader = CtfReader::Open(trace);
    parent.Send(FrameWith(reader.map([&](auto& open) { return InfoOf(*open, fields); })));
    if (!reader) return;
    readers.push_back(std::move(*reader));
  }
  for (auto& reader : readers) {
    ServeTrace(*reader, parent);
    reader.reset();
  }
}

// Every stream is a file; systems allow more than they do by default.
void AllowManyFiles() {
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

// Behind the batch before, if that was of the same stream.
bool CtfBatch::Begin(ParcelReader frame, const CtfRequest& request) {
  first_ += times_.size();
  request_ = &request;
  const auto count = frame.Take<uint64_t>();
  wanted_left_ = frame.Take<uint64_t>();
  times_ = frame.TakeMany<LocalTime>(count);
  const bool has_numbers = request.class_numbers == CtfRequest::Numbers::kOfAllEvents;
  class_numbers_ = frame.TakeMany<uint32_t>(has_numbers ? count : 0);
  behind_wanted_ = 0;
  frame_ = frame;
  return frame.is_valid() && !times_.empty() &&
         std::all_of(class_numbers_.begin(), class_numbers_.end(),
                     [&](uint32_t number) { return number < request.classes.size(); });
}

const CtfWantedEvent* CtfBatch::NextWanted() {
  if (wanted_left_ == 0) {
    is_garbled_ |= !frame_.is_at_end();
    return nullptr;
  }
  --wanted_left_;
  is_garbled_ = !ReadEvent();
  if (!is_garbled_) return &event_;
  wanted_left_ = 0;
  return nullptr;
}

bool CtfBatch::ReadEvent() {
  const auto [skipped, bits] = frame_.TakeShort();
  const uint64_t event_class = bits < ctf_frames::kClassFollows ? bits : frame_.TakeShort().number;
  if (skipped >= times_.size() - behind_wanted_) return false;
  const uint64_t number = behind_wanted_ + skipped;
  const bool is_known = event_class < request_->classes.size() &&
                        request_->classes[event_class].is_wanted &&
                        (class_numbers_.empty() || class_numbers_[number] == event_class);
  if (!is_known) return false;
  behind_wanted_ = number + 1;
  event_.event_class = static_cast<uint32_t>(event_class);
  event_.index = first_ + number;
  event_.time = times_[number];
  const CtfRequest::Class& wanted = request_->classes[event_class];
  event_.values.resize(wanted.fields.size());
  for (FieldValue& value : event_.values) value = ctf_frames::UnpackValue(frame_);
  if (wanted.packets) event_.packet = ctf_frames::UnpackPacket(frame_);
  return frame_.is_valid();
}

tl::unexpected<Error> CtfFailure(const ReadableFolder& trace, const std::string& reason) {
  return Fail(ErrorCode::kMalformed,
              fmt::format("cannot be read: the CTF library failed on it ({})", reason),
              trace.folder());
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
  SYNCLINE_ASSIGN(auto process, StartProcess(traces, fields, limits));
  return Around(std::make_unique<ChildProcess>(std::move(process)), std::move(traces));
}

Result<ChildProcess> CtfChild::StartProcess(const ReadableFolders& traces,
                                            const std::vector<std::string>& fields,
                                            const ChildLimits& limits) {
  SYNCLINE_TRY(CtfPlugin());
  AllowManyFiles();
  return ChildProcess::Start(limits,
                             [&](ChildLink& parent) { ServeCtfTraces(traces, fields, parent); });
}

Result<CtfTraceInfo> CtfChild::Describe() {
  const ReadableFolder& trace = *traces_.at(described_++);
  SYNCLINE_TRY(Receive(trace));
  ParcelReader reader(frame_);
  auto info = ctf_frames::UnpackInfo(reader);
  if (!info && info.error().file.empty()) return CtfFailure(trace, info.error().message);
  return info;
}

void CtfChild::BeginTrace(const CtfTraceInfo& info, CtfRequest request) {
  ++begun_;
  batch_ = {};
  request_ = std::move(request);
  request_.classes.resize(info.classes.size());
  process_->Send(FrameWith(request_));
}

Result<CtfBatch*> CtfChild::Next() {
  const ReadableFolder& trace = *traces_.at(begun_ - 1);
  if (batch_.is_garbled_) return CtfFailure(trace, kGarbled);
  SYNCLINE_TRY(Receive(trace));
  ParcelReader reader(frame_);
  const auto kind = reader.Take<ctf_frames::Kind>();
  if (kind == ctf_frames::Kind::kEnd) {
    auto defects = ctf_frames::UnpackEnd(reader);
    if (!defects && defects.error().file.empty()) return CtfFailure(trace, defects.error().message);
    SYNCLINE_ASSIGN(defects_, std::move(defects));
    batch_ = {};
    return nullptr;
  }
  if (kind != ctf_frames::Kind::kBatch || !batch_.Begin(reader, request_))
    return CtfFailure(trace, kGarbled);
  return &batch_;
}

Result<void> CtfChild::Receive(const ReadableFolder& trace) {
  auto frame = process_->Receive();
  // What another process says of a trace that it reads has its own words.
  if (!frame && !frame.error().file.empty()) return tl::unexpected(frame.error());
  if (!frame) return CtfFailure(trace, frame.error().message);
  frame_ = *frame;
  return {};
}

}  // namespace syncline
