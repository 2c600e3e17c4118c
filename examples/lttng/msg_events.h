// The tracepoint provider `msg`: a message is sent, and received. Both events carry the fields that
// make a message unique, so that Syncline finds the pairs by
//   msg:send(id, src, dst) -> msg:recv(id, src, dst)
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER msg

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./msg_events.h"

#if !defined(SYNCLINE_MSG_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define SYNCLINE_MSG_EVENTS_H

#include <cstdint>

#include <lttng/tracepoint.h>

// clang-format off
LTTNG_UST_TRACEPOINT_EVENT_CLASS(msg, message,
  LTTNG_UST_TP_ARGS(uint64_t, id, uint8_t, src, uint8_t, dst),
  LTTNG_UST_TP_FIELDS(
    lttng_ust_field_integer(uint64_t, id, id)
    lttng_ust_field_integer(uint8_t, src, src)
    lttng_ust_field_integer(uint8_t, dst, dst)))

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(msg, message, msg, send,
  LTTNG_UST_TP_ARGS(uint64_t, id, uint8_t, src, uint8_t, dst))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(msg, message, msg, recv,
  LTTNG_UST_TP_ARGS(uint64_t, id, uint8_t, src, uint8_t, dst))
// clang-format on

#endif

#include <lttng/tracepoint-event.h>
