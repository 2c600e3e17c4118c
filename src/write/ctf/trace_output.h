// The place of a new CTF trace: a temporary folder beside it until Commit().
//
// What was there before is moved away first and restored when a rename fails. The temporary folder
// disappears with this object.
// Errors: kUsage where the output exists (unless it may be replaced, and is a CTF trace and nothing
// else) or is the input; kUnreadable where the system refuses. Tested by: trace_output_test.cc.
#pragma once

#include <string>
#include <utility>

#include "syncline/result.h"

#include "base/file.h"

namespace syncline::ctf_write {

class TraceOutput {
 public:
  // `input`: the folder of a trace that must not be touched.
  static Result<TraceOutput> Create(const std::string& folder, const std::string& input,
                                    IfExists if_exists);
  TraceOutput(TraceOutput&& other) noexcept
      : folder_(std::move(other.folder_)),
        temporary_(std::exchange(other.temporary_, {})),
        if_exists_(other.if_exists_) {}
  TraceOutput& operator=(TraceOutput&&) = delete;
  ~TraceOutput();

  // A folder that does not exist yet, to be made.
  std::string place() const { return temporary_ + "/new"; }
  Result<void> Commit();

 private:
  TraceOutput(std::string folder, std::string temporary, IfExists if_exists)
      : folder_(std::move(folder)), temporary_(std::move(temporary)), if_exists_(if_exists) {}
  std::string folder_;
  std::string temporary_;  // empty when moved from
  IfExists if_exists_;
};

}  // namespace syncline::ctf_write
