#include "iterator.h"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "component.h"
#include "read/ctf/library.h"
#include "reorder_window.h"
#include "stream_clock.h"
#include "write/ctf/message_copy.h"

namespace syncline::babeltrace_plugin {
namespace {

using ctf_write::MessageTimes;
using ctf_write::StreamShape;
using MessagePtr = std::unique_ptr<const bt_message, PutRef<bt_message_put_ref>>;
using NextStatus = bt_message_iterator_class_next_method_status;

Result<uint64_t> CyclesOf(const StreamClock& clock, GlobalTime time) {
  if (const auto cycles = clock.ToCycles(time)) return *cycles;
  return Fail(ErrorCode::kUnsupported,
              fmt::format("the corrected time {} ns lies before the origin of the trace's clock, "
                          "where CTF has no times; `syncline sync --write events` moves the origin",
                          time.ns));
}

struct Stream {
  StreamShape shape;
  std::optional<StreamClock> clock;  // none: its messages have no times
  GlobalTime latest = {INT64_MIN};
};

// One input: a stream, or streams merged by their uncorrected times.
struct Input {
  bt_message_iterator* upstream = nullptr;  // null at the end
  std::unordered_map<const bt_stream*, Stream> streams;
  std::vector<StreamClock> clocks;    // that its streams have, each once
  int64_t nominal_ns = INT64_MIN;     // how far the uncorrected times have come
  GlobalTime earliest = {INT64_MIN};  // that can still come
};

class CorrectIterator {
 public:
  CorrectIterator(bt_self_message_iterator* self, const CorrectComponent& component)
      : self_(self), component_(component) {}
  CorrectIterator(const CorrectIterator&) = delete;
  CorrectIterator& operator=(const CorrectIterator&) = delete;
  ~CorrectIterator();

  // To all inputs that are connected.
  bt_message_iterator_class_initialize_method_status Connect();
  NextStatus Next(bt_message_array_const messages, uint64_t capacity, uint64_t& count);

 private:
  NextStatus Fetch(Input& input);
  Result<void> Add(const bt_message* message, Input& input);
  Result<void> BeginStream(const bt_stream* handle, Input& input);
  Result<void> AddTimed(const bt_message* message, Input& input, Stream& stream,
                        MessageTimes recorded);
  static void Advance(Input& input);
  Input* Slowest();

  bt_self_message_iterator* self_;
  const CorrectComponent& component_;
  std::vector<Input> inputs_;
  ReorderWindow<const bt_message*> window_;
  uint64_t raised_ = 0;
};

CorrectIterator::~CorrectIterator() {
  for (const Input& input : inputs_) {
    if (input.upstream != nullptr) bt_message_iterator_put_ref(input.upstream);
  }
  window_.NothingBefore({INT64_MAX});
  while (const auto message = window_.Take()) bt_message_put_ref(*message);
  if (raised_ > 0) {
    Warn(bt_self_message_iterator_borrow_component(self_),
         fmt::format("{} messages came before the ones ahead of them and got their time", raised_));
  }
}

bt_message_iterator_class_initialize_method_status CorrectIterator::Connect() {
  // The library knows its objects by several types of pointers.
  auto* component =
      reinterpret_cast<bt_self_component_filter*>(bt_self_message_iterator_borrow_component(self_));
  const uint64_t ports = bt_component_filter_get_input_port_count(
      bt_self_component_filter_as_component_filter(component));
  for (uint64_t i = 0; i < ports; ++i) {
    bt_self_component_port_input* port =
        bt_self_component_filter_borrow_input_port_by_index(component, i);
    const bt_port* plain =
        bt_port_input_as_port_const(bt_self_component_port_input_as_port_input(port));
    if (bt_port_is_connected(plain) == BT_FALSE) continue;
    const auto status = bt_message_iterator_create_from_message_iterator(
        self_, port, &inputs_.emplace_back().upstream);
    if (status != BT_MESSAGE_ITERATOR_CREATE_FROM_MESSAGE_ITERATOR_STATUS_OK) {
      inputs_.back().upstream = nullptr;
      return static_cast<bt_message_iterator_class_initialize_method_status>(status);
    }
  }
  return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

NextStatus CorrectIterator::Next(bt_message_array_const messages, uint64_t capacity,
                                 uint64_t& count) {
  for (count = 0;;) {
    while (count < capacity) {
      const auto message = window_.Take();
      if (!message) break;
      messages[count++] = *message;
    }
    if (count > 0) return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
    Input* input = Slowest();
    if (input == nullptr) return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END;
    const NextStatus status = Fetch(*input);
    if (status != BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK) return status;
    const Input* slowest = Slowest();
    window_.NothingBefore(slowest == nullptr ? GlobalTime{INT64_MAX} : slowest->earliest);
  }
}

// Of the inputs that have not ended, the one whose next message may be the earliest.
Input* CorrectIterator::Slowest() {
  Input* slowest = nullptr;
  for (Input& input : inputs_) {
    if (input.upstream == nullptr) continue;
    if (slowest == nullptr || input.earliest < slowest->earliest) slowest = &input;
  }
  return slowest;
}

// Puts the input's next messages into the window.
NextStatus CorrectIterator::Fetch(Input& input) {
  bt_message_array_const batch = nullptr;
  uint64_t size = 0;
  const auto status = bt_message_iterator_next(input.upstream, &batch, &size);
  if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_END) {
    bt_message_iterator_put_ref(input.upstream);
    input.upstream = nullptr;
    return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
  }
  if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) return static_cast<NextStatus>(status);
  for (uint64_t i = 0; i < size; ++i) {
    if (const auto added = Add(batch[i], input); !added) {
      while (++i < size) bt_message_put_ref(batch[i]);
      BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_MESSAGE_ITERATOR(self_, "%s",
                                                                 added.error().ToString().c_str());
      return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_ERROR;
    }
  }
  Advance(input);
  return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
}

// Takes over the message.
Result<void> CorrectIterator::Add(const bt_message* message, Input& input) {
  const MessagePtr owned(message);
  const bt_stream* handle = ctf_write::StreamOf(message);
  if (handle == nullptr) return {};
  const bt_message_type type = bt_message_get_type(message);
  if (type == BT_MESSAGE_TYPE_STREAM_BEGINNING) SYNCLINE_TRY(BeginStream(handle, input));
  const auto found = input.streams.find(handle);
  Stream& stream = found->second;
  if (const auto times = ctf_write::TimesOf(message, stream.shape)) {
    return AddTimed(message, input, stream, *times);
  }
  bt_message_get_ref(message);
  window_.Add(stream.latest, message);
  if (type == BT_MESSAGE_TYPE_STREAM_END) input.streams.erase(found);
  return {};
}

Result<void> CorrectIterator::BeginStream(const bt_stream* handle, Input& input) {
  Stream& stream = input.streams[handle];
  stream.shape = ctf_write::ShapeOf(handle);
  if (!stream.shape.has_clock) return {};
  SYNCLINE_ASSIGN(auto clock, component_.ClockOf(handle));
  stream.clock = std::move(clock);
  std::vector<StreamClock>& known = input.clocks;
  if (std::ranges::find(known, *stream.clock) == known.end()) {
    known.push_back(*stream.clock);
  }
  return {};
}

Result<void> CorrectIterator::AddTimed(const bt_message* message, Input& input, Stream& stream,
                                       MessageTimes recorded) {
  const StreamClock& clock = *stream.clock;
  input.nominal_ns = std::max(input.nominal_ns, clock.NominalNs(recorded.first));
  const GlobalTime corrected = clock.Corrected(recorded.first);
  const GlobalTime first = std::max({corrected, stream.latest, input.earliest});
  const GlobalTime last = std::max(first, clock.Corrected(recorded.last));
  if (first > corrected) ++raised_;
  stream.latest = first;
  SYNCLINE_ASSIGN(const auto first_cycles, CyclesOf(clock, first));
  SYNCLINE_ASSIGN(const auto last_cycles, CyclesOf(clock, last));
  const MessageTimes written{first_cycles, last_cycles};
  if (written == recorded) {
    bt_message_get_ref(message);
    window_.Add(first, message);
    return {};
  }
  const bt_message* copy = ctf_write::CopyMessage(self_, message, stream.shape, written);
  if (copy == nullptr) return Fail(ErrorCode::kUnreadable, "out of memory");
  window_.Add(first, copy);
  return {};
}

// An input's uncorrected times do not step back, so that no message to come has an earlier one than
// the latest.
void CorrectIterator::Advance(Input& input) {
  if (input.nominal_ns == INT64_MIN) return;
  GlobalTime bound = {INT64_MAX};
  for (const StreamClock& clock : input.clocks) {
    bound = std::min(bound, clock.EarliestFrom(input.nominal_ns));
  }
  input.earliest = std::max(input.earliest, bound);
}

CorrectIterator* IteratorOf(const bt_self_message_iterator* self) {
  return static_cast<CorrectIterator*>(bt_self_message_iterator_get_data(self));
}

}  // namespace

bt_message_iterator_class_initialize_method_status BeginIterator(
    bt_self_message_iterator* self, bt_self_message_iterator_configuration* /*configuration*/,
    bt_self_component_port_output* /*port*/) {
  try {
    const auto* component = static_cast<const CorrectComponent*>(
        bt_self_component_get_data(bt_self_message_iterator_borrow_component(self)));
    auto iterator = std::make_unique<CorrectIterator>(self, *component);
    const auto status = iterator->Connect();
    if (status == BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK) {
      bt_self_message_iterator_set_data(self, iterator.release());
    }
    return status;
  } catch (const std::bad_alloc&) {
    return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
  }
}

void EndIterator(bt_self_message_iterator* self) { delete IteratorOf(self); }

NextStatus NextMessages(bt_self_message_iterator* self, bt_message_array_const messages,
                        uint64_t capacity, uint64_t* count) {
  try {
    return IteratorOf(self)->Next(messages, capacity, *count);
  } catch (const std::bad_alloc&) {
    return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_MEMORY_ERROR;
  }
}

}  // namespace syncline::babeltrace_plugin
