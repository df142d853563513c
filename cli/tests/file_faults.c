// A library to preload: the file calls of a program fail, or end it, from call number FAULT_AT on.
//
// FAULT=kill ends the program at that call, as kill -9 does. FAULT=full is a disk without space from then on. The
// file FAULT_MARK is made when it happens.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int calls;

// Whether this call is to fail for want of space. `takes_space`: it can.
static int fault(int takes_space) {
  const char *at = getenv("FAULT_AT"), *mark = getenv("FAULT_MARK");
  if (at == NULL) return 0;
  if (__atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) < atoi(at)) return 0;
  const int is_kill = strcmp(getenv("FAULT"), "kill") == 0;
  if (!is_kill && !takes_space) return 0;
  syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0600));
  if (is_kill) syscall(SYS_kill, getpid(), SIGKILL);
  errno = ENOSPC;
  return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define WRAP(result, name, takes_space, declared, passed) \
  result name declared {                                  \
    if (fault(takes_space)) return -1;                    \
    return REAL(name) passed;                             \
  }

WRAP(ssize_t, write, 1, (int fd, const void *bytes, size_t size), (fd, bytes, size))
WRAP(ssize_t, writev, 1, (int fd, const struct iovec *parts, int count), (fd, parts, count))
WRAP(int, fsync, 1, (int fd), (fd))
WRAP(int, fdatasync, 1, (int fd), (fd))
WRAP(int, mkdir, 1, (const char *path, mode_t mode), (path, mode))
WRAP(int, rename, 1, (const char *from, const char *to), (from, to))
WRAP(int, renameat, 1, (int a, const char *from, int b, const char *to), (a, from, b, to))
WRAP(int, renameat2, 1, (int a, const char *from, int b, const char *to, unsigned flags),
     (a, from, b, to, flags))
WRAP(int, unlink, 0, (const char *path), (path))
WRAP(int, unlinkat, 0, (int folder, const char *path, int flags), (folder, path, flags))
WRAP(int, rmdir, 0, (const char *path), (path))
WRAP(int, remove, 0, (const char *path), (path))
WRAP(int, close, 0, (int fd), (fd))
WRAP(int, ftruncate, 1, (int fd, off_t size), (fd, size))

static mode_t mode_of(int flags, va_list more) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
}

#define OPEN(name, declared, passed, flags)       \
  int name declared {                             \
    va_list more;                                 \
    va_start(more, flags);                        \
    const mode_t mode = mode_of(flags, more);     \
    va_end(more);                                 \
    if (fault((flags & O_CREAT) != 0)) return -1; \
    return REAL(name) passed;                     \
  }

OPEN(open, (const char *path, int flags, ...), (path, flags, mode), flags)
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode), flags)
OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode), flags)
OPEN(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode), flags)
