// What the shared library shows of itself.
#pragma once

#define SYNCLINE_EXPORT __attribute__((visibility("default")))
