// The messages of filter.syncline.correct: those of all its inputs with corrected times, in order.
//
// An input may be one stream, or streams of several hosts merged by the times of their uncorrected
// clocks. What goes out never steps back: messages wait until the corrected time of nothing that
// can still come is earlier, which lasts as long as the clocks are apart. Of a stream that steps
// back itself, messages get the time of the latest before them; these are counted.
// Messages that say an iterator is inactive are left out.
// Tested by: correct_test.cc.
#pragma once

#include <cstdint>

#include <babeltrace2/babeltrace.h>

namespace syncline::babeltrace_plugin {

bt_message_iterator_class_initialize_method_status BeginIterator(
    bt_self_message_iterator* self, bt_self_message_iterator_configuration* configuration,
    bt_self_component_port_output* port);
void EndIterator(bt_self_message_iterator* self);
bt_message_iterator_class_next_method_status NextMessages(bt_self_message_iterator* self,
                                                          bt_message_array_const messages,
                                                          uint64_t capacity, uint64_t* count);

}  // namespace syncline::babeltrace_plugin
