// Prints the page of the papers' experiments, in Markdown.
#include <cstdio>

#include <fmt/format.h>

#include "experiments/page.h"

int main() {
  const auto page = syncline::ExperimentsPage();
  if (!page) {
    fmt::print(stderr, "logical_experiments: {}\n", page.error().ToString());
    return 1;
  }
  fmt::print("{}", *page);
  return std::fflush(stdout) == 0 ? 0 : 1;
}
