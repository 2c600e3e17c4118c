// Where a recording is before it is an archive: FOLDER.partial, with the logs in log/ and the
// archive in archive/ until it is whole.
//
// Errors: kUsage where FOLDER or FOLDER.partial is there already; kUnreadable where the system
// refuses. Tested by: partial_folder_test.cc.
#pragma once

#include <string>

#include "syncline/result.h"

namespace syncline::mpi {

std::string PartialFolderOf(const std::string& folder);
std::string LogFolderOf(const std::string& folder);
std::string ArchiveFolderOf(const std::string& folder);

// FOLDER.partial/log.
Result<void> MakePartialFolder(const std::string& folder);
void RemovePartialFolder(const std::string& folder);
// The archive becomes FOLDER, the rest disappears.
Result<void> CompletePartialFolder(const std::string& folder);

}  // namespace syncline::mpi
