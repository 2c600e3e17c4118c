// Babeltrace's class of message iterators for one of ours: the functions it calls, and their
// object.
//
// Requires of Iterator: a constructor from bt_self_message_iterator*, and Next(messages, capacity,
// count), which fills `messages` with up to `capacity`, puts their number into `count` and returns
// as Babeltrace's own method does. Ownership: the caller puts the class back; Babeltrace makes and
// ends the iterators. Tested by: trace_writer_test.cc, src/cli/convert/convert_folder_test.cc.
#pragma once

#include <babeltrace2/babeltrace.h>

namespace syncline::ctf_write {

// nullptr where no memory is left.
template <typename Iterator>
bt_message_iterator_class* MakeIteratorClass() {
  bt_message_iterator_class* iterators = bt_message_iterator_class_create(
      [](bt_self_message_iterator* self, bt_message_array_const messages, uint64_t capacity,
         uint64_t* count) {
        auto* iterator = static_cast<Iterator*>(bt_self_message_iterator_get_data(self));
        return iterator->Next(messages, capacity, *count);
      });
  if (iterators == nullptr) return nullptr;
  bt_message_iterator_class_set_initialize_method(
      iterators,
      [](bt_self_message_iterator* self, bt_self_message_iterator_configuration* /*configuration*/,
         bt_self_component_port_output* /*port*/) {
        bt_self_message_iterator_set_data(self, new Iterator(self));
        return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
      });
  bt_message_iterator_class_set_finalize_method(iterators, [](bt_self_message_iterator* self) {
    delete static_cast<Iterator*>(bt_self_message_iterator_get_data(self));
  });
  return iterators;
}

}  // namespace syncline::ctf_write
