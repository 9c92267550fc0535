/*
 * Counts fsync and fdatasync of a process and its children.
 *
 *   cc -shared -fPIC -O2 -o fsync-count.so fsync-count.c -ldl
 *   FSYNC_COUNT_FILE=/tmp/count LD_PRELOAD=./fsync-count.so node …
 *
 * The file holds one 64-bit count in the machine's byte order. It is mapped, not written at exit:
 * the process itself can read it around the part it measures, and a killed process loses nothing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t *count;
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);

static void fail(const char *what) {
  perror(what);
  _exit(70);
}

__attribute__((constructor)) static void start(void) {
  real_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  const char *path = getenv("FSYNC_COUNT_FILE");
  if (!path) return;
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) fail("fsync-count: cannot open FSYNC_COUNT_FILE");
  off_t size = lseek(file, 0, SEEK_END);
  if (size < (off_t)sizeof *count && ftruncate(file, sizeof *count) != 0)
    fail("fsync-count: cannot size FSYNC_COUNT_FILE");
  void *shared = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared == MAP_FAILED) fail("fsync-count: cannot map FSYNC_COUNT_FILE");
  count = shared;
  close(file);
}

static void tick(void) {
  if (count) __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
}

int fsync(int file) {
  tick();
  return real_fsync(file);
}

int fdatasync(int file) {
  tick();
  return real_fdatasync(file);
}
