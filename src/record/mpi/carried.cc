#include "record/mpi/carried.h"

#include <array>

namespace syncline::mpi {

Carried::Carried(Regions& regions, uint32_t slot, const void* buffer, int count, MPI_Datatype type)
    : regions_(&regions), buffer_(MPI_BOTTOM), count_(1), type_(type), slot_(slot) {
  const std::array<int, 2> counts = {static_cast<int>(regions.words()), count};
  std::array<MPI_Aint, 2> places = {};
  PMPI_Get_address(regions.Slot(slot_), places.data());
  PMPI_Get_address(const_cast<void*>(buffer), &places[1]);
  const std::array<MPI_Datatype, 2> types = {MPI_INT64_T, type};
  PMPI_Type_create_struct(2, counts.data(), places.data(), types.data(), &type_);
  PMPI_Type_commit(&type_);
}

Carried::~Carried() {
  if (regions_ == nullptr) return;
  PMPI_Type_free(&type_);
  if (!keeps_) regions_->GiveBack(slot_);
}

void TakeOffStamp(const Regions& regions, MPI_Status& status) {
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  const auto stamp = static_cast<MPI_Count>(regions.bytes());
  if (bytes >= stamp) PMPI_Status_set_elements_x(&status, MPI_BYTE, bytes - stamp);
}

}  // namespace syncline::mpi
