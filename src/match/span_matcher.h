// Which spans are ends of messages between machines, and how certain that is.
//
// Spans of one trace name their parents, which may be on other clocks:
//
//   certain   a child begins after its parent began (parent.start → child.start); a consumer after
//             its producer, linked or parent; what fetches messages ends after it instead
//   implied   a call that was answered ends after its server began (server.start → client.end)
//   likely    and after its server ended (server.end → client.end): servers may go on when their
//             answer is out, or notice late that it is, so that no bound may rest on this
//
// A call was answered where its client has a status that only the server gives: of HTTP, unless a
// proxy may have sent it (202, 408, 499, 502, 503, 504) or it only carries a call of another
// system, or gRPC's OK. Where it only says that it is a remote call without error, that is likely:
// calls one way end without an answer. Calls with several servers, as of retries, say nothing of
// any one's answer. An end is left out where the client broke off (error, though the status is
// fine), or the server's span is longer than the client's. Spans on one clock are no messages.
// Memory: 40 bytes per span besides them. Cost: a look-up per span and link. Tested by:
// span_matcher_test.cc.
#pragma once

#include <cstdint>
#include <span>

#include "syncline/diagnostics.h"
#include "syncline/id.h"
#include "syncline/message.h"

#include "model/span_key.h"

namespace syncline {

struct SpanToMatch {
  SpanKey key;
  SpanKey parent;  // invalid: none
  EventRef start;
  EventRef end;
  ClockId clock;
  SpanKind kind = SpanKind::kUnknown;
  bool has_start = false;
  bool has_end = false;
  bool is_error = false;
  bool is_rpc = false;
  bool is_grpc = false;
  bool is_reception = false;  // fetches messages: it may begin before they come
  int16_t http_status = 0;    // 0: not said
  int8_t grpc_status = -1;    // −1: not said
};

struct SpanLink {
  size_t from = 0;  // number of the span that has it
  SpanKey to;
};

struct SpanSinks {
  MessageSink& certain;
  MessageSink& implied;
  MessageSink& likely;
};

struct SpanMatchCounts {
  uint64_t unmatched_sends = 0;     // clients and producers that nothing follows
  uint64_t unmatched_receives = 0;  // spans whose parent is not there
};

// Counts, all info: "calls-unanswered", "answers-uncertain", "answers-of-proxies",
// "calls-with-several-servers", "calls-broken-off", "late-ends", "duplicate-spans",
// "span-ids-ambiguous".
SpanMatchCounts MatchSpans(std::span<const SpanToMatch> spans, std::span<const SpanLink> links,
                           const SpanSinks& sinks, Diagnostics& diagnostics);

}  // namespace syncline
