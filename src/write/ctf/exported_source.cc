#include "write/ctf/exported_source.h"

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "base/unique_name.h"
#include "write/ctf/iterator_class.h"

namespace syncline::ctf_write {
namespace {

using NextStatus = bt_message_iterator_class_next_method_status;
using TraceClassPtr = std::unique_ptr<bt_trace_class, PutRef<bt_trace_class_put_ref>>;
using NewTracePtr = std::unique_ptr<bt_trace, PutRef<bt_trace_put_ref>>;
using StreamClassPtr = std::unique_ptr<bt_stream_class, PutRef<bt_stream_class_put_ref>>;
using StreamPtr = std::unique_ptr<bt_stream, PutRef<bt_stream_put_ref>>;
using EventClassPtr = std::unique_ptr<bt_event_class, PutRef<bt_event_class_put_ref>>;
using FieldClassPtr = std::unique_ptr<bt_field_class, PutRef<bt_field_class_put_ref>>;
using ClockClassPtr = std::unique_ptr<bt_clock_class, PutRef<bt_clock_class_put_ref>>;
using PacketPtr = std::unique_ptr<const bt_packet, PutRef<bt_packet_put_ref>>;

constexpr uint64_t kEventsPerPacket = 4096;

enum class ExportedClass : uint8_t {
  kSend,
  kReceive,
  kEnter,
  kLeave,
  kMark,
  kBlock,
  kCollectiveBegin,
  kCollectiveEnd,
};
constexpr size_t kExportedClasses = 8;

struct ExportedClasses {
  NewTracePtr trace;
  StreamClassPtr stream;
  std::array<EventClassPtr, kExportedClasses> events;
  bool has_bounds = false;
};

enum class BoundFields { kLeftOut, kThere };

enum class FieldType { kSigned, kUnsigned, kText };
struct FieldSpec {
  const char* name;
  FieldType type;
};

constexpr std::array<FieldSpec, 3> kTransfer = {{{"message", FieldType::kUnsigned},
                                                 {"peer", FieldType::kText},
                                                 {"bytes", FieldType::kUnsigned}}};
constexpr std::array<FieldSpec, 4> kPart = {{{"instance", FieldType::kUnsigned},
                                             {"group", FieldType::kText},
                                             {"bytes", FieldType::kUnsigned},
                                             {"root", FieldType::kUnsigned}}};
struct ClassSpec {
  const char* name;
  std::span<const FieldSpec> fields;
};
// By ExportedClass.
constexpr std::array<ClassSpec, kExportedClasses> kClasses = {{{"send", kTransfer},
                                                               {"receive", kTransfer},
                                                               {"enter", {}},
                                                               {"leave", {}},
                                                               {"mark", {}},
                                                               {"block", {}},
                                                               {"collective_begin", kPart},
                                                               {"collective_end", kPart}}};

// Makes the event classes of exported traces, as objects of libbabeltrace2.
class ClassMaker {
 public:
  ClassMaker(bt_self_component* component, BoundFields bounds)
      : component_(component), bounds_(bounds), class_(bt_trace_class_create(component)) {}

  // nullptr in `trace` where memory is short.
  ExportedClasses Run(const std::string& host) {
    ExportedClasses made{.has_bounds = bounds_ == BoundFields::kThere};
    if (class_ == nullptr || !MakeStreamClass(made)) return {};
    for (size_t i = 0; i < kExportedClasses; ++i) {
      if (!MakeEventClass(made, i)) return {};
    }
    made.trace.reset(bt_trace_create(class_.get()));
    if (made.trace == nullptr ||
        bt_trace_set_environment_entry_string(made.trace.get(), "hostname", host.c_str()) !=
            BT_TRACE_SET_ENVIRONMENT_ENTRY_STATUS_OK) {
      return {};
    }
    return made;
  }

 private:
  bool MakeStreamClass(ExportedClasses& made) {
    const ClockClassPtr clock(bt_clock_class_create(component_));
    made.stream.reset(bt_stream_class_create(class_.get()));
    const FieldClassPtr context(bt_field_class_structure_create(class_.get()));
    if (clock == nullptr || made.stream == nullptr || context == nullptr) return false;
    if (bt_clock_class_set_name(clock.get(), "syncline") != BT_CLOCK_CLASS_SET_NAME_STATUS_OK ||
        bt_stream_class_set_default_clock_class(made.stream.get(), clock.get()) !=
            BT_STREAM_CLASS_SET_DEFAULT_CLOCK_CLASS_STATUS_OK) {
      return false;
    }
    bt_stream_class_set_supports_packets(made.stream.get(), BT_TRUE, BT_TRUE, BT_TRUE);
    return Append(context.get(), {"process", FieldType::kText}) &&
           bt_stream_class_set_packet_context_field_class(made.stream.get(), context.get()) ==
               BT_STREAM_CLASS_SET_FIELD_CLASS_STATUS_OK;
  }

  bool MakeEventClass(ExportedClasses& made, size_t number) {
    EventClassPtr& event = made.events[number];
    event.reset(bt_event_class_create(made.stream.get()));
    const FieldClassPtr payload(bt_field_class_structure_create(class_.get()));
    if (event == nullptr || payload == nullptr) return false;
    bool is_made = Append(payload.get(), {"recorded_ns", FieldType::kSigned});
    if (made.has_bounds) is_made &= Append(payload.get(), {"bound_ns", FieldType::kSigned});
    is_made &= Append(payload.get(), {"name", FieldType::kText});
    for (const FieldSpec& field : kClasses[number].fields) is_made &= Append(payload.get(), field);
    return is_made &&
           bt_event_class_set_name(event.get(), kClasses[number].name) ==
               BT_EVENT_CLASS_SET_NAME_STATUS_OK &&
           bt_event_class_set_payload_field_class(event.get(), payload.get()) ==
               BT_EVENT_CLASS_SET_FIELD_CLASS_STATUS_OK;
  }

  bool Append(bt_field_class* structure, const FieldSpec& field) {
    const FieldClassPtr member(
        field.type == FieldType::kSigned     ? bt_field_class_integer_signed_create(class_.get())
        : field.type == FieldType::kUnsigned ? bt_field_class_integer_unsigned_create(class_.get())
                                             : bt_field_class_string_create(class_.get()));
    return member != nullptr &&
           bt_field_class_structure_append_member(structure, field.name, member.get()) ==
               BT_FIELD_CLASS_STRUCTURE_APPEND_MEMBER_STATUS_OK;
  }

  bt_self_component* component_;
  BoundFields bounds_;
  TraceClassPtr class_;
};

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
  const auto bounds = job.trace.is_corrected ? BoundFields::kThere : BoundFields::kLeftOut;
  auto source = std::make_unique<Source>(Source{.job = job,
                                                .classes = ClassMaker(component, bounds).Run(host),
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
