// How it works: the Fortran bindings of Open MPI call PMPI directly, so each has a wrapper here
// that turns its arguments into C's and calls the C binding, which records; most come from the rows
// of call_list.h. Arguments come by reference, handles as integers; what they become is read off
// the C binding's type. The names are those of gfortran for mpif.h and the module mpi, and the same
// with _f08 for the module mpi_f08, whose types are one integer each and whose error is optional.
// MPICH's Fortran bindings call the C ones by themselves and need nothing.

#include <mpi.h>

#if defined(OPEN_MPI)

#include <vector>

#include "record/mpi/call_list.h"
#include "record/mpi/each_argument.h"

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

MPI_Fint IntegerAt(void* fortran) { return *static_cast<MPI_Fint*>(fortran); }

// One argument of a C binding, from Fortran's reference. Counts, places, flags and indices are the
// same integers.
template <typename T>
struct As {};
int FromFortran(As<int>, void* at) { return IntegerAt(at); }
int* FromFortran(As<int*>, void* at) { return static_cast<int*>(at); }
const int* FromFortran(As<const int*>, void* at) {
  if (at == &mpi_fortran_unweighted_) return MPI_UNWEIGHTED;
  return at == &mpi_fortran_weights_empty_ ? MPI_WEIGHTS_EMPTY : static_cast<const int*>(at);
}
void* FromFortran(As<void*>, void* at) { return BufferOf(at); }
const void* FromFortran(As<const void*>, void* at) { return BufferOf(at); }
MPI_Comm FromFortran(As<MPI_Comm>, void* at) { return PMPI_Comm_f2c(IntegerAt(at)); }
MPI_Datatype FromFortran(As<MPI_Datatype>, void* at) { return PMPI_Type_f2c(IntegerAt(at)); }
MPI_Op FromFortran(As<MPI_Op>, void* at) { return PMPI_Op_f2c(IntegerAt(at)); }
MPI_Group FromFortran(As<MPI_Group>, void* at) { return PMPI_Group_f2c(IntegerAt(at)); }
MPI_Info FromFortran(As<MPI_Info>, void* at) { return PMPI_Info_f2c(IntegerAt(at)); }
MPI_Request FromFortran(As<MPI_Request>, void* at) { return PMPI_Request_f2c(IntegerAt(at)); }
MPI_Message FromFortran(As<MPI_Message>, void* at) { return PMPI_Message_f2c(IntegerAt(at)); }
MPI_Fint ToFortran(MPI_Comm handle) { return PMPI_Comm_c2f(handle); }
MPI_Fint ToFortran(MPI_Request handle) { return PMPI_Request_c2f(handle); }
MPI_Fint ToFortran(MPI_Message handle) { return PMPI_Message_c2f(handle); }

template <typename T>
class Argument {
 public:
  explicit Argument(void* fortran) : value_(FromFortran(As<T>(), fortran)) {}
  T get() const { return value_; }

 private:
  T value_;
};
// One handle that the call reads or makes; what it changed goes back when it ends.
template <typename T>
requires requires(T handle) { ToFortran(handle); }
class Argument<T*> {
 public:
  explicit Argument(void* fortran)
      : fortran_(static_cast<MPI_Fint*>(fortran)), handle_(FromFortran(As<T>(), fortran)) {}
  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;
  ~Argument() { *fortran_ = ToFortran(handle_); }
  T* get() { return &handle_; }

 private:
  MPI_Fint* fortran_;
  T handle_;
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

void SetError(int* error, int value) {
  if (error != nullptr) *error = value;
}

// Fortran counts from 1.
void CountFromOne(int* index) {
  if (*index != MPI_UNDEFINED) ++*index;
}

template <typename... C, typename... Fortran>
int Forward(int (*call)(C...), Fortran... arguments) {
  // What goes back to Fortran does when the temporaries end.
  return call(Argument<C>(arguments).get()...);
}

// The C binding, with Fortran's arguments. The rest converts more than one of them at a time.
template <auto kBinding, typename... Fortran>
int CallBinding(Fortran... arguments) {
  return Forward(kBinding, arguments...);
}
template <>
int CallBinding<&MPI_Startall>(void* count, void* fortran) {
  Requests requests(count, fortran);
  return MPI_Startall(requests.count(), requests.get());
}
template <>
int CallBinding<&MPI_Waitall>(void* count, void* fortran, void* wanted) {
  Requests requests(count, fortran);
  Statuses statuses(requests.count(), wanted);
  return MPI_Waitall(requests.count(), requests.get(), statuses.get());
}
template <>
int CallBinding<&MPI_Testall>(void* count, void* fortran, void* flag, void* wanted) {
  Requests requests(count, fortran);
  Statuses statuses(requests.count(), wanted);
  return MPI_Testall(requests.count(), requests.get(), static_cast<int*>(flag), statuses.get());
}
template <>
int CallBinding<&MPI_Waitany>(void* count, void* fortran, void* at, void* wanted) {
  Requests requests(count, fortran);
  Argument<MPI_Status*> status(wanted);
  auto* index = static_cast<int*>(at);
  const int error = MPI_Waitany(requests.count(), requests.get(), index, status.get());
  CountFromOne(index);
  return error;
}
template <>
int CallBinding<&MPI_Testany>(void* count, void* fortran, void* at, void* flag, void* wanted) {
  Requests requests(count, fortran);
  Argument<MPI_Status*> status(wanted);
  auto* index = static_cast<int*>(at);
  auto* found = static_cast<int*>(flag);
  const int error = MPI_Testany(requests.count(), requests.get(), index, found, status.get());
  if (*found != 0) CountFromOne(index);
  return error;
}
template <auto kSome>
int CallForSome(void* count, void* fortran, void* number, void* places, void* wanted) {
  Requests requests(count, fortran);
  Statuses statuses(requests.count(), wanted);
  auto* completed = static_cast<int*>(number);
  auto* indices = static_cast<int*>(places);
  const int error = kSome(requests.count(), requests.get(), completed, indices, statuses.get());
  for (int i = 0; *completed != MPI_UNDEFINED && i < *completed; ++i) CountFromOne(&indices[i]);
  return error;
}
template <>
int CallBinding<&MPI_Waitsome>(void* count, void* fortran, void* number, void* places,
                               void* wanted) {
  return CallForSome<&MPI_Waitsome>(count, fortran, number, places, wanted);
}
template <>
int CallBinding<&MPI_Testsome>(void* count, void* fortran, void* number, void* places,
                               void* wanted) {
  return CallForSome<&MPI_Testsome>(count, fortran, number, places, wanted);
}
template <>
int CallBinding<&MPI_Alltoallw>(void* sent, void* sent_counts, void* sent_places, void* sent_types,
                                void* received, void* counts, void* places, void* types,
                                void* fortran) {
  MPI_Comm communicator = PMPI_Comm_f2c(IntegerAt(fortran));
  const bool is_in_place = BufferOf(sent) == MPI_IN_PLACE;
  const auto in = is_in_place ? std::vector<MPI_Datatype>() : TypesOf(sent_types, communicator);
  const auto out = TypesOf(types, communicator);
  return MPI_Alltoallw(BufferOf(sent), static_cast<int*>(sent_counts),
                       static_cast<int*>(sent_places), in.data(), BufferOf(received),
                       static_cast<int*>(counts), static_cast<int*>(places), out.data(),
                       communicator);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): the names are MPI's
#pragma GCC visibility push(default)
extern "C" {

#define SYNCLINE_ALSO_F08(name, parameters) \
  void mpi_##name##_f08_ parameters __attribute__((alias("mpi_" #name "_")));
#define SYNCLINE_FORTRAN(name, call, count)                                               \
  void mpi_##name##_(SYNCLINE_EACH##count(SYNCLINE_REFERENCE, ), int* error) {            \
    SetError(error, CallBinding<&MPI_##call>(SYNCLINE_EACH##count(SYNCLINE_ARGUMENT, ))); \
  }                                                                                       \
  SYNCLINE_ALSO_F08(name, (SYNCLINE_EACH##count(SYNCLINE_REFERENCE, ), int* error))
#define SYNCLINE_F(call, name, count, how, role) SYNCLINE_FORTRAN(name, call, count)
#define SYNCLINE_C(...)
SYNCLINE_MPI_CALLS(SYNCLINE_F, SYNCLINE_C)
#undef SYNCLINE_F
#undef SYNCLINE_C
// Those that are no regions.
SYNCLINE_FORTRAN(send_init, Send_init, 7)
SYNCLINE_FORTRAN(ssend_init, Ssend_init, 7)
SYNCLINE_FORTRAN(bsend_init, Bsend_init, 7)
SYNCLINE_FORTRAN(rsend_init, Rsend_init, 7)
SYNCLINE_FORTRAN(recv_init, Recv_init, 7)
SYNCLINE_FORTRAN(request_get_status, Request_get_status, 3)
SYNCLINE_FORTRAN(abort, Abort, 2)

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

}  // extern "C"
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)

#endif  // defined(OPEN_MPI)
