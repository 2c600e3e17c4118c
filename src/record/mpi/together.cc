#include <algorithm>
#include <cstdint>
#include <new>

#include "record/mpi/session.h"

#define OTF2_MPI_USE_PMPI
#include <otf2/OTF2_MPI_Collectives.h>

namespace syncline::mpi {
namespace {

// In pieces, because MPI counts with int.
void Broadcast(std::string& text, int root, MPI_Comm communicator) {
  constexpr size_t kPiece = size_t{1} << 30;
  for (size_t begin = 0; begin < text.size(); begin += kPiece) {
    const size_t size = std::min(kPiece, text.size() - begin);
    PMPI_Bcast(text.data() + begin, static_cast<int>(size), MPI_BYTE, root, communicator);
  }
}

}  // namespace

std::string TextOfFirst(const std::string& own, MPI_Comm communicator) {
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  uint64_t size = own.size();
  PMPI_Bcast(&size, 1, MPI_UINT64_T, 0, communicator);
  std::string text = rank == 0 ? own : std::string(size, '\0');
  Broadcast(text, 0, communicator);
  return text;
}

std::vector<std::string> ShareTexts(const std::string& text, MPI_Comm communicator) {
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(communicator, &rank);
  PMPI_Comm_size(communicator, &size);
  const auto own = static_cast<size_t>(rank);
  std::vector<uint64_t> sizes(static_cast<size_t>(size));
  sizes[own] = text.size();
  PMPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, sizes.data(), 1, MPI_UINT64_T, communicator);
  std::vector<std::string> texts;
  int has_space = 1;
  try {
    for (const uint64_t bytes : sizes) texts.emplace_back(bytes, '\0');
    texts[own] = text;
  } catch (const std::bad_alloc&) {
    has_space = 0;
  }
  PMPI_Allreduce(MPI_IN_PLACE, &has_space, 1, MPI_INT, MPI_MIN, communicator);
  if (has_space == 0) return {};
  for (size_t i = 0; i < texts.size(); ++i) Broadcast(texts[i], static_cast<int>(i), communicator);
  return texts;
}

std::function<OTF2_ErrorCode(OTF2_Archive*)> CollectivesOf(MPI_Comm communicator) {
  return [communicator](OTF2_Archive* archive) {
    return OTF2_MPI_Archive_SetCollectiveCallbacks(archive, communicator, MPI_COMM_NULL);
  };
}

}  // namespace syncline::mpi
