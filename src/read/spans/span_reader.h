// Reads files of spans, whatever their form: OTLP as JSON lines, as a JSON document or as protobuf,
// and Jaeger's JSON.
//
// Errors: those of the file; kMalformed with line and column, of protobuf with the byte.
// Ownership: a piece is valid until the next Next(). Memory: the largest element of
// "resourceSpans", trace of Jaeger, or message of protobuf, at most 1 GiB, and what its spans take
// parsed. Tested by: span_reader_test.cc, fuzz/spans_fuzz.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "syncline/diagnostics.h"
#include "syncline/result.h"

#include "base/file.h"
#include "read/spans/span_piece.h"

namespace syncline {

enum class SpanForm : uint8_t { kOtlpJson, kOtlpProtobuf, kJaegerJson };

// By the first bytes of a file.
std::optional<SpanForm> SpanFormOf(std::span<const std::byte> head);
inline bool LooksLikeSpans(std::span<const std::byte> head) { return SpanFormOf(head).has_value(); }

class SpanReader {
 public:
  // `clock_by`: an attribute that tells machines apart; empty: the usual ones.
  static Result<SpanReader> Open(const std::string& path, std::string clock_by = {});
  // `bytes` must outlive the reader; `name` stands for the file's in errors.
  static Result<SpanReader> FromBytes(std::string_view bytes, std::string name,
                                      std::string clock_by = {});
  SpanReader(SpanReader&&) noexcept;
  SpanReader& operator=(SpanReader&&) noexcept;
  ~SpanReader();

  // The next bytes of the file, with the spans in them; nullptr at the end and at an error.
  const SpanPiece* Next();
  const std::optional<Error>& error() const;
  SpanForm form() const;
  // What a unit of the file's times is: 1, or 1000 of Jaeger.
  int64_t tick_ns() const;
  uint64_t bytes_read() const;
  // Once Next() has returned nullptr: "spans-cut-off", "values-without-spans".
  Diagnostics diagnostics() const;

 private:
  class Walk;
  explicit SpanReader(std::unique_ptr<Walk> walk);
  std::unique_ptr<Walk> walk_;
};

}  // namespace syncline
