#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include <gmock/gmock.h>

// The main of every test program: testing::TempDir() is a folder of this run alone, gone when it
// ends, so that tests of one name in several runs (ctest's jobs, two checkouts) do not meet.
int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  std::string folder = testing::TempDir() + "syncline-test-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    std::cerr << "cannot make the folder " << folder << '\n';
    return 1;
  }
  ::setenv("TEST_TMPDIR", (folder + "/").c_str(), 1);
#ifdef SYNCLINE_SANITIZED
  // Programs that tests start are many: half of what sanitizers add to their start is to note all
  // callers of each allocation and to look for leaks, which tests of the library look for, too.
  ::setenv("ASAN_OPTIONS", "detect_leaks=0:malloc_context_size=1", 0);
#endif
  const int failed = RUN_ALL_TESTS();
  std::error_code left;
  std::filesystem::remove_all(folder, left);
  return failed;
}
