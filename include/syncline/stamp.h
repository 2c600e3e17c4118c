/* Time stamps in running programs: a few nanoseconds each, written as a text trace that Syncline
 * reads.
 *
 * A process has one recording: start, register each thread that stamps, stamp, stop, write. Each
 * thread is a process of the trace; all share one clock, the processor's counter, whose frequency
 * is bounded by readings at start and stop.
 *
 * Units: nanoseconds; sizes in bytes. Sign: offset = own - peer, positive: own clock ahead.
 * Errors: every function returns 0 (or a handle of 0 or more), or a negative value of enum
 * syncline_stamp_status; syncline_stamp_error() says more. A stamp that was not kept says so, and
 * is counted. Threads: all functions may be called in any thread at any time, but not in a signal
 * handler. Ownership: strings are copied. Requires, of programs that fork: the child writes its
 * recording, which begins as a copy of the parent's, to a file of its own.
 * Cost: a stamp takes no lock and no memory, and makes no system call where the processor's counter
 * is used. Tested by: src/record/stamp/ (stamp_use_test.c uses only what stands here).
 */
/* The names follow the habits of C. */
/* NOLINTBEGIN(readability-identifier-naming,modernize-deprecated-headers) */
#ifndef SYNCLINE_STAMP_H_
#define SYNCLINE_STAMP_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SYNCLINE_STAMP_API __attribute__((visibility("default")))
#else
#define SYNCLINE_STAMP_API
#endif

enum syncline_stamp_status {
  SYNCLINE_STAMP_OK = 0,
  SYNCLINE_STAMP_NOT_STARTED = -1,     /* there is no recording */
  SYNCLINE_STAMP_STOPPED = -2,         /* the recording was stopped before */
  SYNCLINE_STAMP_ALREADY_STARTED = -3, /* a recording runs, or waits to be discarded */
  SYNCLINE_STAMP_NOT_REGISTERED = -4,  /* this thread has not called syncline_stamp_thread() */
  SYNCLINE_STAMP_FULL = -5,            /* this thread's buffer is full and keeps its oldest */
  SYNCLINE_STAMP_BAD_NAME = -6,        /* empty, too long, not one word, or no such handle */
  SYNCLINE_STAMP_NAME_TAKEN = -7,      /* another thread or peer has this name */
  SYNCLINE_STAMP_BAD_OPTION = -8,      /* an argument that makes no sense */
  SYNCLINE_STAMP_NO_MEMORY = -9,
  SYNCLINE_STAMP_NO_COUNTER = -10,     /* the counter asked for is not there or not steady */
  SYNCLINE_STAMP_CANNOT_WRITE = -11,   /* the file; nothing is left under its name */
  SYNCLINE_STAMP_CHANNEL_FAILED = -12, /* the channel's function reported a failure */
  SYNCLINE_STAMP_BAD_PACKET = -13      /* the other end of a channel takes part in no such burst */
};

enum { SYNCLINE_STAMP_MAX_NAME = 255 }; /* bytes of a name, without the final zero */

/* What becomes of stamps that find their thread's buffer full. Either way they are counted. */
enum syncline_stamp_when_full {
  SYNCLINE_STAMP_KEEP_OLDEST = 0, /* they are refused */
  SYNCLINE_STAMP_KEEP_NEWEST = 1  /* they take the place of the oldest */
};

enum syncline_stamp_counter {
  SYNCLINE_STAMP_COUNTER_AUTO = 0,      /* the processor's, where it is steady, else the system's */
  SYNCLINE_STAMP_COUNTER_PROCESSOR = 1, /* x86: RDTSCP or RDTSC; ARM: CNTVCT */
  SYNCLINE_STAMP_COUNTER_SYSTEM = 2     /* clock_gettime(CLOCK_MONOTONIC_RAW) */
};

enum syncline_stamp_if_exists { SYNCLINE_STAMP_FAIL = 0, SYNCLINE_STAMP_REPLACE = 1 };

struct syncline_stamp_options {
  /* The clock's name; NULL: HOST-PID. Each recording has a clock of its own: two that are to be
   * synchronized must not share a name, even on one host. */
  const char* clock;
  const char* process;      /* the starting thread's name; NULL: the clock's name */
  size_t events_per_thread; /* rounded up to a power of two; 32 bytes each */
  int when_full;            /* enum syncline_stamp_when_full */
  int counter;              /* enum syncline_stamp_counter */
  /* stop() waits until the frequency is known to this many parts in 10^9, but no longer than
   * max_wait_ns. */
  int64_t wanted_bound_ppb;
  int64_t max_wait_ns;
};

/* 65 536 events per thread, oldest kept, counter by itself, 1000 ppb, at most 1 s of waiting. */
SYNCLINE_STAMP_API struct syncline_stamp_options syncline_stamp_defaults(void);

/* Begins the recording and registers the calling thread. NULL: the defaults. */
SYNCLINE_STAMP_API int syncline_stamp_start(const struct syncline_stamp_options* options);

/* Registers the calling thread; allocates its buffer. NULL: the process's name and a number. Once
 * more, in a thread that is registered: SYNCLINE_STAMP_NAME_TAKEN. */
SYNCLINE_STAMP_API int syncline_stamp_thread(const char* name);

/* A handle for the name of an interval or mark; the same one for the same name. */
SYNCLINE_STAMP_API int syncline_stamp_name(const char* name);

/* A handle for a thread that messages go to or come from: its name in its own recording, and the
 * name of that recording's clock. NULL as clock: a thread of this recording. */
SYNCLINE_STAMP_API int syncline_stamp_peer(const char* thread, const char* clock);

/* The stamps. Names and peers are handles. `message` tells the messages from this thread to that
 * one apart, as a sequence number does; `bytes` is 0 where unknown. */
SYNCLINE_STAMP_API int syncline_stamp_mark(int name);
SYNCLINE_STAMP_API int syncline_stamp_enter(int name);
SYNCLINE_STAMP_API int syncline_stamp_leave(int name);
SYNCLINE_STAMP_API int syncline_stamp_block(void); /* the thread starts to wait for a message */
SYNCLINE_STAMP_API int syncline_stamp_send(int peer, uint64_t message, uint64_t bytes);
SYNCLINE_STAMP_API int syncline_stamp_receive(int peer, uint64_t message, uint64_t bytes);

/* A connection that the program lends for a burst. Both functions move `size` bytes entirely and
 * return 0, or something else on failure (which is also where a time limit belongs). */
struct syncline_stamp_channel {
  void* context;
  int (*send)(void* context, const void* bytes, size_t size);
  int (*receive)(void* context, void* bytes, size_t size);
};

/* The channel of a connected socket that delivers bytes reliably (TCP, Unix). */
SYNCLINE_STAMP_API struct syncline_stamp_channel syncline_stamp_socket(int socket);

struct syncline_stamp_burst {
  int status;              /* 0, or why the burst ended early */
  uint64_t exchanges;      /* completed */
  uint64_t used;           /* of these, those of at most twice the least round trip */
  int64_t least_trip_ns;   /* round trip without the time at the peer */
  int64_t mean_trip_ns;    /* of those used */
  int64_t largest_trip_ns; /* of all */
  /* Own minus the peer's system clock (CLOCK_REALTIME), from the exchange with the least bound. */
  int64_t offset_ns;
  int64_t bound_ns; /* the true offset is within offset_ns +- bound_ns; INT64_MAX: no exchange */
};

/* A burst of exchanges: one side asks, the other answers until the asking one is done. Each
 * exchange is two messages of the trace, from which `syncline sync` bounds the clocks' offset. */
SYNCLINE_STAMP_API struct syncline_stamp_burst syncline_stamp_ask(
    int peer, struct syncline_stamp_channel channel, uint32_t exchanges);
SYNCLINE_STAMP_API int syncline_stamp_answer(int peer, struct syncline_stamp_channel channel);

/* Ends the recording for all threads. */
SYNCLINE_STAMP_API int syncline_stamp_stop(void);

/* Writes the recording as a text trace, which appears under its name when it is complete. While
 * the recording runs: what has been stamped so far, the threads one after the other. `if_exists`:
 * enum syncline_stamp_if_exists. */
SYNCLINE_STAMP_API int syncline_stamp_write(const char* path, int if_exists);

/* Forgets a stopped recording, so that another one may start. Handles end with it. */
SYNCLINE_STAMP_API int syncline_stamp_discard(void);

struct syncline_stamp_counts {
  uint64_t kept;         /* events that write() would write */
  uint64_t refused;      /* SYNCLINE_STAMP_FULL */
  uint64_t overwritten;  /* oldest ones, replaced by newer ones */
  uint64_t unregistered; /* in threads that were not registered */
  uint64_t bad_handles;  /* SYNCLINE_STAMP_BAD_NAME */
  uint64_t not_running;  /* before start and after stop, since the process began */
};
SYNCLINE_STAMP_API struct syncline_stamp_counts syncline_stamp_count_events(void);

/* The counter's frequency: between low_hz and high_hz over the time from start to now (or stop),
 * by CLOCK_MONOTONIC_RAW. All 0 without a recording. */
struct syncline_stamp_frequency {
  int64_t hz;
  int64_t low_hz;
  int64_t high_hz;
  int64_t elapsed_ns;
};
SYNCLINE_STAMP_API struct syncline_stamp_frequency syncline_stamp_calibration(void);

/* What was wrong in the calling thread's last call that failed, other than a stamp. Valid until
 * its next call. Never NULL. */
SYNCLINE_STAMP_API const char* syncline_stamp_error(void);
/* A status in words. Never NULL. */
SYNCLINE_STAMP_API const char* syncline_stamp_status_text(int status);

#ifdef __cplusplus
}
#endif

#endif /* SYNCLINE_STAMP_H_ */
/* NOLINTEND(readability-identifier-naming,modernize-deprecated-headers) */
