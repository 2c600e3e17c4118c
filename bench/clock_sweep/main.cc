// Makes traces of clocks as they really are, with known truth, to measure what bounds are worth. It
// shares no code with the programs measured, nor with `syncline simulate`.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "recording.h"

int main(int argc, char** argv) {
  try {
    syncline::sweep::MakeRun(std::vector<std::string>(argv + 1, argv + argc));
    return 0;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "clock_sweep: %s\n%s", error.what(), syncline::sweep::Usage());
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "clock_sweep: %s\n", error.what());
  }
  return 2;
}
