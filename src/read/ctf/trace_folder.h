// Finds the CTF traces below a folder, and says which host a trace comes from.
//
// A trace is a folder with a file `metadata` that holds TSDL, as plain text or in packets of either
// byte order; what lies below a trace (LTTng's index folders) is not searched.
// Hosts are told apart by what the user says, else by the trace's own environment, else by the
// folder; never by the UUID of a clock, which hosts that started from one image can share.
// Errors: kUnreadable for folders that cannot be listed; kUnsupported for CTF 2 metadata.
// Tested by: trace_folder_test.cc.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "syncline/result.h"

namespace syncline {

enum class MetadataKind {
  kNone,       // no CTF metadata
  kPlainText,  // TSDL
  kPackets,    // TSDL in packets
  kCtf2,       // JSON, which libbabeltrace2 2.0 does not read
};
// By the first bytes of a file called `metadata`.
MetadataKind MetadataKindOf(std::span<const std::byte> head);

// kNone where the folder holds no readable file `metadata`.
MetadataKind MetadataKindOfFolder(const std::string& folder);

// The trace folders at or below `folder`, in order of their paths.
Result<std::vector<std::string>> FindCtfTraces(const std::string& folder);

// What a trace's host is called: `given` (NAME=PATH), else the hostname of the trace's environment,
// else the trace folder's own name, passing over the folders that LTTng makes below a session:
// kernel, ust, uid, pid, 64-bit, a user's number.
std::string HostOfTrace(std::string_view given, std::string_view environment_hostname,
                        const std::string& folder);

}  // namespace syncline
