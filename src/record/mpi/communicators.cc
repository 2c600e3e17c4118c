#include "record/mpi/communicators.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "record/mpi/recorder.h"

namespace syncline::mpi {

std::vector<uint32_t> Communicators::WorldRanks(MPI_Group group) const {
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> world_ranks(ranks.size());
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, size, ranks.data(), world, world_ranks.data());
  PMPI_Group_free(&world);
  return {world_ranks.begin(), world_ranks.end()};
}

CommunicatorDefinition Communicators::Add(MPI_Comm handle, const char* name, uint64_t origin) {
  Known known;
  known.origin = origin;
  int is_inter = 0;
  PMPI_Comm_test_inter(handle, &is_inter);
  known.info.is_inter = is_inter != 0;
  PMPI_Comm_rank(handle, &known.info.rank);
  PMPI_Comm_size(handle, &known.info.size);
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(handle, &group);
  known.members = WorldRanks(group);
  PMPI_Group_free(&group);
  if (known.info.is_inter) {
    PMPI_Comm_remote_group(handle, &group);
    known.remote = WorldRanks(group);
    PMPI_Group_free(&group);
  }
  if (next_ == 0) {
    own_world_rank_ = static_cast<uint32_t>(known.info.rank);
    world_size_ = static_cast<uint32_t>(known.info.size);
  }
  const auto is_in_world = [this](uint32_t member) { return member < world_size_; };
  known.info.is_of_world = std::ranges::all_of(known.members, is_in_world) &&
                           std::ranges::all_of(known.remote, is_in_world);
  return Define(handle, std::move(known), name);
}

CommunicatorDefinition Communicators::AddLike(MPI_Comm handle, MPI_Comm parent) {
  const std::optional<uint64_t> origin = NextOrigin(parent);
  if (!origin) return {};
  Known known = known_.at(HandleOf(parent));
  known.origin = *origin;
  known.children = 0;
  return Define(handle, std::move(known), "");
}

std::optional<uint64_t> Communicators::NextOrigin(MPI_Comm parent) {
  const auto found = known_.find(HandleOf(parent));
  if (found == known_.end()) return std::nullopt;
  return OriginOfChild(found->second.key, found->second.children++);
}

std::optional<uint64_t> Communicators::OriginOfGroupIn(MPI_Comm parent, int tag) const {
  const auto found = known_.find(HandleOf(parent));
  if (found == known_.end()) return std::nullopt;
  return OriginOfGroup(found->second.key, tag);
}

CommunicatorDefinition Communicators::Define(MPI_Comm handle, Known known, const char* name) {
  // Ranks of processes that are not recorded together with this one.
  constexpr auto kOutside = static_cast<uint32_t>(MPI_UNDEFINED);
  if (std::ranges::count(known.members, kOutside) + std::ranges::count(known.remote, kOutside) > 0)
    return {};
  known.info.number = next_++;
  CommunicatorDefinition definition{.number = known.info.number, .name = name};
  // Both sides list the groups alike.
  const bool is_first = known.remote.empty() || known.members < known.remote;
  const auto& first = is_first ? known.members : known.remote;
  const auto& second = is_first ? known.remote : known.members;
  definition.key = known.key = keys_.Next(known.origin, first, second);
  if (definition.name.empty()) definition.name = fmt::format("communicator-{:x}", definition.key);
  const auto lists =
      std::min(*std::ranges::min_element(known.members),
               known.remote.empty() ? UINT32_MAX : *std::ranges::min_element(known.remote));
  if (lists == own_world_rank_) {
    definition.members = first;
    definition.remote = second;
  }
  known_[HandleOf(handle)] = std::move(known);
  ++generation_;
  return definition;
}

void Communicators::Forget(MPI_Comm handle) {
  known_.erase(HandleOf(handle));
  ++generation_;
}

CommunicatorInfo Communicators::Find(MPI_Comm handle) const {
  const auto found = known_.find(HandleOf(handle));
  return found == known_.end() ? CommunicatorInfo{} : found->second.info;
}

}  // namespace syncline::mpi
