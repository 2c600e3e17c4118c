// What libotf2 says when it fails, as an Error instead of a line on standard error.
//
// Requires: one object at a time in the process, because the library has one error callback.
// Ownership: the callback that was there before comes back with the end of this object.
// Tested by: metadata_writer_test.cc.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <string>
#include <string_view>

#include <otf2/otf2.h>

#include "syncline/result.h"

namespace syncline::otf2_write {

class Otf2Errors {
 public:
  Otf2Errors();
  ~Otf2Errors();
  Otf2Errors(const Otf2Errors&) = delete;
  Otf2Errors& operator=(const Otf2Errors&) = delete;

  // Nothing for success, else "`what`: …" with what the library said first since the last call.
  // Where it says that something failed and returns success, which it does of events that cannot be
  // written to a file, that counts.
  Result<void> Check(OTF2_ErrorCode code, std::string_view what, const std::string& file);
  // Whether Check() of a success would find one.
  bool has_failed() const { return has_failed_; }
  tl::unexpected<Error> Failure(std::string_view what, const std::string& file);

 private:
  static OTF2_ErrorCode Note(void* user, const char* file, uint64_t line, const char* function,
                             OTF2_ErrorCode code, const char* format, va_list arguments);
  std::string said_;
  bool has_failed_ = false;
  OTF2_ErrorCallback before_ = nullptr;
};

}  // namespace syncline::otf2_write
