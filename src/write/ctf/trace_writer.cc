#include "write/ctf/trace_writer.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <babeltrace2/babeltrace.h>
#include <fmt/format.h>

#include "base/file.h"
#include "base/int128.h"
#include "base/ticks.h"
#include "base/try.h"
#include "read/ctf/library.h"
#include "write/ctf/clock_text.h"
#include "write/ctf/iterator_class.h"
#include "write/ctf/message_copy.h"
#include "write/ctf/sink.h"
#include "write/ctf/stream_times.h"

namespace syncline::ctf_write {
namespace {

using NextStatus = bt_message_iterator_class_next_method_status;
using PortStatus = bt_self_component_add_port_status;
using TracePtr = std::unique_ptr<const bt_trace, PutRef<bt_trace_put_ref>>;

struct RetimeJob {
  CtfRetimer* retimer = nullptr;
  uint64_t streams = 0;  // inputs in0, in1, …
  // Subtracted from every origin of a clock.
  int64_t earlier_ns = 0;
  std::function<void()> go_on = [] {};  // called with every batch of messages
  StreamFigures figures;
  // Of the streams; to be held beyond the graph, because the sink of libbabeltrace2 2.0.4 uses the
  // trace once more after it may have given back the last reference.
  TracePtr trace = nullptr;
};

StreamItem::Kind KindOf(const bt_message* message) {
  switch (bt_message_get_type(message)) {
    case BT_MESSAGE_TYPE_EVENT: return StreamItem::Kind::kEvent;
    case BT_MESSAGE_TYPE_PACKET_BEGINNING: return StreamItem::Kind::kPacketBeginning;
    case BT_MESSAGE_TYPE_PACKET_END: return StreamItem::Kind::kPacketEnd;
    case BT_MESSAGE_TYPE_DISCARDED_EVENTS: return StreamItem::Kind::kDiscardedEvents;
    case BT_MESSAGE_TYPE_DISCARDED_PACKETS: return StreamItem::Kind::kDiscardedPackets;
    default: return StreamItem::Kind::kOtherTime;
  }
}

bt_self_component* ComponentOf(bt_self_message_iterator* iterator) {
  return bt_self_message_iterator_borrow_component(iterator);
}

RetimeJob& JobOf(bt_self_component* component) {
  return *static_cast<RetimeJob*>(bt_self_component_get_data(component));
}

// Nanoseconds since the epoch that cycle 0 of the clock stands for, rounded down.
Int128 OriginNs(const bt_clock_class* clock) {
  int64_t seconds = 0;
  uint64_t cycles = 0;
  bt_clock_class_get_offset(clock, &seconds, &cycles);
  const Int128 frequency = bt_clock_class_get_frequency(clock);
  return static_cast<Int128>(seconds) * kNsPerSecond +
         FloorDiv(static_cast<Int128>(cycles) * kNsPerSecond, frequency);
}

// Of the filter's one output: the streams in order of the inputs.
class RetimingIterator {
 public:
  explicit RetimingIterator(bt_self_message_iterator* self)
      : self_(self), job_(JobOf(ComponentOf(self))) {}
  RetimingIterator(const RetimingIterator&) = delete;
  RetimingIterator& operator=(const RetimingIterator&) = delete;
  ~RetimingIterator() {
    if (upstream_ != nullptr) bt_message_iterator_put_ref(upstream_);
    while (const auto item = times_ ? times_->Drop() : std::nullopt) {
      bt_message_put_ref(item->message);
    }
  }

  NextStatus Next(bt_message_array_const messages, uint64_t capacity, uint64_t& count) {
    for (count = 0;;) {
      while (count < capacity) {
        const auto item = times_ ? times_->Take() : std::nullopt;
        if (!item) break;
        messages[count] = Written(*item);
        if (messages[count] == nullptr) return OutOfMemory(messages, count);
        ++count;
      }
      if (count > 0) return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
      const NextStatus status = Fetch();
      if (status != BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK) return status;
    }
  }

 private:
  // Puts the current stream's next messages, or its end, into times_.
  NextStatus Fetch() {
    job_.go_on();
    if (upstream_ == nullptr) {
      if (next_input_ == job_.streams) return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END;
      if (!OpenStream()) return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_ERROR;
    }
    bt_message_array_const batch = nullptr;
    uint64_t size = 0;
    const auto status = bt_message_iterator_next(upstream_, &batch, &size);
    if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_END) {
      CloseStream();
      return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
    }
    if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) return static_cast<NextStatus>(status);
    for (uint64_t i = 0; i < size; ++i) Add(batch[i]);
    times_->Flush();
    return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
  }

  bool OpenStream() {
    // The library knows its objects by several types of pointers.
    auto* component = reinterpret_cast<bt_self_component_filter*>(ComponentOf(self_));
    bt_self_component_port_input* port =
        bt_self_component_filter_borrow_input_port_by_index(component, next_input_++);
    return bt_message_iterator_create_from_message_iterator(self_, port, &upstream_) ==
           BT_MESSAGE_ITERATOR_CREATE_FROM_MESSAGE_ITERATOR_STATUS_OK;
  }

  void CloseStream() {
    bt_message_iterator_put_ref(upstream_);
    upstream_ = nullptr;
    if (!times_) return;
    times_->Finish();
    job_.figures.Merge(times_->figures());
  }

  void BeginStream(const bt_stream* stream) {
    shape_ = ShapeOf(stream);
    if (job_.trace == nullptr) {
      job_.trace.reset(bt_stream_borrow_trace_const(stream));
      bt_trace_get_ref(job_.trace.get());
    }
    Int128 origin = 0;
    if (shape_.has_clock) {
      const char* name = bt_stream_get_name(stream);
      job_.retimer->BeginStream(name != nullptr ? name : "");
      origin = OriginNs(bt_stream_class_borrow_default_clock_class_const(
                   bt_stream_borrow_class_const(stream))) -
               job_.earlier_ns;
    }
    times_.emplace(*job_.retimer, origin);
  }

  void Add(const bt_message* message) {
    if (bt_message_get_type(message) == BT_MESSAGE_TYPE_STREAM_BEGINNING) {
      BeginStream(bt_message_stream_beginning_borrow_stream_const(message));
    }
    StreamItem item{.message = message};
    if (const auto times = TimesOf(message, shape_)) {
      item.kind = KindOf(message);
      item.recorded = *times;
    }
    times_->Add(item);
  }

  // Takes over the item's message, and gives it or its copy.
  const bt_message* Written(const StreamItem& item) {
    if (item.kind == StreamItem::Kind::kUntimed || item.written == item.recorded) {
      return item.message;
    }
    const bt_message* copy = CopyMessage(self_, item.message, shape_, item.written);
    bt_message_put_ref(item.message);
    return copy;
  }

  static NextStatus OutOfMemory(bt_message_array_const messages, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) bt_message_put_ref(messages[i]);
    return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_MEMORY_ERROR;
  }

  bt_self_message_iterator* self_;
  RetimeJob& job_;
  uint64_t next_input_ = 0;
  bt_message_iterator* upstream_ = nullptr;  // of the current stream
  StreamShape shape_;
  std::optional<StreamTimes> times_;
};

bt_component_class_initialize_method_status BeginFilter(
    bt_self_component_filter* self, bt_self_component_filter_configuration* /*configuration*/,
    const bt_value* /*parameters*/, void* job) {
  bt_self_component_set_data(bt_self_component_filter_as_self_component(self), job);
  const uint64_t streams = static_cast<const RetimeJob*>(job)->streams;
  PortStatus status = bt_self_component_filter_add_output_port(self, "out", nullptr, nullptr);
  for (uint64_t i = 0; i < streams && status == BT_SELF_COMPONENT_ADD_PORT_STATUS_OK; ++i) {
    const std::string name = "in" + std::to_string(i);
    status = bt_self_component_filter_add_input_port(self, name.c_str(), nullptr, nullptr);
  }
  return static_cast<bt_component_class_initialize_method_status>(status);
}

// The class of filters that give a trace's messages the times of a CtfRetimer, stream by stream;
// give a RetimeJob as initialization data. nullptr where memory is short.
//
// A filter has one input per stream and one output, where the streams come one after another:
// readers of one iterator that expect increasing times over all streams cannot be connected, the
// sink of CTF traces can. Streams are not merged, so that a clock that steps back disturbs nothing.
const bt_component_class_filter* MakeRetimeFilterClass() {
  bt_message_iterator_class* iterators = MakeIteratorClass<RetimingIterator>();
  if (iterators == nullptr) return nullptr;
  bt_component_class_filter* filters =
      bt_component_class_filter_create("syncline-retime", iterators);
  bt_message_iterator_class_put_ref(iterators);
  if (filters != nullptr) bt_component_class_filter_set_initialize_method(filters, BeginFilter);
  return filters;
}

}  // namespace
}  // namespace syncline::ctf_write

namespace syncline {
namespace {

using namespace ctf_write;  // NOLINT(google-build-using-namespace): the parts of this writer
namespace fs = std::filesystem;

constexpr bt_logging_level kQuiet = BT_LOGGING_LEVEL_NONE;

// source → filter → sink, for one attempt.
class Conversion {
 public:
  Conversion(const std::string& folder, const std::string& new_folder, RetimeJob& job)
      : folder_(folder), new_folder_(new_folder), job_(job) {}
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;
  ~Conversion() { Close(); }

  Result<void> Run() {
    if (auto built = Build(); !built || job_.streams == 0) return built;
    const bt_graph_run_status status = bt_graph_run(graph_.get());
    if (status != BT_GRAPH_RUN_STATUS_OK) {
      return Failure(ErrorCode::kMalformed, "cannot be written again");
    }
    // The sink writes the metadata last.
    Close();
    return {};
  }

 private:
  Result<void> Build() {
    SYNCLINE_ASSIGN(const auto plugin, CtfPlugin());
    graph_.reset(bt_graph_create(0));
    if (graph_ == nullptr || !AddSource(*plugin)) {
      return Failure(ErrorCode::kMalformed, "cannot be read");
    }
    job_.streams = bt_component_source_get_output_port_count(source_);
    if (job_.streams == 0 || (AddSink(*plugin) && AddFilter() && Connect())) return {};
    return Failure(ErrorCode::kUnreadable, "cannot be written again");
  }

  void Close() {
    graph_.reset();
    job_.trace.reset();
  }

  tl::unexpected<Error> Failure(ErrorCode code, std::string_view what) const {
    return Fail(code, fmt::format("{}: {}", what, TakeCtfError()), folder_);
  }

  bool AddSource(const bt_plugin& plugin) {
    const ValuePtr parameters = InputParameters(folder_);
    const bt_component_class_source* sources =
        bt_plugin_borrow_source_component_class_by_name_const(&plugin, "fs");
    return parameters != nullptr && sources != nullptr &&
           bt_graph_add_source_component(graph_.get(), sources, "source", parameters.get(), kQuiet,
                                         &source_) == BT_GRAPH_ADD_COMPONENT_STATUS_OK;
  }

  bool AddSink(const bt_plugin& plugin) {
    sink_ = AddCtfSink(graph_.get(), plugin, new_folder_);
    return sink_ != nullptr;
  }

  bool AddFilter() {
    const std::unique_ptr<const bt_component_class_filter,
                          PutRef<bt_component_class_filter_put_ref>>
        filters(MakeRetimeFilterClass());
    return filters != nullptr && bt_graph_add_filter_component_with_initialize_method_data(
                                     graph_.get(), filters.get(), "retime", nullptr, &job_, kQuiet,
                                     &filter_) == BT_GRAPH_ADD_COMPONENT_STATUS_OK;
  }

  bool Connect() {
    const auto connect = [&](const bt_port_output* from, const bt_port_input* to) {
      return bt_graph_connect_ports(graph_.get(), from, to, nullptr) ==
             BT_GRAPH_CONNECT_PORTS_STATUS_OK;
    };
    for (uint64_t i = 0; i < job_.streams; ++i) {
      if (!connect(bt_component_source_borrow_output_port_by_index_const(source_, i),
                   bt_component_filter_borrow_input_port_by_index_const(filter_, i))) {
        return false;
      }
    }
    return connect(bt_component_filter_borrow_output_port_by_index_const(filter_, 0),
                   bt_component_sink_borrow_input_port_by_index_const(sink_, 0));
  }

  const std::string& folder_;
  const std::string& new_folder_;
  RetimeJob& job_;
  GraphPtr graph_;
  const bt_component_source* source_ = nullptr;  // the graph's, as the others
  const bt_component_filter* filter_ = nullptr;
  const bt_component_sink* sink_ = nullptr;
};

Result<void> ReplaceText(const std::string& path, const std::string& text) {
  SYNCLINE_ASSIGN(auto file, OutputFile::Create(path, IfExists::kReplace));
  SYNCLINE_TRY(file.Write(text));
  return file.Commit();
}

// After the sink: its metadata, with clocks that count nanoseconds. A trace of no streams is its
// metadata alone.
Result<void> FinishMetadata(const std::string& folder, const std::string& new_folder,
                            const RetimeJob& job) {
  std::error_code error;
  if (job.streams == 0) fs::create_directories(new_folder, error);
  const std::string source = (job.streams == 0 ? folder : new_folder) + "/metadata";
  SYNCLINE_ASSIGN(auto text, ReadWholeFile(source));
  if (job.streams == 0) return ReplaceText(new_folder + "/metadata", text);
  auto changed = CountNanoseconds(text, job.earlier_ns);
  if (!changed) return tl::unexpected(changed.error());
  return *changed == text ? Result<void>() : ReplaceText(source, *changed);
}

// What the origins of clocks have to be earlier by, in whole seconds.
int64_t WholeSeconds(int64_t ns) {
  return Saturate(CeilDiv(ns, kNsPerSecond) * static_cast<Int128>(kNsPerSecond));
}

// One attempt: the whole trace in the folder `place`, which the sink makes.
Result<StreamFigures> WriteTo(const std::string& place, const std::string& folder,
                              CtfRetimer& retimer, int64_t earlier_ns,
                              const std::function<void()>& go_on) {
  std::error_code error;
  fs::remove_all(place, error);
  RetimeJob job{.retimer = &retimer, .earlier_ns = earlier_ns, .go_on = go_on};
  SYNCLINE_TRY(Conversion(folder, place, job).Run());
  SYNCLINE_TRY(FinishMetadata(folder, place, job));
  return job.figures;
}

}  // namespace

Result<WrittenCtf> WriteCtfTrace(const std::string& folder, const std::string& place,
                                 const std::function<CtfRetimer&()>& make_retimer,
                                 const std::function<void()>& go_on) {
  auto figures = WriteTo(place, folder, make_retimer(), 0, go_on);
  if (figures && figures->before_origin_ns > 0) {
    figures =
        WriteTo(place, folder, make_retimer(), WholeSeconds(figures->before_origin_ns), go_on);
  }
  if (!figures) return tl::unexpected(figures.error());
  return WrittenCtf{.events = figures->events,
                    .raised = figures->raised,
                    .largest_raise_ns = figures->largest_raise_ns};
}

}  // namespace syncline
