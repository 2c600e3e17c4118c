#include "record/mpi/definitions.h"

#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace syncline::mpi {
namespace {

constexpr uint64_t kFnvOffset = 0xCBF29CE484222325U;
constexpr uint64_t kFnvPrime = 0x100000001B3U;
constexpr uint32_t kMostCommunicators = uint32_t{1} << 24;

uint64_t Mixed(uint64_t hash, uint64_t value) {
  for (int byte = 0; byte < 8; ++byte) hash = (hash ^ ((value >> (8 * byte)) & 0xFF)) * kFnvPrime;
  return hash;
}

bool ParseCommunicator(std::istringstream& line, CommunicatorDefinition& communicator) {
  if (!(line >> communicator.number >> communicator.key >> communicator.name)) return false;
  std::vector<uint32_t>* list = &communicator.members;
  std::string word;
  while (line >> word) {
    if (word == "|") {
      list = &communicator.remote;
      continue;
    }
    uint32_t member = 0;
    if (!(std::istringstream(word) >> member)) return false;
    list->push_back(member);
  }
  return communicator.number < kMostCommunicators;
}

bool ParseLine(std::istringstream& line, RankDefinitions& process) {
  std::string word;
  line >> word;
  if (word == "rank") return static_cast<bool>(line >> process.rank >> process.ranks);
  if (word == "host") return static_cast<bool>(line >> process.host);
  if (word == "clock") return static_cast<bool>(line >> process.clock);
  if (word == "time") {
    TimePoint& point = process.times.emplace_back();
    return static_cast<bool>(line >> point.ticks >> point.epoch_ns >> point.steady_ns);
  }
  if (word == "offset") {
    OffsetPoint& point = process.offsets.emplace_back();
    return static_cast<bool>(line >> point.ticks >> point.added >> point.uncertainty);
  }
  if (word == "thread") {
    ThreadDefinition& thread = process.threads.emplace_back();
    return static_cast<bool>(line >> thread.events >> thread.first >> thread.last);
  }
  if (word == "communicator") return ParseCommunicator(line, process.communicators.emplace_back());
  return false;
}

}  // namespace

std::string LineOf(const CommunicatorDefinition& communicator) {
  std::string line = fmt::format("communicator {} {} {}", communicator.number, communicator.key,
                                 communicator.name);
  if (!communicator.members.empty())
    line += fmt::format(" {}", fmt::join(communicator.members, " "));
  if (!communicator.remote.empty())
    line += fmt::format(" | {}", fmt::join(communicator.remote, " "));
  return line + "\n";
}

std::string LineOf(const OffsetPoint& point) {
  return fmt::format("offset {} {} {}\n", point.ticks, point.added, point.uncertainty);
}

std::string LineOf(const TimePoint& point) {
  return fmt::format("time {} {} {}\n", point.ticks, point.epoch_ns, point.steady_ns);
}

std::string LineOf(const ThreadDefinition& thread) {
  return fmt::format("thread {} {} {}\n", thread.events, thread.first, thread.last);
}

std::string FirstLines(const RankDefinitions& definitions) {
  return fmt::format("rank {} {}\nhost {}\nclock {}\n", definitions.rank, definitions.ranks,
                     definitions.host, definitions.clock);
}

Result<RankDefinitions> ParseDefinitions(const std::string& text, const std::string& file) {
  RankDefinitions process;
  size_t begin = 0;
  for (uint64_t number = 1;; ++number) {
    const size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;
    std::istringstream line(text.substr(begin, end - begin));
    begin = end + 1;
    if (!ParseLine(line, process)) {
      return Fail(ErrorCode::kMalformed, "a line that the recorder does not write", file,
                  LineColumn{number, 1});
    }
  }
  if (process.ranks == 0 || process.rank >= process.ranks || process.times.empty())
    return Fail(ErrorCode::kMalformed, "ends before the recording began", file);
  return process;
}

GlobalCommunicators Unify(std::span<const RankDefinitions> processes) {
  GlobalCommunicators global;
  std::unordered_map<uint64_t, uint32_t> by_key;
  for (const RankDefinitions& process : processes) {
    for (const CommunicatorDefinition& communicator : process.communicators) {
      if (communicator.members.empty()) continue;
      const auto next = static_cast<uint32_t>(global.all.size());
      if (!by_key.try_emplace(communicator.key, next).second) continue;
      global.all.push_back(communicator);
      global.all.back().number = next;
    }
  }
  for (const RankDefinitions& process : processes) {
    std::vector<uint32_t>& numbers = global.numbers.emplace_back();
    for (const CommunicatorDefinition& communicator : process.communicators) {
      if (numbers.size() <= communicator.number)
        numbers.resize(communicator.number + size_t{1}, GlobalCommunicators::kUnknown);
      const auto found = by_key.find(communicator.key);
      if (found != by_key.end()) numbers[communicator.number] = found->second;
    }
  }
  return global;
}

uint64_t OriginOfChild(uint64_t parent, uint64_t number) {
  return Mixed(Mixed(kFnvOffset, parent), number);
}

uint64_t OriginOfGroup(uint64_t parent, int tag) {
  return Mixed(Mixed(OriginOfChild(parent, UINT64_MAX), static_cast<uint32_t>(tag)), UINT64_MAX);
}

uint64_t CommunicatorKeys::Next(uint64_t origin, std::span<const uint32_t> members,
                                std::span<const uint32_t> remote) {
  uint64_t hash = Mixed(kFnvOffset, origin);
  for (const uint32_t member : members) hash = Mixed(hash, member);
  if (!remote.empty()) hash = Mixed(hash, UINT64_MAX);
  for (const uint32_t member : remote) hash = Mixed(hash, member);
  return Mixed(hash, made_[hash]++);
}

}  // namespace syncline::mpi
