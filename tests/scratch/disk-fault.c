/*
 * A disk that refuses: the n-th write, sync or change of length to files whose path holds DISK_FAULT_PATH fails.
 *
 *   cc -shared -fPIC -O2 -o disk-fault.so disk-fault.c -ldl
 *   DISK_FAULT_FILE=/tmp/control DISK_FAULT_PATH=/workspace LD_PRELOAD=./disk-fault.so node …
 *
 * The control file holds 64-bit numbers in the machine's byte order: how many such calls there have been, from which
 * one on they fail (0: none), how many of them fail, with which error, and how many have failed. It is mapped, so the
 * process itself and others may read and set it at any time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

struct control {
  uint64_t calls, from, most, error, failed;
};

static struct control *control;
static const char *place;

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("DISK_FAULT_FILE");
  place = getenv("DISK_FAULT_PATH");
  if (!path || !place) return;
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) {
    perror("disk-fault: cannot open DISK_FAULT_FILE");
    _exit(70);
  }
  void *shared = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared == MAP_FAILED) {
    perror("disk-fault: cannot map DISK_FAULT_FILE");
    _exit(70);
  }
  control = shared;
  close(file);
}

static int refuses(int file) {
  if (!control) return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (!strstr(path, place)) return 0;
  uint64_t call = __atomic_add_fetch(&control->calls, 1, __ATOMIC_SEQ_CST);
  uint64_t from = __atomic_load_n(&control->from, __ATOMIC_SEQ_CST);
  uint64_t most = __atomic_load_n(&control->most, __ATOMIC_SEQ_CST);
  if (from == 0 || call < from || call - from >= most) return 0;
  __atomic_add_fetch(&control->failed, 1, __ATOMIC_SEQ_CST);
  errno = (int)control->error;
  return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *bytes, size_t length) {
  static __typeof__(&write) real;
  if (!real) real = REAL(write);
  return refuses(file) ? -1 : real(file, bytes, length);
}
ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) {
  static __typeof__(&pwrite) real;
  if (!real) real = REAL(pwrite);
  return refuses(file) ? -1 : real(file, bytes, length, at);
}
ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) {
  static __typeof__(&pwrite64) real;
  if (!real) real = REAL(pwrite64);
  return refuses(file) ? -1 : real(file, bytes, length, at);
}
ssize_t writev(int file, const struct iovec *parts, int count) {
  static __typeof__(&writev) real;
  if (!real) real = REAL(writev);
  return refuses(file) ? -1 : real(file, parts, count);
}
ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) {
  static __typeof__(&pwritev) real;
  if (!real) real = REAL(pwritev);
  return refuses(file) ? -1 : real(file, parts, count, at);
}
int fsync(int file) {
  static __typeof__(&fsync) real;
  if (!real) real = REAL(fsync);
  return refuses(file) ? -1 : real(file);
}
int fdatasync(int file) {
  static __typeof__(&fdatasync) real;
  if (!real) real = REAL(fdatasync);
  return refuses(file) ? -1 : real(file);
}
int ftruncate(int file, off_t length) {
  static __typeof__(&ftruncate) real;
  if (!real) real = REAL(ftruncate);
  return refuses(file) ? -1 : real(file, length);
}
int ftruncate64(int file, off64_t length) {
  static __typeof__(&ftruncate64) real;
  if (!real) real = REAL(ftruncate64);
  return refuses(file) ? -1 : real(file, length);
}
