// Spans as they stand in a file, and where in its bytes their times are.
//
// Every byte of a file is part of exactly one piece, in order, so that writing all pieces copies
// the file; times have places of their own in it. Units: nanoseconds since the epoch of the
// machine's clock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/span_key.h"

namespace syncline {

// A time's bytes: digits, or eight bytes in little-endian order. None where length is 0: the span
// does not say it, or says 0, which means the same.
struct TimePlace {
  size_t at = 0;
  size_t length = 0;
  int64_t ns = 0;
  bool IsThere() const { return length > 0; }
};

// Of a process that makes spans: what its attributes say of where it runs.
struct SpanResource {
  // In the order of their rank: the first that is there is the machine.
  enum Attribute : size_t {
    kClockBy,  // what was asked for
    kNode,     // k8s.node.name
    kHostId,
    kHostName,
    kInstance,  // service.instance.id, which is no machine, nor is what follows
    kService,
    kAttributes,
  };
  std::array<std::string, kAttributes> attributes;
  std::vector<std::string> names;  // of all its attributes, where one is asked for
};

// An event of a span, or what Jaeger calls a log.
struct SpanMoment {
  TimePlace time;
  std::string name;
};

struct Span {
  SpanKey key;
  SpanKey parent;              // invalid: none
  std::vector<SpanKey> links;  // to spans that are not its parent
  SpanKind kind = SpanKind::kUnknown;
  bool is_error = false;
  bool is_rpc = false;        // says that it is a remote call of some system
  bool is_grpc = false;       // of gRPC
  bool is_reception = false;  // fetches messages: it may begin before they come
  int64_t http_status = 0;    // 0: not said
  int64_t grpc_status = -1;   // −1: not said
  uint32_t resource = 0;      // in its piece
  TimePlace start;
  TimePlace end;  // of Jaeger the digits of the duration
  std::vector<SpanMoment> moments;
  std::string name;
};

struct SpanPiece {
  std::span<const char> bytes;
  uint64_t offset = 0;      // in the file, unpacked
  bool is_rest = false;     // behind where protobuf was cut off: only to be copied, as what follows
  bool has_others = false;  // protobuf: values that are no spans, as records of logs
  std::vector<SpanResource> resources;
  std::vector<Span> spans;
};

}  // namespace syncline
