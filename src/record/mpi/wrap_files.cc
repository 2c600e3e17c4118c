// How it works: calls on files are regions only; what they send among themselves is not the
// program's.

#include <mpi.h>

#include "record/mpi/frame.h"

using syncline::mpi::Call;
using syncline::mpi::Frame;

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): the names are MPI's
#pragma GCC visibility push(default)
extern "C" {

#define SYNCLINE_REGION(name, parameters, arguments) \
  int MPI_##name parameters {                        \
    Frame frame(Call::k##name);                      \
    return frame.Return(PMPI_##name arguments);      \
  }

SYNCLINE_REGION(File_open,
                (MPI_Comm communicator, const char* filename, int mode, MPI_Info info,
                 MPI_File* file),
                (communicator, filename, mode, info, file))
SYNCLINE_REGION(File_close, (MPI_File * file), (file))
SYNCLINE_REGION(File_delete, (const char* filename, MPI_Info info), (filename, info))
SYNCLINE_REGION(File_set_size, (MPI_File file, MPI_Offset size), (file, size))
SYNCLINE_REGION(File_preallocate, (MPI_File file, MPI_Offset size), (file, size))
SYNCLINE_REGION(File_set_view,
                (MPI_File file, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
                 const char* datarep, MPI_Info info),
                (file, disp, etype, filetype, datarep, info))
SYNCLINE_REGION(File_sync, (MPI_File file), (file))
SYNCLINE_REGION(File_read_at,
                (MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type,
                 MPI_Status* status),
                (file, offset, buffer, count, type, status))
SYNCLINE_REGION(File_read_at_all,
                (MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type,
                 MPI_Status* status),
                (file, offset, buffer, count, type, status))
SYNCLINE_REGION(File_read,
                (MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Status* status),
                (file, buffer, count, type, status))
SYNCLINE_REGION(File_read_all,
                (MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Status* status),
                (file, buffer, count, type, status))
SYNCLINE_REGION(File_read_shared,
                (MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Status* status),
                (file, buffer, count, type, status))
SYNCLINE_REGION(File_read_ordered,
                (MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Status* status),
                (file, buffer, count, type, status))
SYNCLINE_REGION(File_iread_at,
                (MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type,
                 MPI_Request* request),
                (file, offset, buffer, count, type, request))
SYNCLINE_REGION(File_iread_at_all,
                (MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type,
                 MPI_Request* request),
                (file, offset, buffer, count, type, request))
SYNCLINE_REGION(File_iread,
                (MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Request* request),
                (file, buffer, count, type, request))
SYNCLINE_REGION(File_iread_all,
                (MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Request* request),
                (file, buffer, count, type, request))
SYNCLINE_REGION(File_iread_shared,
                (MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Request* request),
                (file, buffer, count, type, request))
SYNCLINE_REGION(File_read_at_all_begin,
                (MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type),
                (file, offset, buffer, count, type))
SYNCLINE_REGION(File_read_at_all_end, (MPI_File file, void* buffer, MPI_Status* status),
                (file, buffer, status))
SYNCLINE_REGION(File_read_all_begin, (MPI_File file, void* buffer, int count, MPI_Datatype type),
                (file, buffer, count, type))
SYNCLINE_REGION(File_read_all_end, (MPI_File file, void* buffer, MPI_Status* status),
                (file, buffer, status))
SYNCLINE_REGION(File_read_ordered_begin,
                (MPI_File file, void* buffer, int count, MPI_Datatype type),
                (file, buffer, count, type))
SYNCLINE_REGION(File_read_ordered_end, (MPI_File file, void* buffer, MPI_Status* status),
                (file, buffer, status))
SYNCLINE_REGION(File_write_at,
                (MPI_File file, MPI_Offset offset, const void* buffer, int count, MPI_Datatype type,
                 MPI_Status* status),
                (file, offset, buffer, count, type, status))
SYNCLINE_REGION(File_write_at_all,
                (MPI_File file, MPI_Offset offset, const void* buffer, int count, MPI_Datatype type,
                 MPI_Status* status),
                (file, offset, buffer, count, type, status))
SYNCLINE_REGION(File_write,
                (MPI_File file, const void* buffer, int count, MPI_Datatype type,
                 MPI_Status* status),
                (file, buffer, count, type, status))
SYNCLINE_REGION(File_write_all,
                (MPI_File file, const void* buffer, int count, MPI_Datatype type,
                 MPI_Status* status),
                (file, buffer, count, type, status))
SYNCLINE_REGION(File_write_shared,
                (MPI_File file, const void* buffer, int count, MPI_Datatype type,
                 MPI_Status* status),
                (file, buffer, count, type, status))
SYNCLINE_REGION(File_write_ordered,
                (MPI_File file, const void* buffer, int count, MPI_Datatype type,
                 MPI_Status* status),
                (file, buffer, count, type, status))
SYNCLINE_REGION(File_iwrite_at,
                (MPI_File file, MPI_Offset offset, const void* buffer, int count, MPI_Datatype type,
                 MPI_Request* request),
                (file, offset, buffer, count, type, request))
SYNCLINE_REGION(File_iwrite_at_all,
                (MPI_File file, MPI_Offset offset, const void* buffer, int count, MPI_Datatype type,
                 MPI_Request* request),
                (file, offset, buffer, count, type, request))
SYNCLINE_REGION(File_iwrite,
                (MPI_File file, const void* buffer, int count, MPI_Datatype type,
                 MPI_Request* request),
                (file, buffer, count, type, request))
SYNCLINE_REGION(File_iwrite_all,
                (MPI_File file, const void* buffer, int count, MPI_Datatype type,
                 MPI_Request* request),
                (file, buffer, count, type, request))
SYNCLINE_REGION(File_iwrite_shared,
                (MPI_File file, const void* buffer, int count, MPI_Datatype type,
                 MPI_Request* request),
                (file, buffer, count, type, request))
SYNCLINE_REGION(File_write_at_all_begin,
                (MPI_File file, MPI_Offset offset, const void* buffer, int count,
                 MPI_Datatype type),
                (file, offset, buffer, count, type))
SYNCLINE_REGION(File_write_at_all_end, (MPI_File file, const void* buffer, MPI_Status* status),
                (file, buffer, status))
SYNCLINE_REGION(File_write_all_begin,
                (MPI_File file, const void* buffer, int count, MPI_Datatype type),
                (file, buffer, count, type))
SYNCLINE_REGION(File_write_all_end, (MPI_File file, const void* buffer, MPI_Status* status),
                (file, buffer, status))
SYNCLINE_REGION(File_write_ordered_begin,
                (MPI_File file, const void* buffer, int count, MPI_Datatype type),
                (file, buffer, count, type))
SYNCLINE_REGION(File_write_ordered_end, (MPI_File file, const void* buffer, MPI_Status* status),
                (file, buffer, status))
#undef SYNCLINE_REGION

}  // extern "C"
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
