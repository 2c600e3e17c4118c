// The work of a process that reads CTF traces for its parent (ctf_child.h).
#pragma once

#include <string>
#include <vector>

#include "base/child_process.h"
#include "read/ctf/ctf_child.h"

namespace syncline {

// Returns when all traces are read, or one cannot be.
void ServeCtfTraces(const ReadableFolders& traces, const std::vector<std::string>& fields,
                    ChildLink& parent);

}  // namespace syncline
