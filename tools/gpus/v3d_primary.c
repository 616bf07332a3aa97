// SPDX-License-Identifier: Apache-2.0
// The driver of the Raspberry Pi's GPU (V3DV, Mesa 26.1) also opens the device's primary node, which the stand-in for the
// kernel's side (libv3d_noop_drm_shim.so) doesn't have, so that its path is empty: this gives the render node for it. Ahead of
// that library in LD_PRELOAD.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>

#define OPEN(name)                                                                                                               \
    int name(const char* path, int flags, ...)                                                                                   \
    {                                                                                                                            \
        va_list list;                                                                                                            \
        va_start(list, flags);                                                                                                   \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;                                                \
        va_end(list);                                                                                                            \
        int (*next)(const char*, int, ...) = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, #name);                            \
        return next(*path ? path : "/dev/dri/renderD128", flags, mode);                                                          \
    }
OPEN(open)
OPEN(open64)
