// For what is written once for calls of any number of arguments:
// SYNCLINE_EACH3(X, call) is X(call, 0), X(call, 1), X(call, 2).
#pragma once

#include <cstddef>
#include <tuple>

#define SYNCLINE_EACH1(X, call) X(call, 0)
#define SYNCLINE_EACH2(X, call) SYNCLINE_EACH1(X, call), X(call, 1)
#define SYNCLINE_EACH3(X, call) SYNCLINE_EACH2(X, call), X(call, 2)
#define SYNCLINE_EACH4(X, call) SYNCLINE_EACH3(X, call), X(call, 3)
#define SYNCLINE_EACH5(X, call) SYNCLINE_EACH4(X, call), X(call, 4)
#define SYNCLINE_EACH6(X, call) SYNCLINE_EACH5(X, call), X(call, 5)
#define SYNCLINE_EACH7(X, call) SYNCLINE_EACH6(X, call), X(call, 6)
#define SYNCLINE_EACH8(X, call) SYNCLINE_EACH7(X, call), X(call, 7)
#define SYNCLINE_EACH9(X, call) SYNCLINE_EACH8(X, call), X(call, 8)
#define SYNCLINE_EACH10(X, call) SYNCLINE_EACH9(X, call), X(call, 9)
#define SYNCLINE_EACH11(X, call) SYNCLINE_EACH10(X, call), X(call, 10)
#define SYNCLINE_EACH12(X, call) SYNCLINE_EACH11(X, call), X(call, 11)
#define SYNCLINE_EACH13(X, call) SYNCLINE_EACH12(X, call), X(call, 12)

// The i-th parameter of a call of C and its name; its name alone; the same as Fortran gives it.
#define SYNCLINE_PARAMETER(call, i) syncline::mpi::ParameterOf<decltype(call), i> a##i
#define SYNCLINE_ARGUMENT(call, i) a##i
#define SYNCLINE_REFERENCE(call, i) void* a##i

namespace syncline::mpi {

template <typename Call>
struct Parameters;
template <typename... T>
struct Parameters<int(T...)> {
  using Types = std::tuple<T...>;
};
template <typename Call, size_t i>
using ParameterOf = std::tuple_element_t<i, typename Parameters<Call>::Types>;

}  // namespace syncline::mpi
