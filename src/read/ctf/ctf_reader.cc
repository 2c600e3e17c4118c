#include "read/ctf/ctf_reader.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "base/try.h"
#include "read/ctf/library.h"

namespace syncline {
namespace {

using ConsumeStatus = bt_graph_simple_sink_component_consume_func_status;
using InitializeStatus = bt_graph_simple_sink_component_initialize_func_status;

// The sink of one stream only keeps its iterator; messages are taken from that outside of the
// graph's running.
InitializeStatus KeepIterator(bt_message_iterator* iterator, void* user_data) {
  *static_cast<bt_message_iterator**>(user_data) = iterator;
  return BT_GRAPH_SIMPLE_SINK_COMPONENT_INITIALIZE_FUNC_STATUS_OK;
}
ConsumeStatus ConsumeNothing(bt_message_iterator* /*iterator*/, void* /*user_data*/) {
  return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_AGAIN;
}

// Without any event: its own begin and end, and those of a packet.
constexpr uint64_t kMessagesOfAStream = 4;

std::string HexOf(bt_uuid uuid) {
  std::string text;
  for (int i = 0; uuid != nullptr && i < 16; ++i) text += fmt::format("{:02x}", uuid[i]);
  return text;
}

std::string TextOrEmpty(const char* text) { return text == nullptr ? std::string() : text; }

CtfClock ClockOf(const bt_clock_class* handle) {
  CtfClock clock{.name = TextOrEmpty(bt_clock_class_get_name(handle)),
                 .uuid = HexOf(bt_clock_class_get_uuid(handle)),
                 .frequency = bt_clock_class_get_frequency(handle),
                 .precision = bt_clock_class_get_precision(handle)};
  bt_clock_class_get_offset(handle, &clock.offset_s, &clock.offset_cycles);
  return clock;
}

// Why a trace cannot be opened. The library keeps the reasons of the most frequent cases to its
// log.
tl::unexpected<Error> OpenError(const std::string& folder) {
  const std::string text = TakeCtfError();
  constexpr std::string_view kNoIndex = "Failed to index CTF stream file '";
  if (text.starts_with(kNoIndex)) {
    const std::string file = text.substr(kNoIndex.size(), text.rfind('\'') - kNoIndex.size());
    return Fail(ErrorCode::kMalformed,
                "cannot be divided into packets: the file is cut off or damaged", file);
  }
  if (text.starts_with("Cannot create trace for ")) {
    return Fail(ErrorCode::kMalformed,
                "its metadata cannot be understood; babeltrace2 --log-level=W tells why", folder);
  }
  return Fail(ErrorCode::kMalformed, text, folder);
}

}  // namespace

struct CtfReader::Graph {
  Result<void> AddSource(const std::string& folder);
  Result<void> ConnectSinks();

  GraphPtr graph;
  const bt_component_source* source = nullptr;
  std::vector<bt_message_iterator*> iterators;  // by output port
  absl::flat_hash_map<const bt_event_class*, uint32_t> class_numbers;
};

Result<void> CtfReader::Graph::AddSource(const std::string& folder) {
  SYNCLINE_ASSIGN(const auto plugin, CtfPlugin());
  const bt_component_class_source* source_class =
      bt_plugin_borrow_source_component_class_by_name_const(plugin, "fs");
  if (source_class == nullptr) {
    return Fail(ErrorCode::kUnsupported, "libbabeltrace2 has no component source.ctf.fs");
  }
  const ValuePtr parameters = InputParameters(folder);
  if (parameters == nullptr) return Fail(ErrorCode::kUnreadable, "out of memory", folder);
  graph.reset(bt_graph_create(0));
  const auto added = bt_graph_add_source_component(
      graph.get(), source_class, "source", parameters.get(), BT_LOGGING_LEVEL_NONE, &source);
  if (added == BT_GRAPH_ADD_COMPONENT_STATUS_OK) return {};
  return OpenError(folder);
}

Result<void> CtfReader::Graph::ConnectSinks() {
  const uint64_t ports = bt_component_source_get_output_port_count(source);
  iterators.resize(ports);
  for (uint64_t i = 0; i < ports; ++i) {
    const bt_component_sink* sink = nullptr;
    const bool is_connected =
        bt_graph_add_simple_sink_component(graph.get(), fmt::format("stream {}", i).c_str(),
                                           KeepIterator, ConsumeNothing, nullptr, &iterators[i],
                                           &sink) == BT_GRAPH_ADD_COMPONENT_STATUS_OK &&
        bt_graph_connect_ports(graph.get(),
                               bt_component_source_borrow_output_port_by_index_const(source, i),
                               bt_component_sink_borrow_input_port_by_index_const(sink, 0),
                               nullptr) == BT_GRAPH_CONNECT_PORTS_STATUS_OK;
    if (!is_connected) return Fail(ErrorCode::kMalformed, TakeCtfError());
  }
  if (ports == 0) return {};
  // Makes the iterators.
  if (bt_graph_run_once(graph.get()) != BT_GRAPH_RUN_ONCE_STATUS_AGAIN) {
    return Fail(ErrorCode::kMalformed, TakeCtfError());
  }
  return {};
}

CtfReader::CtfReader(std::shared_ptr<const ReadableFolder> readable)
    : readable_(std::move(readable)), graph_(std::make_unique<Graph>()) {}

CtfReader::~CtfReader() {
  for (const auto& stream : streams_) stream->ReleaseBatch();
}

Result<std::unique_ptr<CtfReader>> CtfReader::Open(const std::string& folder) {
  SYNCLINE_ASSIGN(auto readable, ReadableFolder::Of(folder));
  return Open(std::move(readable));
}

Result<std::unique_ptr<CtfReader>> CtfReader::Open(std::shared_ptr<const ReadableFolder> readable) {
  std::unique_ptr<CtfReader> reader(new CtfReader(std::move(readable)));
  if (auto done = reader->Start(); !done) {
    Error& error = done.error();
    const bool has_file = !error.file.empty() && error.file != reader->readable_->path();
    error.file = has_file ? reader->readable_->OriginalOf(error.file) : reader->folder();
    return tl::unexpected(error);
  }
  return reader;
}

Result<void> CtfReader::Start() {
  // The library aborts where it is used while there is an error of before.
  TakeAnyCtfError();
  SYNCLINE_TRY(graph_->AddSource(readable_->path()));
  SYNCLINE_TRY(graph_->ConnectSinks());
  most_messages_ = kMessagesOfAStream + 8 * readable_->bytes();
  for (bt_message_iterator* iterator : graph_->iterators) {
    streams_.emplace_back(new CtfStream(*this))->iterator_ = iterator;
  }
  return Describe();
}

Result<void> CtfReader::Describe() {
  for (const auto& stream : streams_) SYNCLINE_TRY(DescribeStream(*stream));
  std::erase_if(streams_, [](const auto& stream) { return stream->handle_ == nullptr; });
  std::ranges::sort(streams_, [](const auto& a, const auto& b) { return a->file_ < b->file_; });
  hostname_ = Environment("hostname");
  if (hostname_.empty()) hostname_ = Environment("host");  // as perf calls it
  return {};
}

// All that its first messages say; they stay in the stream's batch.
Result<void> CtfReader::DescribeStream(CtfStream& stream) {
  if (!stream.FetchBatch()) {
    if (stream.error_) return tl::unexpected(*stream.error_);
    return {};
  }
  for (uint64_t i = 0; i < stream.batch_size_; ++i) {
    const bt_message* message = stream.batch_[i];
    if (bt_message_get_type(message) == BT_MESSAGE_TYPE_STREAM_BEGINNING) {
      stream.handle_ = bt_message_stream_beginning_borrow_stream_const(message);
    }
  }
  if (stream.handle_ == nullptr) return {};
  if (trace_ == nullptr) {
    trace_ = bt_stream_borrow_trace_const(stream.handle_);
    ListEventClasses();
  }
  stream.file_ = readable_->OriginalOf(TextOrEmpty(bt_stream_get_name(stream.handle_)));
  stream.channel_ = std::filesystem::path(stream.file_).filename().string();
  const bt_clock_class* clock_class = bt_stream_class_borrow_default_clock_class_const(
      bt_stream_borrow_class_const(stream.handle_));
  if (clock_class == nullptr) return {};
  SYNCLINE_ASSIGN(auto number, ClockNumber(clock_class));
  stream.clock_ = number;
  stream.origin_ = clocks_[number].origin;
  return {};
}

void CtfReader::ListEventClasses() {
  const bt_trace_class* trace_class = bt_trace_borrow_class_const(trace_);
  const uint64_t streams = bt_trace_class_get_stream_class_count(trace_class);
  for (uint64_t s = 0; s < streams; ++s) {
    const bt_stream_class* stream_class =
        bt_trace_class_borrow_stream_class_by_index_const(trace_class, s);
    const uint64_t events = bt_stream_class_get_event_class_count(stream_class);
    for (uint64_t e = 0; e < events; ++e) {
      const bt_event_class* event_class =
          bt_stream_class_borrow_event_class_by_index_const(stream_class, e);
      graph_->class_numbers.emplace(event_class, static_cast<uint32_t>(event_classes_.size()));
      event_classes_.push_back({TextOrEmpty(bt_event_class_get_name(event_class)), event_class});
    }
  }
}

Result<uint32_t> CtfReader::ClockNumber(const bt_clock_class* clock_class) {
  const auto known = std::ranges::find(clock_handles_, clock_class);
  if (known != clock_handles_.end()) return static_cast<uint32_t>(known - clock_handles_.begin());
  SYNCLINE_ASSIGN(auto clock, WithOrigin(ClockOf(clock_class), folder()));
  clock_handles_.push_back(clock_class);
  clocks_.push_back(std::move(clock));
  return static_cast<uint32_t>(clocks_.size() - 1);
}

void CtfReader::SetOrigin(uint32_t clock, int64_t origin) {
  clocks_[clock].origin = origin;
  for (const auto& stream : streams_) {
    if (stream->clock_ == clock) stream->origin_ = origin;
  }
}

uint32_t CtfReader::EventClassNumber(const bt_event_class* event_class) const {
  return graph_->class_numbers.at(event_class);
}

std::string CtfReader::Environment(std::string_view name) const {
  if (trace_ == nullptr) return {};
  const bt_value* value =
      bt_trace_borrow_environment_entry_value_by_name_const(trace_, std::string(name).c_str());
  if (value == nullptr || bt_value_get_type(value) != BT_VALUE_TYPE_STRING) return {};
  return bt_value_string_get(value);
}

const CtfEvent* CtfStream::Next() {
  while (!error_) {
    while (batch_next_ < batch_size_) {
      if (Take(batch_[batch_next_++])) return &event_;
    }
    if (!FetchBatch()) break;
  }
  return nullptr;
}

bool CtfStream::FetchBatch() {
  ReleaseBatch();
  if (is_over_) return false;
  const auto status = bt_message_iterator_next(iterator_, &batch_, &batch_size_);
  if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) {
    messages_ += batch_size_;
    if (messages_ <= reader_.most_messages_) return true;
    ReleaseBatch();
    is_over_ = true;
    error_ = Error{ErrorCode::kMalformed,
                   fmt::format("after event {}: there are more events than bits", next_index_),
                   file_.empty() ? reader_.folder() : file_};
    return false;
  }
  // An event that its packet cuts off ends the stream like any other, but with an error.
  const std::optional<std::string> why = TakeAnyCtfError();
  if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_END || why) {
    error_ = Error{ErrorCode::kMalformed,
                   fmt::format("after event {}: {}", next_index_, why.value_or("out of memory")),
                   file_.empty() ? reader_.folder() : file_};
  }
  is_over_ = true;
  batch_size_ = batch_next_ = 0;
  return false;
}

void CtfStream::ReleaseBatch() {
  for (uint64_t i = 0; i < batch_size_; ++i) bt_message_put_ref(batch_[i]);
  batch_size_ = batch_next_ = 0;
}

bool CtfStream::Take(const bt_message* message) {
  switch (bt_message_get_type(message)) {
    case BT_MESSAGE_TYPE_EVENT:
      if (!clock_) return false;
      TakeEvent(message);
      return true;
    case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
    case BT_MESSAGE_TYPE_DISCARDED_PACKETS: TakeLoss(message); return false;
    case BT_MESSAGE_TYPE_PACKET_BEGINNING:
    case BT_MESSAGE_TYPE_PACKET_END: TakeBoundary(message); return false;
    default: return false;
  }
}

void CtfStream::TakeEvent(const bt_message* message) {
  event_.handle = bt_message_event_borrow_event_const(message);
  event_.cycles =
      bt_clock_snapshot_get_value(bt_message_event_borrow_default_clock_snapshot_const(message));
  int64_t ticks = 0;
  if (__builtin_sub_overflow(event_.cycles, origin_, &ticks)) {
    ticks = event_.cycles > static_cast<uint64_t>(INT64_MAX) ? INT64_MAX : INT64_MIN;
    ++defects_.out_of_range;
  }
  event_.time = {ticks};
  if (event_.cycles < last_cycles_) {
    if (defects_.steps_back++ == 0) defects_.first_step = next_index_;
    defects_.largest_step = std::max(defects_.largest_step, last_cycles_ - event_.cycles);
  }
  last_cycles_ = event_.cycles;
  KeepOrder(event_.cycles);
  event_.index = next_index_++;
  const bt_event_class* event_class = bt_event_borrow_class_const(event_.handle);
  if (event_class != last_class_) {
    last_class_ = event_class;
    event_.event_class = reader_.EventClassNumber(event_class);
  }
}

void CtfStream::TakeLoss(const bt_message* message) {
  uint64_t count = 0;
  const bool are_events = bt_message_get_type(message) == BT_MESSAGE_TYPE_DISCARDED_EVENTS;
  const auto availability = are_events ? bt_message_discarded_events_get_count(message, &count)
                                       : bt_message_discarded_packets_get_count(message, &count);
  if (availability != BT_PROPERTY_AVAILABILITY_AVAILABLE) count = 1;
  defects_.loss_is_least |= availability != BT_PROPERTY_AVAILABILITY_AVAILABLE;
  (are_events ? defects_.lost_events : defects_.lost_packets) += count;
}

void CtfStream::TakeBoundary(const bt_message* message) {
  const bt_stream_class* stream_class = bt_stream_borrow_class_const(handle_);
  const bool is_begin = bt_message_get_type(message) == BT_MESSAGE_TYPE_PACKET_BEGINNING;
  const bt_bool has_time =
      is_begin ? bt_stream_class_packets_have_beginning_default_clock_snapshot(stream_class)
               : bt_stream_class_packets_have_end_default_clock_snapshot(stream_class);
  if (has_time == BT_FALSE) return;
  KeepOrder(bt_clock_snapshot_get_value(
      is_begin ? bt_message_packet_beginning_borrow_default_clock_snapshot_const(message)
               : bt_message_packet_end_borrow_default_clock_snapshot_const(message)));
}

void CtfStream::KeepOrder(uint64_t cycles) {
  defects_.is_out_of_order |= cycles < last_in_order_;
  last_in_order_ = cycles;
}

}  // namespace syncline
