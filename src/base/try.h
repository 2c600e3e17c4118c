// Hands the error of a Result on to the caller.
//
//     SYNCLINE_TRY(Write(file));                       of a Result<void>, or where the value is not
//     needed SYNCLINE_ASSIGN(const Header header, Read(file));
//
// Both return from the function they stand in, which returns some Result, when there is an error.
// SYNCLINE_ASSIGN declares or assigns what stands first, so it is no statement for an `if` without
// braces. Tested by: src/base/try_test.cc.
#pragma once

#include <utility>

#include "syncline/result.h"

#define SYNCLINE_TRY(...) SYNCLINE_TRY_BY(SYNCLINE_UNIQUE(tried_), __VA_ARGS__)
#define SYNCLINE_TRY_BY(tried, ...)                    \
  do {                                                 \
    if (auto tried = (__VA_ARGS__); !tried) {          \
      return tl::unexpected(std::move(tried).error()); \
    }                                                  \
  } while (false)

#define SYNCLINE_ASSIGN(target, ...) \
  SYNCLINE_ASSIGN_BY(SYNCLINE_UNIQUE(tried_), target, __VA_ARGS__)
#define SYNCLINE_ASSIGN_BY(tried, target, ...)                 \
  auto tried = (__VA_ARGS__);                                  \
  if (!tried) return tl::unexpected(std::move(tried).error()); \
  target = *std::move(tried)

// A name that no other use has, so that one may stand within another's lambda.
#define SYNCLINE_UNIQUE(name) SYNCLINE_JOINED(name, __COUNTER__)
#define SYNCLINE_JOINED(a, b) SYNCLINE_JOINED_AS_THEY_ARE(a, b)
#define SYNCLINE_JOINED_AS_THEY_ARE(a, b) a##b
