// The kinds of OTF2 definition and event records, as lists to apply a macro to; names as in
// read/otf2/event_kinds.h.
#pragma once

#include "read/otf2/event_kinds.h"

// Definitions that may stand in global and in local definition files. Kinds that need special care
// (ClockProperties, ClockOffset) and those of one file alone are not in the list.
#define SYNCLINE_OTF2_DEFINITIONS(X) \
  X(Attribute)                       \
  X(CallingContext)                  \
  X(CallingContextProperty)          \
  X(Callpath)                        \
  X(CallpathParameter)               \
  X(Callsite)                        \
  X(CartCoordinate)                  \
  X(CartDimension)                   \
  X(CartTopology)                    \
  X(Comm)                            \
  X(Group)                           \
  X(InterComm)                       \
  X(InterruptGenerator)              \
  X(IoDirectory)                     \
  X(IoFileProperty)                  \
  X(IoHandle)                        \
  X(IoPreCreatedHandleState)         \
  X(IoRegularFile)                   \
  X(Location)                        \
  X(LocationGroup)                   \
  X(LocationGroupProperty)           \
  X(LocationProperty)                \
  X(MetricClass)                     \
  X(MetricClassRecorder)             \
  X(MetricInstance)                  \
  X(MetricMember)                    \
  X(Parameter)                       \
  X(Region)                          \
  X(RmaWin)                          \
  X(SourceCodeLocation)              \
  X(String)                          \
  X(SystemTreeNode)                  \
  X(SystemTreeNodeDomain)            \
  X(SystemTreeNodeProperty)

// Definitions of the global file alone.
#define SYNCLINE_OTF2_GLOBAL_DEFINITIONS(X) \
  X(IoParadigm)                             \
  X(Paradigm)                               \
  X(ParadigmProperty)

// All events but BufferFlush, which has a second time.
#define SYNCLINE_OTF2_EVENTS(X) \
  SYNCLINE_OTF2_MPI_EVENTS(X)   \
  SYNCLINE_OTF2_OTHER_EVENTS(X)
