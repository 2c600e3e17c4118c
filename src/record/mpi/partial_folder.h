// Where a recording is before it is an archive: FOLDER.partial, with the logs in log/ and the
// archive in archive/ until it is whole.
//
// Errors: kUnreadable where the system refuses. Tested by: partial_folder_test.cc.
#pragma once

#include <string>

#include "syncline/result.h"

namespace syncline::mpi {

std::string PartialFolderOf(const std::string& folder);
std::string LogFolderOf(const std::string& folder);
std::string ArchiveFolderOf(const std::string& folder);

// Makes FOLDER.partial/log; where FOLDER or FOLDER.partial is there already, of an earlier run,
// that of FOLDER.2, FOLDER.3 and so on. Returns which.
Result<std::string> MakePartialFolder(const std::string& folder);
void RemovePartialFolder(const std::string& folder);
// The archive becomes FOLDER, the rest disappears.
Result<void> CompletePartialFolder(const std::string& folder);

}  // namespace syncline::mpi
