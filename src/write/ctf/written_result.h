// The result of a process that writes CTF, and what is said where it has none.
//
// The library may abort where the disk is full, or end by a signal at a limit on the sizes of
// files. Errors: those of the process; kUnreadable where it failed. Both say so where the disk is
// full. Tested by: src/cli/ctf_full_disk_test.cc.
#pragma once

#include <string>

#include "syncline/result.h"

#include "base/child_process.h"
#include "base/parcel.h"

namespace syncline {

// With what is known about the disk of `folder`, which was written to.
Error WithFullDisk(Error error, const std::string& folder);

// The next result that the process sends with FrameWith().
template <typename T>
Result<T> ReceiveWritten(ChildProcess& child, const std::string& folder) {
  const auto frame = child.Receive();
  if (!frame) {
    const std::string why =
        "cannot be written: the CTF library failed (" + frame.error().message + ")";
    return tl::unexpected(WithFullDisk({ErrorCode::kUnreadable, why, folder}, folder));
  }
  auto result = UnpackResult<T>(*frame);
  if (!result) return tl::unexpected(WithFullDisk(result.error(), folder));
  return result;
}

}  // namespace syncline
