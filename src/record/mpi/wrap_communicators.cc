// How it works: every communicator is told to the recorder as it is made, because members give it
// the same key by counting those made of its parent.

#include <mpi.h>

#include "record/mpi/frame.h"

using syncline::mpi::Call;
using syncline::mpi::Frame;
using syncline::mpi::TheRecorder;

namespace {

// By all members of `parent`.
int Made(Frame& frame, int error, MPI_Comm parent, const MPI_Comm* made) {
  frame.Return(error);
  if (error == MPI_SUCCESS && frame.records()) TheRecorder().AddCommunicatorOf(parent, *made);
  return error;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): the names are MPI's
#pragma GCC visibility push(default)
extern "C" {

int MPI_Comm_dup(MPI_Comm communicator, MPI_Comm* made) {
  Frame frame(Call::kComm_dup);
  return Made(frame, PMPI_Comm_dup(communicator, made), communicator, made);
}

int MPI_Comm_dup_with_info(MPI_Comm communicator, MPI_Info info, MPI_Comm* made) {
  Frame frame(Call::kComm_dup_with_info);
  return Made(frame, PMPI_Comm_dup_with_info(communicator, info, made), communicator, made);
}

int MPI_Comm_idup(MPI_Comm communicator, MPI_Comm* made, MPI_Request* request) {
  Frame frame(Call::kComm_idup);
  const int error = frame.Return(PMPI_Comm_idup(communicator, made, request));
  if (error == MPI_SUCCESS && frame.records())
    TheRecorder().AddCommunicatorLike(*made, communicator);
  return error;
}

int MPI_Comm_split(MPI_Comm communicator, int color, int key, MPI_Comm* made) {
  Frame frame(Call::kComm_split);
  return Made(frame, PMPI_Comm_split(communicator, color, key, made), communicator, made);
}

int MPI_Comm_split_type(MPI_Comm communicator, int type, int key, MPI_Info info, MPI_Comm* made) {
  Frame frame(Call::kComm_split_type);
  return Made(frame, PMPI_Comm_split_type(communicator, type, key, info, made), communicator, made);
}

int MPI_Comm_create(MPI_Comm communicator, MPI_Group group, MPI_Comm* made) {
  Frame frame(Call::kComm_create);
  return Made(frame, PMPI_Comm_create(communicator, group, made), communicator, made);
}

int MPI_Comm_create_group(MPI_Comm communicator, MPI_Group group, int tag, MPI_Comm* made) {
  Frame frame(Call::kComm_create_group);
  const int error = frame.Return(PMPI_Comm_create_group(communicator, group, tag, made));
  if (error == MPI_SUCCESS && frame.records())
    TheRecorder().AddCommunicatorOfGroup(communicator, tag, *made);
  return error;
}

int MPI_Cart_create(MPI_Comm communicator, int dimensions, const int* sizes, const int* periods,
                    int reorder, MPI_Comm* made) {
  Frame frame(Call::kCart_create);
  return Made(frame, PMPI_Cart_create(communicator, dimensions, sizes, periods, reorder, made),
              communicator, made);
}

int MPI_Cart_sub(MPI_Comm communicator, const int* remaining, MPI_Comm* made) {
  Frame frame(Call::kCart_sub);
  return Made(frame, PMPI_Cart_sub(communicator, remaining, made), communicator, made);
}

int MPI_Graph_create(MPI_Comm communicator, int nodes, const int* index, const int* edges,
                     int reorder, MPI_Comm* made) {
  Frame frame(Call::kGraph_create);
  return Made(frame, PMPI_Graph_create(communicator, nodes, index, edges, reorder, made),
              communicator, made);
}

int MPI_Dist_graph_create(MPI_Comm communicator, int n, const int* sources, const int* degrees,
                          const int* destinations, const int* weights, MPI_Info info, int reorder,
                          MPI_Comm* made) {
  Frame frame(Call::kDist_graph_create);
  return Made(frame,
              PMPI_Dist_graph_create(communicator, n, sources, degrees, destinations, weights, info,
                                     reorder, made),
              communicator, made);
}

int MPI_Dist_graph_create_adjacent(MPI_Comm communicator, int indegree, const int* sources,
                                   const int* source_weights, int outdegree,
                                   const int* destinations, const int* weights, MPI_Info info,
                                   int reorder, MPI_Comm* made) {
  Frame frame(Call::kDist_graph_create_adjacent);
  return Made(
      frame,
      PMPI_Dist_graph_create_adjacent(communicator, indegree, sources, source_weights, outdegree,
                                      destinations, weights, info, reorder, made),
      communicator, made);
}

int MPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peer, int remote_leader, int tag,
                         MPI_Comm* made) {
  Frame frame(Call::kIntercomm_create);
  const int error =
      frame.Return(PMPI_Intercomm_create(local, leader, peer, remote_leader, tag, made));
  // The two groups have no communicator in common: it is told by them alone.
  if (error == MPI_SUCCESS && frame.records()) TheRecorder().AddCommunicator(*made, "");
  return error;
}

int MPI_Intercomm_merge(MPI_Comm communicator, int is_high, MPI_Comm* made) {
  Frame frame(Call::kIntercomm_merge);
  return Made(frame, PMPI_Intercomm_merge(communicator, is_high, made), communicator, made);
}

int MPI_Comm_free(MPI_Comm* communicator) {
  Frame frame(Call::kComm_free);
  if (frame.records()) TheRecorder().ForgetCommunicator(*communicator);
  return frame.Return(PMPI_Comm_free(communicator));
}

int MPI_Comm_disconnect(MPI_Comm* communicator) {
  Frame frame(Call::kComm_disconnect);
  if (frame.records()) TheRecorder().ForgetCommunicator(*communicator);
  return frame.Return(PMPI_Comm_disconnect(communicator));
}

}  // extern "C"
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
