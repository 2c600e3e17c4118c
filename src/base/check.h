// CHECK: an invariant of this program. A failed one is our bug, so it aborts with a message.
#pragma once

#include <cstdio>
#include <cstdlib>

#define SYNCLINE_CHECK(condition)                                                          \
  do {                                                                                     \
    if (!(condition)) [[unlikely]] {                                                       \
      std::fprintf(stderr, "%s:%d: internal error: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                        \
    }                                                                                      \
  } while (false)
