// How what reading finds travels between processes of an MPI run.
//
// Each Take… gives what the Put… of the same name was given. Tested by: found_parcel_test.cc,
// text_parcel_test.cc.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "syncline/clock.h"
#include "syncline/diagnostics.h"
#include "syncline/result.h"

#include "base/parcel.h"

namespace syncline {

// With the process in which it happened, as "process 3 of 4 on HOST".
Error InProcess(Error error, const std::string& process);
void PutError(const Error& error, Parcel& parcel);
Error TakeError(ParcelReader& parcel);

void PutStrings(std::span<const std::string> strings, Parcel& parcel);
std::vector<std::string> TakeStrings(ParcelReader& parcel);

void PutTraceSet(const TraceSet& traces, Parcel& parcel);
TraceSet TakeTraceSet(ParcelReader& parcel);

void PutDiagnostics(const Diagnostics& diagnostics, Parcel& parcel);
Diagnostics TakeDiagnostics(ParcelReader& parcel);

}  // namespace syncline
