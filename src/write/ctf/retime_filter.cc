#include "write/ctf/retime_filter.h"

#include <optional>
#include <string>

#include "base/ticks.h"
#include "write/ctf/iterator_class.h"
#include "write/ctf/message_copy.h"

namespace syncline::ctf_write {
namespace {

using NextStatus = bt_message_iterator_class_next_method_status;
using PortStatus = bt_self_component_add_port_status;

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

}  // namespace

Int128 OriginNs(const bt_clock_class* clock) {
  int64_t seconds = 0;
  uint64_t cycles = 0;
  bt_clock_class_get_offset(clock, &seconds, &cycles);
  const Int128 frequency = bt_clock_class_get_frequency(clock);
  return static_cast<Int128>(seconds) * kNsPerSecond +
         FloorDiv(static_cast<Int128>(cycles) * kNsPerSecond, frequency);
}

const bt_component_class_filter* MakeRetimeFilterClass() {
  bt_message_iterator_class* iterators = MakeIteratorClass<RetimingIterator>();
  if (iterators == nullptr) return nullptr;
  bt_component_class_filter* filters =
      bt_component_class_filter_create("syncline-retime", iterators);
  bt_message_iterator_class_put_ref(iterators);
  if (filters != nullptr) bt_component_class_filter_set_initialize_method(filters, BeginFilter);
  return filters;
}

}  // namespace syncline::ctf_write
