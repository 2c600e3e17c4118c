#include "read/ctf/serve_traces.h"

#include <memory>
#include <optional>

#include "base/packing.h"
#include "read/ctf/ctf_frames.h"
#include "read/ctf/ctf_reader.h"

namespace syncline {
namespace {

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
      if (times_.size() == kMostEvents || wanted_.bytes().size() > kMostBytes) SendBatch();
    }
    if (!times_.empty()) SendBatch();
    parent_.Send(ctf_frames::PackEnd(stream.defects(), stream.error()));
  }

 private:
  static constexpr size_t kMostEvents = 4096;
  static constexpr size_t kMostBytes = size_t{1} << 16;

  void Add(const CtfEvent& event) {
    const auto offset = static_cast<uint32_t>(times_.size());
    times_.push_back(event.time);
    if (has_numbers_) class_numbers_.push_back(event.event_class);
    const WantedClass& wanted = classes_[event.event_class];
    if (!wanted.is_wanted) return;
    ++wanted_count_;
    wanted_.Put(offset);
    wanted_.Put(event.event_class);
    for (const FieldPlace& place : wanted.places) {
      ctf_frames::PackValue(place.Read(event.handle), wanted_);
    }
    if (wanted.packets) ctf_frames::PackPacket(wanted.packets->Read(event.handle), wanted_);
  }

  void SendBatch() {
    frame_.Clear();
    frame_.Put(ctf_frames::Kind::kBatch);
    frame_.PutAll(std::span<const LocalTime>(times_));
    frame_.PutAll(std::span<const uint32_t>(class_numbers_));
    frame_.Put(wanted_count_);
    frame_.Append(wanted_.bytes());
    parent_.Send(frame_.bytes());
    times_.clear();
    class_numbers_.clear();
    wanted_count_ = 0;
    wanted_.Clear();
  }

  bool has_numbers_;
  const std::vector<WantedClass>& classes_;
  ChildLink& parent_;
  Packer frame_;
  std::vector<LocalTime> times_;
  std::vector<uint32_t> class_numbers_;
  uint64_t wanted_count_ = 0;
  Packer wanted_;
};

void ServeTrace(CtfReader& reader, ChildLink& parent) {
  const std::string frame = parent.Receive();
  Unpacker unpacker(frame);
  const CtfRequest request = ctf_frames::UnpackRequest(unpacker);
  for (uint32_t i = 0; i < request.origins.size(); ++i) reader.SetOrigin(i, request.origins[i]);
  const std::vector<WantedClass> classes = Bind(reader, request);
  if (reader.clocks().empty()) return;
  StreamServer server(request, classes, parent);
  for (const auto& stream : reader.streams()) server.Serve(*stream);
}

}  // namespace

void ServeCtfTraces(const ReadableFolders& traces, const std::vector<std::string>& fields,
                    ChildLink& parent) {
  std::vector<std::unique_ptr<CtfReader>> readers;
  for (const auto& trace : traces) {
    auto reader = CtfReader::Open(trace);
    parent.Send(
        ctf_frames::PackInfo(reader.map([&](auto& open) { return InfoOf(*open, fields); })));
    if (!reader) return;
    readers.push_back(std::move(*reader));
  }
  for (auto& reader : readers) {
    ServeTrace(*reader, parent);
    reader.reset();
  }
}

}  // namespace syncline
