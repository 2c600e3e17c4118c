// syncline
#include "cli/program.h"

int main(int argc, char** argv) { return syncline::RunProgram({argv, static_cast<size_t>(argc)}); }
