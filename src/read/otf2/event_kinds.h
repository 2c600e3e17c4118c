// The kinds of OTF2's event records, as lists to apply a macro to.
//
// The names are those of the library, version 3.0: SYNCLINE_X(Enter) can form
// OTF2_EvtWriter_Enter and OTF2_EvtReaderCallbacks_SetEnterCallback. Kinds of later versions reach
// the library's `Unknown` callbacks and are counted. BufferFlush, which has a second time, is in
// neither list.
#pragma once

// Regions and MPI: those with a meaning of their own here.
#define SYNCLINE_OTF2_MPI_EVENTS(X) \
  X(Enter)                          \
  X(Leave)                          \
  X(MpiCollectiveBegin)             \
  X(MpiCollectiveEnd)               \
  X(MpiIrecv)                       \
  X(MpiIrecvRequest)                \
  X(MpiIsend)                       \
  X(MpiIsendComplete)               \
  X(MpiRecv)                        \
  X(MpiRequestCancelled)            \
  X(MpiSend)                        \
  X(NonBlockingCollectiveComplete)  \
  X(NonBlockingCollectiveRequest)

// The others.
#define SYNCLINE_OTF2_OTHER_EVENTS(X) \
  X(CallingContextEnter)              \
  X(CallingContextLeave)              \
  X(CallingContextSample)             \
  X(CommCreate)                       \
  X(CommDestroy)                      \
  X(IoAcquireLock)                    \
  X(IoChangeStatusFlags)              \
  X(IoCreateHandle)                   \
  X(IoDeleteFile)                     \
  X(IoDestroyHandle)                  \
  X(IoDuplicateHandle)                \
  X(IoOperationBegin)                 \
  X(IoOperationCancelled)             \
  X(IoOperationComplete)              \
  X(IoOperationIssued)                \
  X(IoOperationTest)                  \
  X(IoReleaseLock)                    \
  X(IoSeek)                           \
  X(IoTryLock)                        \
  X(MeasurementOnOff)                 \
  X(Metric)                           \
  X(MpiRequestTest)                   \
  X(OmpAcquireLock)                   \
  X(OmpFork)                          \
  X(OmpJoin)                          \
  X(OmpReleaseLock)                   \
  X(OmpTaskComplete)                  \
  X(OmpTaskCreate)                    \
  X(OmpTaskSwitch)                    \
  X(ParameterInt)                     \
  X(ParameterString)                  \
  X(ParameterUnsignedInt)             \
  X(ProgramBegin)                     \
  X(ProgramEnd)                       \
  X(RmaAcquireLock)                   \
  X(RmaAtomic)                        \
  X(RmaCollectiveBegin)               \
  X(RmaCollectiveEnd)                 \
  X(RmaGet)                           \
  X(RmaGroupSync)                     \
  X(RmaOpCompleteBlocking)            \
  X(RmaOpCompleteNonBlocking)         \
  X(RmaOpCompleteRemote)              \
  X(RmaOpTest)                        \
  X(RmaPut)                           \
  X(RmaReleaseLock)                   \
  X(RmaRequestLock)                   \
  X(RmaSync)                          \
  X(RmaTryLock)                       \
  X(RmaWaitChange)                    \
  X(RmaWinCreate)                     \
  X(RmaWinDestroy)                    \
  X(ThreadAcquireLock)                \
  X(ThreadBegin)                      \
  X(ThreadCreate)                     \
  X(ThreadEnd)                        \
  X(ThreadFork)                       \
  X(ThreadJoin)                       \
  X(ThreadReleaseLock)                \
  X(ThreadTaskComplete)               \
  X(ThreadTaskCreate)                 \
  X(ThreadTaskSwitch)                 \
  X(ThreadTeamBegin)                  \
  X(ThreadTeamEnd)                    \
  X(ThreadWait)
