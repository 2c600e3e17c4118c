#include "read/otf2/library.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <utility>

namespace syncline {
namespace {

// The first complaint is the cause; those of the callers above it follow.
thread_local std::string first_complaint;

OTF2_ErrorCode KeepComplaint(void* /*user*/, const char* /*file*/, uint64_t /*line*/,
                             const char* /*function*/, OTF2_ErrorCode code, const char* format,
                             va_list arguments) {
  if (!first_complaint.empty()) return code;
  std::array<char, 512> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  first_complaint = OTF2_Error_GetDescription(code);
  if (text[0] != '\0') first_complaint += std::string(": ") + text.data();
  return code;
}

}  // namespace

void CaptureLibraryErrors() {
  static std::once_flag once;
  std::call_once(once, [] { OTF2_Error_RegisterCallback(&KeepComplaint, nullptr); });
}

std::string TakeLibraryError() { return std::exchange(first_complaint, {}); }

Error LibraryFailure(const std::string& what, const std::string& file) {
  const std::string complaint = TakeLibraryError();
  return Error{ErrorCode::kMalformed,
               complaint.empty() ? what : what + " (libotf2: " + complaint + ")", file};
}

Result<ReaderHandle> OpenReader(const std::string& anchor) {
  CaptureLibraryErrors();
  TakeLibraryError();
  ReaderHandle reader(OTF2_Reader_Open(anchor.c_str()));
  if (!reader) return tl::unexpected(LibraryFailure("is no readable OTF2 archive", anchor));
  if (OTF2_Reader_SetSerialCollectiveCallbacks(reader.get()) != OTF2_SUCCESS)
    return tl::unexpected(LibraryFailure("the archive cannot be read serially", anchor));
  return reader;
}

}  // namespace syncline
