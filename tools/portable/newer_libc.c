/* Functions of newer C libraries that linked libraries call, on those that older ones have (old_libc.py). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <sys/stat.h>

/* 2.32: whether there is one thread. "No" costs libstdc++ an atomic addition, and is always right. */
char __libc_single_threaded = 0;

/* 2.33: before it, these were macros of functions with the version of the struct. */
#ifdef __x86_64__
#define STAT_VERSION 1
#else
#define STAT_VERSION 0
#endif
int __xstat(int version, const char *path, struct stat *status);
int __lxstat(int version, const char *path, struct stat *status);
int __fxstat(int version, int fd, struct stat *status);
int __fxstatat(int version, int fd, const char *path, struct stat *status, int flags);

int stat(const char *path, struct stat *status) { return __xstat(STAT_VERSION, path, status); }
int lstat(const char *path, struct stat *status) { return __lxstat(STAT_VERSION, path, status); }
int fstat(int fd, struct stat *status) { return __fxstat(STAT_VERSION, fd, status); }
int fstatat(int fd, const char *path, struct stat *status, int flags) {
  return __fxstatat(STAT_VERSION, fd, path, status, flags);
}
/* The names of large files, which libraries of others call: on 64 bits the structs are equal. */
int stat64(const char *path, struct stat64 *status) { return stat(path, (struct stat *)status); }
int lstat64(const char *path, struct stat64 *status) { return lstat(path, (struct stat *)status); }
int fstat64(int fd, struct stat64 *status) { return fstat(fd, (struct stat *)status); }

/* 2.35: where the unwinder finds the tables of the object that an address is in. */
struct search {
  ElfW(Addr) address;
  struct dl_find_object *found;
};

static int look_in(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  struct search *search = data;
  ElfW(Addr) start = 0, end = 0, tables = 0;
  int is_in = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    const ElfW(Addr) first = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_GNU_EH_FRAME) tables = first;
    if (part->p_type != PT_LOAD) continue;
    if (end == 0) start = first;
    end = first + part->p_memsz;
    is_in |= search->address >= first && search->address < end;
  }
  if (!is_in || tables == 0) return 0;
  *search->found = (struct dl_find_object){0};
  search->found->dlfo_map_start = (void *)start;
  search->found->dlfo_map_end = (void *)end;
  search->found->dlfo_eh_frame = (void *)tables;
  return 1;
}

int _dl_find_object(void *address, struct dl_find_object *found) {
  struct search search = {(ElfW(Addr))address, found};
  return dl_iterate_phdr(look_in, &search) == 1 ? 0 : -1;
}
