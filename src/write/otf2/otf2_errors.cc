#include "write/otf2/otf2_errors.h"

#include <array>
#include <cstdio>

namespace syncline::otf2_write {

Otf2Errors::Otf2Errors() : before_(OTF2_Error_RegisterCallback(&Otf2Errors::Note, this)) {}

Otf2Errors::~Otf2Errors() { OTF2_Error_RegisterCallback(before_, nullptr); }

OTF2_ErrorCode Otf2Errors::Note(void* user, const char* /*file*/, uint64_t /*line*/,
                                const char* /*function*/, OTF2_ErrorCode code, const char* format,
                                va_list arguments) {
  auto* self = static_cast<Otf2Errors*>(user);
  self->has_failed_ |= code > OTF2_SUCCESS && code != OTF2_ERROR_INTERRUPTED_BY_CALLBACK;
  if (!self->said_.empty()) return code;
  std::array<char, 512> text = {};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  self->said_ = std::string(OTF2_Error_GetDescription(code)) + " (" + text.data() + ")";
  return code;
}

Result<void> Otf2Errors::Check(OTF2_ErrorCode code, std::string_view what,
                               const std::string& file) {
  if (code == OTF2_SUCCESS && !has_failed_) {
    said_.clear();
    return {};
  }
  if (said_.empty()) said_ = OTF2_Error_GetDescription(code);
  return Failure(what, file);
}

tl::unexpected<Error> Otf2Errors::Failure(std::string_view what, const std::string& file) {
  std::string message(what);
  if (!said_.empty()) message += ": " + said_;
  said_.clear();
  has_failed_ = false;
  return Fail(ErrorCode::kMalformed, std::move(message), file);
}

}  // namespace syncline::otf2_write
