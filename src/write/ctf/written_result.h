// The result of a process that writes CTF, and what is said where it has none.
//
// The library may abort where the disk is full, or end by a signal at a limit on the sizes of
// files. Errors: those of the process; kUnreadable where it failed. Both say so where the disk is
// full. Tested by: src/cli/ctf_full_disk_test.cc.
#pragma once

#include <string>

#include "syncline/result.h"

#include "base/child_process.h"
#include "base/packing.h"

namespace syncline {

// `reason`: as ChildProcess::Receive() says it. `folder`: what was written to.
Error CtfWritingFailure(const std::string& reason, const std::string& folder);
// With what is known about the disk of `folder`.
Error WithFullDisk(Error error, const std::string& folder);

// The next result that the process sends with PackResult().
template <Packable T>
Result<T> ReceiveWritten(ChildProcess& child, const std::string& folder) {
  const auto frame = child.Receive();
  if (!frame) return tl::unexpected(CtfWritingFailure(frame.error().message, folder));
  auto result = UnpackResult<T>(*frame);
  if (!result) return tl::unexpected(WithFullDisk(result.error(), folder));
  return result;
}

}  // namespace syncline
