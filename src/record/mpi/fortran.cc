// How it works: the Fortran bindings of Open MPI call PMPI directly, so each has a wrapper here
// that turns its arguments into C's and calls the C binding, which records. Arguments come by
// reference, handles as integers; what they become is read off the C binding's type. The names are
// those of gfortran for mpif.h and the module mpi, and the same with _f08 for the module mpi_f08,
// whose types are one integer each and whose error is optional. MPICH's Fortran bindings call the C
// ones by themselves and need nothing.

#include <mpi.h>

#if defined(OPEN_MPI)

#include <type_traits>
#include <vector>

// NOLINTBEGIN(readability-identifier-naming): the names are Open MPI's
extern "C" {
// Addresses with a meaning, in Open MPI's library for Fortran, which C programs do not load.
extern int mpi_fortran_bottom_ __attribute__((weak));
extern int mpi_fortran_in_place_ __attribute__((weak));
extern int mpi_fortran_status_ignore_ __attribute__((weak));
extern int mpi_fortran_statuses_ignore_ __attribute__((weak));
extern int mpi_fortran_unweighted_ __attribute__((weak));
extern int mpi_fortran_weights_empty_ __attribute__((weak));
}
// NOLINTEND(readability-identifier-naming)

namespace {

void* BufferOf(void* buffer) {
  if (buffer == &mpi_fortran_bottom_) return MPI_BOTTOM;
  return buffer == &mpi_fortran_in_place_ ? MPI_IN_PLACE : buffer;
}

MPI_Comm ToC(MPI_Comm, MPI_Fint handle) { return PMPI_Comm_f2c(handle); }
MPI_Datatype ToC(MPI_Datatype, MPI_Fint handle) { return PMPI_Type_f2c(handle); }
MPI_Op ToC(MPI_Op, MPI_Fint handle) { return PMPI_Op_f2c(handle); }
MPI_Group ToC(MPI_Group, MPI_Fint handle) { return PMPI_Group_f2c(handle); }
MPI_Info ToC(MPI_Info, MPI_Fint handle) { return PMPI_Info_f2c(handle); }
MPI_Request ToC(MPI_Request, MPI_Fint handle) { return PMPI_Request_f2c(handle); }
MPI_Message ToC(MPI_Message, MPI_Fint handle) { return PMPI_Message_f2c(handle); }
MPI_Fint ToFortran(MPI_Comm handle) { return PMPI_Comm_c2f(handle); }
MPI_Fint ToFortran(MPI_Request handle) { return PMPI_Request_c2f(handle); }
MPI_Fint ToFortran(MPI_Message handle) { return PMPI_Message_c2f(handle); }

// One argument of a C binding, from Fortran's reference; what the call changed goes back when it
// ends. Handles by value.
template <typename T>
class Argument {
 public:
  explicit Argument(void* fortran) : value_(ToC(T(), *static_cast<MPI_Fint*>(fortran))) {}
  T get() { return value_; }

 private:
  T value_;
};
template <>
class Argument<int> {
 public:
  explicit Argument(void* fortran) : value_(*static_cast<MPI_Fint*>(fortran)) {}
  int get() const { return value_; }

 private:
  int value_;
};
// Counts, places, flags and indices are the same integers.
template <>
class Argument<int*> {
 public:
  explicit Argument(void* fortran) : value_(static_cast<int*>(fortran)) {}
  int* get() const { return value_; }

 private:
  int* value_;
};
template <>
class Argument<const int*> {
 public:
  explicit Argument(void* fortran) : value_(static_cast<const int*>(fortran)) {
    if (fortran == &mpi_fortran_unweighted_) value_ = MPI_UNWEIGHTED;
    if (fortran == &mpi_fortran_weights_empty_) value_ = MPI_WEIGHTS_EMPTY;
  }
  const int* get() const { return value_; }

 private:
  const int* value_;
};
template <>
class Argument<void*> {
 public:
  explicit Argument(void* fortran) : value_(BufferOf(fortran)) {}
  void* get() const { return value_; }

 private:
  void* value_;
};
template <>
class Argument<const void*> : public Argument<void*> {
 public:
  using Argument<void*>::Argument;
};
template <>
class Argument<MPI_Status*> {
 public:
  explicit Argument(void* fortran)
      : fortran_(fortran == &mpi_fortran_status_ignore_ ? nullptr
                                                        : static_cast<MPI_Fint*>(fortran)) {}
  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;
  ~Argument() {
    if (fortran_ != nullptr) PMPI_Status_c2f(&status_, fortran_);
  }
  MPI_Status* get() { return fortran_ == nullptr ? MPI_STATUS_IGNORE : &status_; }

 private:
  MPI_Fint* fortran_;
  MPI_Status status_ = {};
};
// One handle that the call reads or makes.
template <typename T>
class HandleArgument {
 public:
  explicit HandleArgument(void* fortran)
      : fortran_(static_cast<MPI_Fint*>(fortran)), handle_(ToC(T(), *fortran_)) {}
  HandleArgument(const HandleArgument&) = delete;
  HandleArgument& operator=(const HandleArgument&) = delete;
  ~HandleArgument() { *fortran_ = ToFortran(handle_); }
  T* get() { return &handle_; }

 private:
  MPI_Fint* fortran_;
  T handle_;
};
template <>
class Argument<MPI_Comm*> : public HandleArgument<MPI_Comm> {
 public:
  using HandleArgument::HandleArgument;
};
template <>
class Argument<MPI_Request*> : public HandleArgument<MPI_Request> {
 public:
  using HandleArgument::HandleArgument;
};
template <>
class Argument<MPI_Message*> : public HandleArgument<MPI_Message> {
 public:
  using HandleArgument::HandleArgument;
};

void SetError(int* error, int value) {
  if (error != nullptr) *error = value;
}

template <typename... C, typename... Fortran>
void Forward(int (*call)(C...), int* error, Fortran... arguments) {
  static_assert(sizeof...(C) == sizeof...(Fortran));
  // What goes back to Fortran does when the temporaries end.
  const int result = call(Argument<C>(arguments).get()...);
  SetError(error, result);
}

// Of calls that complete several operations.
class Requests {
 public:
  Requests(const void* count, void* fortran)
      : fortran_(static_cast<MPI_Fint*>(fortran)),
        handles_(static_cast<size_t>(*static_cast<const MPI_Fint*>(count))) {
    for (size_t i = 0; i < handles_.size(); ++i) handles_[i] = PMPI_Request_f2c(fortran_[i]);
  }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  ~Requests() {
    for (size_t i = 0; i < handles_.size(); ++i) fortran_[i] = PMPI_Request_c2f(handles_[i]);
  }
  int count() const { return static_cast<int>(handles_.size()); }
  MPI_Request* get() { return handles_.data(); }

 private:
  MPI_Fint* fortran_;
  std::vector<MPI_Request> handles_;
};

class Statuses {
 public:
  Statuses(int count, void* fortran)
      : fortran_(fortran == &mpi_fortran_statuses_ignore_ ? nullptr
                                                          : static_cast<MPI_Fint*>(fortran)),
        statuses_(fortran_ == nullptr ? 0 : static_cast<size_t>(count)) {}
  Statuses(const Statuses&) = delete;
  Statuses& operator=(const Statuses&) = delete;
  ~Statuses() {
    constexpr size_t kInts = sizeof(MPI_Status) / sizeof(MPI_Fint);
    for (size_t i = 0; i < statuses_.size(); ++i)
      PMPI_Status_c2f(&statuses_[i], fortran_ + i * kInts);
  }
  MPI_Status* get() { return fortran_ == nullptr ? MPI_STATUSES_IGNORE : statuses_.data(); }

 private:
  MPI_Fint* fortran_;
  std::vector<MPI_Status> statuses_;
};

std::vector<MPI_Datatype> TypesOf(const void* fortran, MPI_Comm communicator) {
  int size = 0;
  int is_inter = 0;
  PMPI_Comm_test_inter(communicator, &is_inter);
  if (is_inter != 0) {
    PMPI_Comm_remote_size(communicator, &size);
  } else {
    PMPI_Comm_size(communicator, &size);
  }
  std::vector<MPI_Datatype> types;
  for (int i = 0; i < size; ++i)
    types.push_back(PMPI_Type_f2c(static_cast<const MPI_Fint*>(fortran)[i]));
  return types;
}

// Fortran counts from 1.
void CountFromOne(int* index) {
  if (*index != MPI_UNDEFINED) ++*index;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): the names are MPI's
#pragma GCC visibility push(default)
extern "C" {

#define SYNCLINE_ARGS1(d) d a
#define SYNCLINE_ARGS2(d) SYNCLINE_ARGS1(d), d b
#define SYNCLINE_ARGS3(d) SYNCLINE_ARGS2(d), d c
#define SYNCLINE_ARGS4(d) SYNCLINE_ARGS3(d), d e
#define SYNCLINE_ARGS5(d) SYNCLINE_ARGS4(d), d f
#define SYNCLINE_ARGS6(d) SYNCLINE_ARGS5(d), d g
#define SYNCLINE_ARGS7(d) SYNCLINE_ARGS6(d), d h
#define SYNCLINE_ARGS8(d) SYNCLINE_ARGS7(d), d i
#define SYNCLINE_ARGS9(d) SYNCLINE_ARGS8(d), d j
#define SYNCLINE_ARGS10(d) SYNCLINE_ARGS9(d), d k
#define SYNCLINE_ARGS11(d) SYNCLINE_ARGS10(d), d l
#define SYNCLINE_ARGS12(d) SYNCLINE_ARGS11(d), d m
// NAME of Fortran, the C binding, how many arguments it has.
#define SYNCLINE_FORTRAN(name, call, count)                       \
  void mpi_##name##_(SYNCLINE_ARGS##count(void*), int* error) {   \
    Forward(&MPI_##call, error, SYNCLINE_ARGS##count());          \
  }                                                               \
  void mpi_##name##_f08_(SYNCLINE_ARGS##count(void*), int* error) \
      __attribute__((alias("mpi_" #name "_")));

SYNCLINE_FORTRAN(send, Send, 6)
SYNCLINE_FORTRAN(ssend, Ssend, 6)
SYNCLINE_FORTRAN(bsend, Bsend, 6)
SYNCLINE_FORTRAN(rsend, Rsend, 6)
SYNCLINE_FORTRAN(recv, Recv, 7)
SYNCLINE_FORTRAN(sendrecv, Sendrecv, 12)
SYNCLINE_FORTRAN(sendrecv_replace, Sendrecv_replace, 9)
SYNCLINE_FORTRAN(isend, Isend, 7)
SYNCLINE_FORTRAN(issend, Issend, 7)
SYNCLINE_FORTRAN(ibsend, Ibsend, 7)
SYNCLINE_FORTRAN(irsend, Irsend, 7)
SYNCLINE_FORTRAN(irecv, Irecv, 7)
SYNCLINE_FORTRAN(send_init, Send_init, 7)
SYNCLINE_FORTRAN(ssend_init, Ssend_init, 7)
SYNCLINE_FORTRAN(bsend_init, Bsend_init, 7)
SYNCLINE_FORTRAN(rsend_init, Rsend_init, 7)
SYNCLINE_FORTRAN(recv_init, Recv_init, 7)
SYNCLINE_FORTRAN(start, Start, 1)
SYNCLINE_FORTRAN(probe, Probe, 4)
SYNCLINE_FORTRAN(iprobe, Iprobe, 5)
SYNCLINE_FORTRAN(mprobe, Mprobe, 5)
SYNCLINE_FORTRAN(improbe, Improbe, 6)
SYNCLINE_FORTRAN(mrecv, Mrecv, 5)
SYNCLINE_FORTRAN(imrecv, Imrecv, 5)
SYNCLINE_FORTRAN(wait, Wait, 2)
SYNCLINE_FORTRAN(test, Test, 3)
SYNCLINE_FORTRAN(cancel, Cancel, 1)
SYNCLINE_FORTRAN(request_get_status, Request_get_status, 3)
SYNCLINE_FORTRAN(request_free, Request_free, 1)
SYNCLINE_FORTRAN(barrier, Barrier, 1)
SYNCLINE_FORTRAN(bcast, Bcast, 5)
SYNCLINE_FORTRAN(gather, Gather, 8)
SYNCLINE_FORTRAN(gatherv, Gatherv, 9)
SYNCLINE_FORTRAN(scatter, Scatter, 8)
SYNCLINE_FORTRAN(scatterv, Scatterv, 9)
SYNCLINE_FORTRAN(allgather, Allgather, 7)
SYNCLINE_FORTRAN(allgatherv, Allgatherv, 8)
SYNCLINE_FORTRAN(alltoall, Alltoall, 7)
SYNCLINE_FORTRAN(alltoallv, Alltoallv, 9)
SYNCLINE_FORTRAN(reduce, Reduce, 7)
SYNCLINE_FORTRAN(allreduce, Allreduce, 6)
SYNCLINE_FORTRAN(reduce_scatter, Reduce_scatter, 6)
SYNCLINE_FORTRAN(reduce_scatter_block, Reduce_scatter_block, 6)
SYNCLINE_FORTRAN(scan, Scan, 6)
SYNCLINE_FORTRAN(exscan, Exscan, 6)
SYNCLINE_FORTRAN(ibarrier, Ibarrier, 2)
SYNCLINE_FORTRAN(ibcast, Ibcast, 6)
SYNCLINE_FORTRAN(igather, Igather, 9)
SYNCLINE_FORTRAN(igatherv, Igatherv, 10)
SYNCLINE_FORTRAN(iscatter, Iscatter, 9)
SYNCLINE_FORTRAN(iscatterv, Iscatterv, 10)
SYNCLINE_FORTRAN(iallgather, Iallgather, 8)
SYNCLINE_FORTRAN(iallgatherv, Iallgatherv, 9)
SYNCLINE_FORTRAN(ialltoall, Ialltoall, 8)
SYNCLINE_FORTRAN(ialltoallv, Ialltoallv, 10)
SYNCLINE_FORTRAN(ireduce, Ireduce, 8)
SYNCLINE_FORTRAN(iallreduce, Iallreduce, 7)
SYNCLINE_FORTRAN(ireduce_scatter, Ireduce_scatter, 7)
SYNCLINE_FORTRAN(ireduce_scatter_block, Ireduce_scatter_block, 7)
SYNCLINE_FORTRAN(iscan, Iscan, 7)
SYNCLINE_FORTRAN(iexscan, Iexscan, 7)
SYNCLINE_FORTRAN(comm_dup, Comm_dup, 2)
SYNCLINE_FORTRAN(comm_dup_with_info, Comm_dup_with_info, 3)
SYNCLINE_FORTRAN(comm_idup, Comm_idup, 3)
SYNCLINE_FORTRAN(comm_split, Comm_split, 4)
SYNCLINE_FORTRAN(comm_split_type, Comm_split_type, 5)
SYNCLINE_FORTRAN(comm_create, Comm_create, 3)
SYNCLINE_FORTRAN(comm_create_group, Comm_create_group, 4)
SYNCLINE_FORTRAN(cart_create, Cart_create, 6)
SYNCLINE_FORTRAN(cart_sub, Cart_sub, 3)
SYNCLINE_FORTRAN(graph_create, Graph_create, 6)
SYNCLINE_FORTRAN(dist_graph_create, Dist_graph_create, 9)
SYNCLINE_FORTRAN(dist_graph_create_adjacent, Dist_graph_create_adjacent, 10)
SYNCLINE_FORTRAN(intercomm_create, Intercomm_create, 6)
SYNCLINE_FORTRAN(intercomm_merge, Intercomm_merge, 3)
SYNCLINE_FORTRAN(comm_free, Comm_free, 1)
SYNCLINE_FORTRAN(comm_disconnect, Comm_disconnect, 1)
SYNCLINE_FORTRAN(abort, Abort, 2)

// The rest converts more than one argument at a time.
#define SYNCLINE_ALSO_F08(name, parameters) \
  void mpi_##name##_f08_ parameters __attribute__((alias("mpi_" #name "_")));

void mpi_init_(int* error) { SetError(error, MPI_Init(nullptr, nullptr)); }
SYNCLINE_ALSO_F08(init, (int* error))

void mpi_init_thread_(const int* required, int* provided, int* error) {
  SetError(error, MPI_Init_thread(nullptr, nullptr, *required, provided));
}
SYNCLINE_ALSO_F08(init_thread, (const int* required, int* provided, int* error))

void mpi_finalize_(int* error) { SetError(error, MPI_Finalize()); }
SYNCLINE_ALSO_F08(finalize, (int* error))

void mpi_buffer_attach_(void* buffer, const int* size, int* error) {
  SetError(error, MPI_Buffer_attach(buffer, *size));
}
SYNCLINE_ALSO_F08(buffer_attach, (void* buffer, const int* size, int* error))

// Only the module mpi_f08 says where the buffer was.
void mpi_buffer_detach_(void* /*buffer*/, int* size, int* error) {
  void* detached = nullptr;
  SetError(error, MPI_Buffer_detach(&detached, size));
}
void mpi_buffer_detach_f08_(void* buffer, int* size, int* error) {
  SetError(error, MPI_Buffer_detach(buffer, size));
}

void mpi_startall_(const int* count, void* fortran, int* error) {
  Requests requests(count, fortran);
  SetError(error, MPI_Startall(requests.count(), requests.get()));
}
SYNCLINE_ALSO_F08(startall, (const int* count, void* fortran, int* error))

void mpi_waitall_(const int* count, void* fortran, void* wanted, int* error) {
  Requests requests(count, fortran);
  Statuses statuses(*count, wanted);
  SetError(error, MPI_Waitall(requests.count(), requests.get(), statuses.get()));
}
SYNCLINE_ALSO_F08(waitall, (const int* count, void* fortran, void* wanted, int* error))

void mpi_testall_(const int* count, void* fortran, int* flag, void* wanted, int* error) {
  Requests requests(count, fortran);
  Statuses statuses(*count, wanted);
  SetError(error, MPI_Testall(requests.count(), requests.get(), flag, statuses.get()));
}
SYNCLINE_ALSO_F08(testall, (const int* count, void* fortran, int* flag, void* wanted, int* error))

void mpi_waitany_(const int* count, void* fortran, int* index, void* wanted, int* error) {
  Requests requests(count, fortran);
  Argument<MPI_Status*> status(wanted);
  SetError(error, MPI_Waitany(requests.count(), requests.get(), index, status.get()));
  CountFromOne(index);
}
SYNCLINE_ALSO_F08(waitany, (const int* count, void* fortran, int* index, void* wanted, int* error))

void mpi_testany_(const int* count, void* fortran, int* index, int* flag, void* wanted,
                  int* error) {
  Requests requests(count, fortran);
  Argument<MPI_Status*> status(wanted);
  SetError(error, MPI_Testany(requests.count(), requests.get(), index, flag, status.get()));
  if (*flag != 0) CountFromOne(index);
}
SYNCLINE_ALSO_F08(testany, (const int* count, void* fortran, int* index, int* flag, void* wanted,
                            int* error))

#define SYNCLINE_SOME(name, call)                                                                  \
  void mpi_##name##_(const int* count, void* fortran, int* completed, int* indices, void* wanted,  \
                     int* error) {                                                                 \
    Requests requests(count, fortran);                                                             \
    Statuses statuses(*count, wanted);                                                             \
    SetError(error,                                                                                \
             MPI_##call(requests.count(), requests.get(), completed, indices, statuses.get()));    \
    for (int i = 0; *completed != MPI_UNDEFINED && i < *completed; ++i) CountFromOne(&indices[i]); \
  }                                                                                                \
  SYNCLINE_ALSO_F08(name, (const int* count, void* fortran, int* completed, int* indices,          \
                           void* wanted, int* error))
SYNCLINE_SOME(waitsome, Waitsome)
SYNCLINE_SOME(testsome, Testsome)

#define SYNCLINE_ALLTOALLW_ARGS                                                       \
  void *sent, const int *sent_counts, const int *sent_places, const void *sent_types, \
      void *received, const int *counts, const int *places, const void *types,        \
      const MPI_Fint *fortran
void mpi_alltoallw_(SYNCLINE_ALLTOALLW_ARGS, int* error) {
  MPI_Comm communicator = PMPI_Comm_f2c(*fortran);
  const bool is_in_place = BufferOf(sent) == MPI_IN_PLACE;
  const auto in = is_in_place ? std::vector<MPI_Datatype>() : TypesOf(sent_types, communicator);
  const auto out = TypesOf(types, communicator);
  SetError(error, MPI_Alltoallw(BufferOf(sent), sent_counts, sent_places, in.data(),
                                BufferOf(received), counts, places, out.data(), communicator));
}
SYNCLINE_ALSO_F08(alltoallw, (SYNCLINE_ALLTOALLW_ARGS, int* error))

}  // extern "C"
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)

#endif  // defined(OPEN_MPI)
