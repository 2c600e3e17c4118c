// Gives complete files and folders their names, several as one: all of them, or none.
//
// What stands in a place is exchanged for what is new in one step of the system, and removed at the
// end. Where a step fails, those before it are taken back. Where the program is killed between
// them, a journal in the folder of the first place tells the rest, and whoever writes there next
// goes on from it. What was changed by others since is left as it is. Of what replaces something,
// all bytes are on the disk before the first name changes.
//
// Journal: kJournalName, locked while its program lives; paths relative to its folder, identities
// of what is to stand there and of what stood there. It can name nothing but files and
// folders with ".partial-" in their names, and places beside these.
// Threads: several runs may share a folder. Errors: kUsage where a place is taken that may not be
// replaced; kUnreadable where the system refuses. Tested by: replace_together_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "syncline/result.h"

#include "base/file.h"

namespace syncline {

inline constexpr const char* kJournalName = ".syncline-journal";

// Of a file, folder or link itself, whatever its name, until it is written to; 0: there is none.
// From its inode number and when it was written, because numbers are used again.
uint64_t IdentityOf(const std::string& path);

Result<void> ReplaceTogether(std::span<const Replacement> changes);
Result<void> CommitTogether(std::span<OutputFile> files);

// Goes on from a journal in this folder, if there is one; how many names it brought about.
Result<size_t> FinishReplacing(const std::string& folder);

}  // namespace syncline
