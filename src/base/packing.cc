#include "base/packing.h"

#include <algorithm>

namespace syncline {

void PackError(const Error& error, Packer& packer) {
  packer.Put(error.code);
  packer.PutText(error.message);
  packer.PutText(error.file);
  packer.Put(error.position);
}

Error UnpackError(Unpacker& unpacker) {
  Error error;
  error.code = std::clamp(unpacker.Get<ErrorCode>(), ErrorCode::kUsage, ErrorCode::kNoCorrection);
  error.message = unpacker.GetText();
  error.file = unpacker.GetText();
  error.position = unpacker.Get<Position>();
  if (!unpacker.is_valid()) return {ErrorCode::kMalformed, "a garbled error"};
  return error;
}

}  // namespace syncline
