/*
 * Preloaded into a process, shifts the clock that it reads by CLOCK_SHIFT_SECONDS; what measures time goes on as ever.
 * Not into the embedded engine: it reads the clock past the C library for the most part, so it would see two clocks at once.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const char engine[] = "/clickhouse/embedded/server";
static time_t shift;

__attribute__((constructor)) static void read_shift(void) {
  const char *seconds = getenv("CLOCK_SHIFT_SECONDS");
  char command[4096];
  int file = open("/proc/self/cmdline", O_RDONLY);
  ssize_t length = file < 0 ? 0 : read(file, command, sizeof command);
  if (file >= 0) close(file);
  if (length > 0 && memmem(command, length, engine, sizeof engine - 1)) return;
  if (seconds) shift = atol(seconds);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int failed = syscall(SYS_clock_gettime, clock, now);
  if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += shift;
  return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec read;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &read);
  now->tv_sec = read.tv_sec;
  now->tv_usec = read.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *now) {
  struct timespec read;
  clock_gettime(CLOCK_REALTIME_COARSE, &read);
  if (now) *now = read.tv_sec;
  return read.tv_sec;
}
