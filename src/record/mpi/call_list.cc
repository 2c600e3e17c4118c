#include "record/mpi/call_list.h"

#include <array>

namespace syncline::mpi {
namespace {

struct Described {
  const char* name;
  OTF2_RegionRole role;
};
constexpr std::array kCalls = {
#define SYNCLINE_C(name, count, how, role) Described{"MPI_" #name, OTF2_REGION_ROLE_##role},
#define SYNCLINE_F(name, fortran, ...) SYNCLINE_C(name, __VA_ARGS__)
    SYNCLINE_MPI_CALLS(SYNCLINE_F, SYNCLINE_C)
#undef SYNCLINE_F
#undef SYNCLINE_C
        Described{"syncline exchanges", OTF2_REGION_ROLE_ARTIFICIAL},
};
static_assert(kCalls.size() == static_cast<size_t>(Call::kCount));

}  // namespace

const char* NameOf(Call call) { return kCalls[static_cast<size_t>(call)].name; }
OTF2_RegionRole RoleOf(Call call) { return kCalls[static_cast<size_t>(call)].role; }

}  // namespace syncline::mpi
