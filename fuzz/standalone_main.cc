// Replays inputs through a fuzz target without a fuzzer: each argument is a file, or a folder whose
// files are taken in order of name.
//
// Errors: exit code 1 when an argument cannot be read or a folder holds no file, so that a lost
// corpus is noticed. A target that fails does so by crashing; the last line printed names its
// input.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> FilesOf(const fs::path& argument) {
  if (!fs::is_directory(argument)) return {argument};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(argument)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool Replay(const fs::path& path) {
  std::printf("%s\n", path.c_str());
  std::fflush(stdout);
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) return false;
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return true;
}

bool ReplayAll(const fs::path& argument) {
  const std::vector<fs::path> files = FilesOf(argument);
  if (files.empty()) std::fprintf(stderr, "%s: holds no file\n", argument.c_str());
  for (const fs::path& file : files) {
    if (Replay(file)) continue;
    std::fprintf(stderr, "%s: cannot be read\n", file.c_str());
    return false;
  }
  return !files.empty();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FILE|FOLDER...\n", argv[0]);
    return 1;
  }
  try {
    return std::all_of(argv + 1, argv + argc, ReplayAll) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
