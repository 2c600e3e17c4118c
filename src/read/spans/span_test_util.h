// What tests of the forms of spans have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "read/spans/span_reader.h"

namespace syncline {

// All of a file that is valid: its spans and the resources they refer to, one after the other.
struct ReadSpans {
  std::vector<Span> spans;
  std::vector<SpanResource> resources;  // by span
  std::string bytes;                    // of all pieces
  std::string error;
  Diagnostics diagnostics;
};

inline ReadSpans ReadAllSpans(std::string_view text, std::string clock_by = {}) {
  ReadSpans read;
  auto reader = SpanReader::FromBytes(text, "x", std::move(clock_by));
  if (!reader) {
    read.error = reader.error().ToString();
    return read;
  }
  while (const SpanPiece* piece = reader->Next()) {
    EXPECT_EQ(piece->offset, read.bytes.size());
    for (const Span& span : piece->spans) {
      read.spans.push_back(span);
      read.resources.push_back(piece->resources.at(span.resource));
    }
    read.bytes.append(piece->bytes.data(), piece->bytes.size());
  }
  if (reader->error()) read.error = reader->error()->ToString();
  read.diagnostics = reader->diagnostics();
  return read;
}

}  // namespace syncline
