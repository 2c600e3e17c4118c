// Files under another name: copied, or linked where their bytes stay the same.
//
// Errors: those of reading and writing files, with the name of the one that failed. Tested by:
// src/base/copy_file_test.cc.
#pragma once

#include <string>

#include "syncline/result.h"

namespace syncline {

// Errors: kUsage where `to` exists.
Result<void> CopyFile(const std::string& from, const std::string& to);
// A hard link, or a copy where links are impossible. Never write to `to`: it may be the same file.
Result<void> LinkOrCopy(const std::string& from, const std::string& to);

}  // namespace syncline
