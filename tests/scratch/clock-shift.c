/*
 * A clock on the wall that is set while programs run: CLOCK_REALTIME is ahead by what a file says, and nothing else is.
 *
 *   cc -shared -fPIC -O2 -o clock-shift.so clock-shift.c -ldl
 *   CLOCK_SHIFT_FILE=/tmp/shift LD_PRELOAD=./clock-shift.so node …
 *
 * The file holds one 64-bit number in the machine's byte order: milliseconds, less than 0 for a clock set back. It is
 * mapped, so that whoever writes it sets the clock of all who run with it, at once.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t *shift;

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("CLOCK_SHIFT_FILE");
  if (!path) return;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  void *shared = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
  if (shared == MAP_FAILED) {
    perror("clock-shift: cannot map CLOCK_SHIFT_FILE");
    _exit(70);
  }
  shift = shared;
  close(file);
}

static int64_t ahead(void) {
  return shift ? __atomic_load_n(shift, __ATOMIC_SEQ_CST) : 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int clock_gettime(clockid_t which, struct timespec *at) {
  static __typeof__(&clock_gettime) real;
  if (!real) real = REAL(clock_gettime);
  int failed = real(which, at);
  if (failed || (which != CLOCK_REALTIME && which != CLOCK_REALTIME_COARSE)) return failed;
  int64_t more = ahead();
  int64_t nanoseconds = at->tv_nsec + (more % 1000) * 1000000;
  at->tv_sec += more / 1000 + (nanoseconds >= 1000000000) - (nanoseconds < 0);
  at->tv_nsec = (nanoseconds + 1000000000) % 1000000000;
  return 0;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  struct timespec now;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}

int timespec_get(struct timespec *at, int base) {
  return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, at) == 0 ? base : 0;
}
