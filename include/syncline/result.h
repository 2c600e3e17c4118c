// Result<T>: a value, or why an operation failed and where in which file.
//
// No exception crosses a public interface. Defects of a trace that leave it usable are not errors
// but diagnostics (diagnostics.h); broken invariants of this program abort (src/base/check.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <tl/expected.hpp>

#include "syncline/export.h"

namespace syncline {

enum class ErrorCode {
  kUsage,         // the request itself makes no sense (exit code 1)
  kUnreadable,    // a file cannot be opened, read or written (exit code 2)
  kMalformed,     // a file's content breaks its format (exit code 2)
  kUnsupported,   // well-formed, but of a kind this build cannot handle (exit code 2)
  kNoCorrection,  // the inputs do not determine any correction (exit code 4)
  kCancelled,     // the caller said so
};

// Where in a file: a byte offset for binary formats, line and column (both from 1) for text.
struct ByteOffset {
  uint64_t value = 0;
};
struct LineColumn {
  uint64_t line = 0;
  uint64_t column = 0;
};
using Position = std::variant<std::monostate, ByteOffset, LineColumn>;

struct SYNCLINE_EXPORT Error {
  ErrorCode code = ErrorCode::kUnreadable;
  std::string message;    // one sentence without the file name and without a final period
  std::string file = {};  // empty when no file is concerned
  Position position = {};

  // "FILE:LINE:COLUMN: message", "FILE: byte N: message", "FILE: message" or "message".
  std::string ToString() const;
};

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> Fail(ErrorCode code, std::string message, std::string file = {},
                                  Position position = {}) {
  return tl::unexpected<Error>(
      Error{code, std::move(message), std::move(file), std::move(position)});
}

}  // namespace syncline
