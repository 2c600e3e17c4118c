// Copies the fields of a Babeltrace event into another event of the same class.
//
// Requires: both are instances of one event class; the new one is not yet frozen.
// Cost: a walk over the fields, some 10 ns per scalar. Errors: false where memory is short.
// Tested by: trace_writer_test.cc (fields of every kind, compared as babeltrace2 prints them).
#pragma once

#include <babeltrace2/babeltrace.h>

namespace syncline::ctf_write {

[[nodiscard]] bool CopyField(const bt_field* from, bt_field* to);

// Common context, specific context and payload.
[[nodiscard]] bool CopyEventFields(const bt_event* from, bt_event* to);

}  // namespace syncline::ctf_write
