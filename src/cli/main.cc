// syncline
#include <cstdio>
#include <exception>

#include "base/exit_code.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  syncline::PrepareProcess();
  try {
    return syncline::RunProgram({argv, static_cast<size_t>(argc)});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "syncline: %s\n", syncline::WordsOf(error).c_str());
    return syncline::kExitUnreadable;
  }
}
