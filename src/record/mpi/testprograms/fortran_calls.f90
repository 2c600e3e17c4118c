! Calls from Fortran, in each of its three ways to MPI; recording_test.cc counts what is recorded.
subroutine by_include(checksum)
  implicit none
  include 'mpif.h'
  integer, intent(inout) :: checksum
  integer :: rank, ranks, right, left, received, error, requests(2), index, made
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
  integer :: sums(2)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  right = modulo(rank + 1, ranks)
  left = modulo(rank - 1, ranks)
  call MPI_Irecv(received, 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1), error)
  call MPI_Isend(rank, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(2), error)
  call MPI_Waitall(2, requests, statuses, error)
  checksum = checksum + received + statuses(MPI_SOURCE, 1) + statuses(MPI_TAG, 1)
  call MPI_Irecv(received, 1, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, requests(1), error)
  call MPI_Send(rank, 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD, error)
  call MPI_Waitany(1, requests, index, status, error)
  checksum = checksum + received + index + status(MPI_SOURCE)
  sums = (/ rank, 1 /)
  call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), 0, made, error)
  call MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INTEGER, MPI_SUM, made, error)
  call MPI_Comm_free(made, error)
  checksum = checksum + sums(1) + 10 * sums(2)
end subroutine

subroutine by_module(checksum)
  use mpi
  implicit none
  integer, intent(inout) :: checksum
  integer :: rank, ranks, received, error
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, modulo(rank + 1, ranks), 3, received, 1, MPI_INTEGER, &
                    modulo(rank - 1, ranks), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  checksum = checksum + received
end subroutine

subroutine by_module_f08(checksum)
  use mpi_f08
  implicit none
  integer, intent(inout) :: checksum
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
  type(MPI_Comm) :: made
  integer :: rank, ranks, received, total
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Comm_dup(MPI_COMM_WORLD, made)
  call MPI_Irecv(received, 1, MPI_INTEGER, modulo(rank - 1, ranks), 4, made, requests(1))
  call MPI_Isend(rank, 1, MPI_INTEGER, modulo(rank + 1, ranks), 4, made, requests(2))
  call MPI_Wait(requests(1), status)
  call MPI_Waitall(1, requests(2:2), MPI_STATUSES_IGNORE)
  checksum = checksum + received + status%MPI_SOURCE
  call MPI_Send(rank, 1, MPI_INTEGER, modulo(rank + 1, ranks), 5, made)
  call MPI_Recv(received, 1, MPI_INTEGER, MPI_ANY_SOURCE, 5, made, MPI_STATUS_IGNORE)
  checksum = checksum + received
  call MPI_Scan(rank, total, 1, MPI_INTEGER, MPI_SUM, made)
  call MPI_Comm_free(made)
  checksum = checksum + total
end subroutine

program fortran_calls
  use mpi_f08
  implicit none
  integer :: checksum, rank, total
  checksum = 0
  call MPI_Init()
  call by_include(checksum)
  call by_module(checksum)
  call by_module_f08(checksum)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Reduce(checksum, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print *, total
  call MPI_Finalize()
end program
