// The official library libotf2: its objects with owners, its errors as text instead of output.
//
// Errors: libotf2 prints what it finds wrong to standard error; once CaptureLibraryErrors() was
// called it is kept per thread instead, and TakeLibraryError() returns the first of it. The
// library's handler is one for the whole program.
// Ownership: a ReaderHandle is one OTF2_Reader with all its readers of definitions and events; it
// may be used from one thread at a time, different ones from different threads.
// Tested by: archive_test.cc, bad_input_test.cc.
#pragma once

#include <memory>
#include <string>

#include <otf2/otf2.h>

#include "syncline/result.h"

namespace syncline {

void CaptureLibraryErrors();
// What the library first complained of in this thread since the last call; empty if nothing.
std::string TakeLibraryError();

struct CloseReader {
  void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
};
using ReaderHandle = std::unique_ptr<OTF2_Reader, CloseReader>;

// `anchor` is the .otf2 file. kMalformed with what the library says.
Result<ReaderHandle> OpenReader(const std::string& anchor);

// An error about `file`: what was being done, and the library's own words.
Error LibraryFailure(const std::string& what, const std::string& file);

template <typename T, auto Delete>
struct DeleteCallbacks {
  void operator()(T* callbacks) const { Delete(callbacks); }
};
using EventCallbacks =
    std::unique_ptr<OTF2_EvtReaderCallbacks,
                    DeleteCallbacks<OTF2_EvtReaderCallbacks, &OTF2_EvtReaderCallbacks_Delete>>;
using LocalDefinitionCallbacks =
    std::unique_ptr<OTF2_DefReaderCallbacks,
                    DeleteCallbacks<OTF2_DefReaderCallbacks, &OTF2_DefReaderCallbacks_Delete>>;
using GlobalDefinitionCallbacks = std::unique_ptr<
    OTF2_GlobalDefReaderCallbacks,
    DeleteCallbacks<OTF2_GlobalDefReaderCallbacks, &OTF2_GlobalDefReaderCallbacks_Delete>>;

}  // namespace syncline
