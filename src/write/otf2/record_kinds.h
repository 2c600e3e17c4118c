// The kinds of OTF2 definition and event records, as lists to apply a macro to.
//
// The names are those of the library, version 3.0: SYNCLINE_X(Enter) can form
// OTF2_EvtWriter_Enter and OTF2_EvtReaderCallbacks_SetEnterCallback. Kinds of later versions reach
// the library's `Unknown` callbacks and are counted.
#pragma once

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
#define SYNCLINE_OTF2_EVENTS(X)    \
  X(CallingContextEnter)           \
  X(CallingContextLeave)           \
  X(CallingContextSample)          \
  X(CommCreate)                    \
  X(CommDestroy)                   \
  X(Enter)                         \
  X(IoAcquireLock)                 \
  X(IoChangeStatusFlags)           \
  X(IoCreateHandle)                \
  X(IoDeleteFile)                  \
  X(IoDestroyHandle)               \
  X(IoDuplicateHandle)             \
  X(IoOperationBegin)              \
  X(IoOperationCancelled)          \
  X(IoOperationComplete)           \
  X(IoOperationIssued)             \
  X(IoOperationTest)               \
  X(IoReleaseLock)                 \
  X(IoSeek)                        \
  X(IoTryLock)                     \
  X(Leave)                         \
  X(MeasurementOnOff)              \
  X(Metric)                        \
  X(MpiCollectiveBegin)            \
  X(MpiCollectiveEnd)              \
  X(MpiIrecv)                      \
  X(MpiIrecvRequest)               \
  X(MpiIsend)                      \
  X(MpiIsendComplete)              \
  X(MpiRecv)                       \
  X(MpiRequestCancelled)           \
  X(MpiRequestTest)                \
  X(MpiSend)                       \
  X(NonBlockingCollectiveComplete) \
  X(NonBlockingCollectiveRequest)  \
  X(OmpAcquireLock)                \
  X(OmpFork)                       \
  X(OmpJoin)                       \
  X(OmpReleaseLock)                \
  X(OmpTaskComplete)               \
  X(OmpTaskCreate)                 \
  X(OmpTaskSwitch)                 \
  X(ParameterInt)                  \
  X(ParameterString)               \
  X(ParameterUnsignedInt)          \
  X(ProgramBegin)                  \
  X(ProgramEnd)                    \
  X(RmaAcquireLock)                \
  X(RmaAtomic)                     \
  X(RmaCollectiveBegin)            \
  X(RmaCollectiveEnd)              \
  X(RmaGet)                        \
  X(RmaGroupSync)                  \
  X(RmaOpCompleteBlocking)         \
  X(RmaOpCompleteNonBlocking)      \
  X(RmaOpCompleteRemote)           \
  X(RmaOpTest)                     \
  X(RmaPut)                        \
  X(RmaReleaseLock)                \
  X(RmaRequestLock)                \
  X(RmaSync)                       \
  X(RmaTryLock)                    \
  X(RmaWaitChange)                 \
  X(RmaWinCreate)                  \
  X(RmaWinDestroy)                 \
  X(ThreadAcquireLock)             \
  X(ThreadBegin)                   \
  X(ThreadCreate)                  \
  X(ThreadEnd)                     \
  X(ThreadFork)                    \
  X(ThreadJoin)                    \
  X(ThreadReleaseLock)             \
  X(ThreadTaskComplete)            \
  X(ThreadTaskCreate)              \
  X(ThreadTaskSwitch)              \
  X(ThreadTeamBegin)               \
  X(ThreadTeamEnd)                 \
  X(ThreadWait)
