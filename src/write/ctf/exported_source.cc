#include "write/ctf/exported_source.h"

#include <optional>

#include "base/unique_name.h"
#include "write/ctf/exported_classes.h"
#include "write/ctf/iterator_class.h"

namespace syncline::ctf_write {
namespace {

using NextStatus = bt_message_iterator_class_next_method_status;
using PacketPtr = std::unique_ptr<const bt_packet, PutRef<bt_packet_put_ref>>;

constexpr uint64_t kEventsPerPacket = 4096;

// What the component keeps.
struct Source {
  ExportJob& job;
  ExportedClasses classes;
  std::vector<uint32_t> processes;  // of the job's clock
  std::vector<StreamPtr> streams;   // theirs
};

Source& SourceOf(bt_self_component* component) {
  return *static_cast<Source*>(bt_self_component_get_data(component));
}

// The fields of one event, in the order of its class.
class FieldWriter {
 public:
  explicit FieldWriter(bt_field* payload) : payload_(payload) {}
  void Signed(int64_t value) { bt_field_integer_signed_set_value(Next(), value); }
  void Unsigned(uint64_t value) { bt_field_integer_unsigned_set_value(Next(), value); }
  void Text(std::string_view text) {
    const auto status = bt_field_string_set_value(Next(), std::string(text).c_str());
    is_written_ &= status == BT_FIELD_STRING_SET_VALUE_STATUS_OK;
  }
  bool is_written() const { return is_written_; }

 private:
  bt_field* Next() { return bt_field_structure_borrow_member_field_by_index(payload_, next_++); }
  bt_field* payload_;
  uint64_t next_ = 0;
  bool is_written_ = true;
};

// One CTF event: what an exported event is by itself, or in one message.
struct Entry {
  uint64_t event = 0;
  ExportedClass as = ExportedClass::kMark;
  uint64_t message = 0;  // of sends and receives
  uint32_t peer = kNoPeer;
};

ExportedClass ClassOf(EventKind kind) {
  switch (kind) {
    case EventKind::kEnter: return ExportedClass::kEnter;
    case EventKind::kLeave: return ExportedClass::kLeave;
    case EventKind::kBlock: return ExportedClass::kBlock;
    case EventKind::kCollectiveBegin: return ExportedClass::kCollectiveBegin;
    case EventKind::kCollectiveEnd: return ExportedClass::kCollectiveEnd;
    default: return ExportedClass::kMark;
  }
}

// The entries of one process, in order.
class Entries {
 public:
  Entries(const ExportJob& job, uint32_t process)
      : job_(job), process_(job.trace.processes[process]), number_(process) {}

  // nullptr at the end.
  const Entry* Next() {
    while (next_ == entries_.size()) {
      if (event_ == process_.events.size()) return nullptr;
      Fill();
    }
    return &entries_[next_++];
  }

 private:
  void Fill() {
    entries_.clear();
    next_ = 0;
    const uint64_t event = event_++;
    std::optional<Entry> send;
    for (; link_ < process_.links.size() && process_.links[link_].event == event; ++link_) {
      const uint64_t link = process_.links[link_].message;
      const ExportedMessage& message = job_.trace.messages[link];
      if (message.is_of_collective) continue;
      const uint64_t number = job_.numbers[link];
      if (message.to == number_) {
        entries_.push_back({event, ExportedClass::kReceive, number, message.from});
      } else if (!send) {
        send = Entry{event, ExportedClass::kSend, number, message.to};
      }
    }
    if (send) entries_.push_back(*send);
    if (entries_.empty()) entries_.push_back({event, ClassOf(process_.events[event].kind)});
  }

  const ExportJob& job_;
  const ExportedProcess& process_;
  uint32_t number_;
  uint64_t event_ = 0;
  uint64_t link_ = 0;
  std::vector<Entry> entries_;  // of the latest event
  size_t next_ = 0;
};

// One stream as messages: its beginning, packets of events, its end.
class StreamMessages {
 public:
  StreamMessages(bt_self_message_iterator* self, Source& source, size_t number)
      : self_(self),
        source_(source),
        process_(source.processes[number]),
        stream_(source.streams[number].get()),
        entries_(source.job, process_),
        times_(source.job.findings),
        entry_(entries_.Next()) {
    // A stream without events has one packet all the same, for readers take no empty files.
    time_ = source.job.first_ns;
    Place();
  }

  bool is_over() const { return step_ == Step::kOver; }

  // nullptr where memory is short.
  const bt_message* Next() {
    switch (step_) {
      case Step::kBegin:
        step_ = Step::kOpen;
        return bt_message_stream_beginning_create(self_, stream_);
      case Step::kOpen: return OpenPacket();
      case Step::kEvents:
        if (entry_ != nullptr && in_packet_ < kEventsPerPacket) return WriteEvent();
        step_ = entry_ != nullptr ? Step::kOpen : Step::kEnd;
        return bt_message_packet_end_create_with_default_clock_snapshot(self_, packet_.get(),
                                                                        written_);
      default: step_ = Step::kOver; return bt_message_stream_end_create(self_, stream_);
    }
  }

 private:
  enum class Step { kBegin, kOpen, kEvents, kEnd, kOver };

  const ExportedEvent& EventOf(const Entry& entry) const {
    return source_.job.trace.processes[process_].events[entry.event];
  }
  // The time of entry_.
  void Place() {
    if (entry_ != nullptr) time_ = times_(EventOf(*entry_).time);
  }

  const bt_message* OpenPacket() {
    bt_packet* packet = bt_packet_create(stream_);
    if (packet == nullptr) return nullptr;
    packet_.reset(packet);
    FieldWriter context(bt_packet_borrow_context_field(packet));
    context.Text(source_.job.trace.traces.processes[process_].name);
    if (!context.is_written()) return nullptr;
    step_ = Step::kEvents;
    in_packet_ = 0;
    written_ = time_;
    return bt_message_packet_beginning_create_with_default_clock_snapshot(self_, packet, time_);
  }

  const bt_message* WriteEvent() {
    const bt_event_class* event_class =
        source_.classes.events[static_cast<size_t>(entry_->as)].get();
    bt_message* message = bt_message_event_create_with_packet_and_default_clock_snapshot(
        self_, event_class, packet_.get(), time_);
    if (message == nullptr) return nullptr;
    if (!Fill(bt_event_borrow_payload_field(bt_message_event_borrow_event(message)))) {
      bt_message_put_ref(message);
      return nullptr;
    }
    written_ = time_;
    ++in_packet_;
    entry_ = entries_.Next();
    Place();
    return message;
  }

  bool Fill(bt_field* payload) const {
    const ExportedTrace& trace = source_.job.trace;
    const ExportedEvent& event = EventOf(*entry_);
    const ProcessId process(process_);
    FieldWriter fields(payload);
    fields.Signed(trace.RecordedNs(process, event));
    if (source_.classes.has_bounds) fields.Signed(trace.bound_ns(process, event).value_or(-1));
    switch (entry_->as) {
      case ExportedClass::kSend:
      case ExportedClass::kReceive:
        fields.Text(trace.names[event.name]);
        fields.Unsigned(entry_->message);
        fields.Text(trace.traces.processes[entry_->peer].name);
        fields.Unsigned(event.bytes);
        break;
      case ExportedClass::kCollectiveBegin:
      case ExportedClass::kCollectiveEnd:
        fields.Text(trace.names[event.name]);
        fields.Unsigned(event.message);
        fields.Text(trace.names[event.group]);
        fields.Unsigned(event.bytes);
        fields.Unsigned(event.is_root ? 1 : 0);
        break;
      default: fields.Text(ExportedName(trace, event)); break;
    }
    return fields.is_written();
  }

  bt_self_message_iterator* self_;
  Source& source_;
  uint32_t process_;
  bt_stream* stream_;
  Entries entries_;
  RisingTimes times_;
  const Entry* entry_;    // the next event
  uint64_t time_ = 0;     // its time
  uint64_t written_ = 0;  // that of the latest event or packet
  uint64_t in_packet_ = 0;
  PacketPtr packet_;
  Step step_ = Step::kBegin;
};

class ExportedIterator {
 public:
  explicit ExportedIterator(bt_self_message_iterator* self)
      : self_(self), source_(SourceOf(bt_self_message_iterator_borrow_component(self))) {}

  NextStatus Next(bt_message_array_const messages, uint64_t capacity, uint64_t& count) {
    source_.job.parent.Beat();
    for (count = 0; count < capacity;) {
      if (!stream_ || stream_->is_over()) {
        if (next_ == source_.streams.size()) break;
        stream_.emplace(self_, source_, next_++);
      }
      messages[count] = stream_->Next();
      if (messages[count] == nullptr) {
        for (uint64_t i = 0; i < count; ++i) bt_message_put_ref(messages[i]);
        return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_MEMORY_ERROR;
      }
      ++count;
    }
    return count > 0 ? BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK
                     : BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END;
  }

 private:
  bt_self_message_iterator* self_;
  Source& source_;
  size_t next_ = 0;
  std::optional<StreamMessages> stream_;
};

bool AddStreams(Source& source) {
  const std::vector<Process>& processes = source.job.trace.traces.processes;
  std::set<std::string> taken = {"metadata", "index"};
  for (uint32_t p = 0; p < processes.size(); ++p) {
    if (processes[p].clock != source.job.clock) continue;
    bt_stream* stream = bt_stream_create(source.classes.stream.get(), source.classes.trace.get());
    if (stream == nullptr) return false;
    source.processes.push_back(p);
    source.streams.emplace_back(stream);
    if (bt_stream_set_name(stream, FileNameOf(processes[p].name, taken).c_str()) !=
        BT_STREAM_SET_NAME_STATUS_OK) {
      return false;
    }
  }
  return true;
}

bt_component_class_initialize_method_status BeginSource(
    bt_self_component_source* self, bt_self_component_source_configuration* /*configuration*/,
    const bt_value* /*parameters*/, void* data) {
  auto& job = *static_cast<ExportJob*>(data);
  bt_self_component* component = bt_self_component_source_as_self_component(self);
  const std::string& host = job.trace.traces.clocks[job.clock.index()].name;
  auto source = std::make_unique<Source>(Source{
      .job = job,
      .classes = MakeExportedClasses(
          component, host, job.trace.is_corrected ? BoundFields::kThere : BoundFields::kLeftOut),
      .processes = {},
      .streams = {}});
  if (source->classes.trace == nullptr || !AddStreams(*source)) {
    return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
  }
  job.written.reset(source->classes.trace.get());
  bt_trace_get_ref(job.written.get());
  const auto added = bt_self_component_source_add_output_port(self, "out", nullptr, nullptr);
  if (added == BT_SELF_COMPONENT_ADD_PORT_STATUS_OK) {
    bt_self_component_set_data(component, source.release());
  }
  return static_cast<bt_component_class_initialize_method_status>(added);
}

void EndSource(bt_self_component_source* self) {
  delete static_cast<Source*>(
      bt_self_component_get_data(bt_self_component_source_as_self_component(self)));
}

}  // namespace

std::string FileNameOf(const std::string& name, std::set<std::string>& taken) {
  std::string file = name.substr(0, 200);
  for (char& c : file) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    if (!is_plain) c = '_';
  }
  // Readers take a file with a dot in front for hidden.
  if (file.empty() || file.front() == '.') file.insert(file.begin(), '_');
  return UniqueName(file, taken);
}

const bt_component_class_source* MakeExportSourceClass() {
  bt_message_iterator_class* iterators = MakeIteratorClass<ExportedIterator>();
  if (iterators == nullptr) return nullptr;
  bt_component_class_source* sources =
      bt_component_class_source_create("syncline-export", iterators);
  bt_message_iterator_class_put_ref(iterators);
  if (sources != nullptr) {
    bt_component_class_source_set_initialize_method(sources, BeginSource);
    bt_component_class_source_set_finalize_method(sources, EndSource);
  }
  return sources;
}

}  // namespace syncline::ctf_write
