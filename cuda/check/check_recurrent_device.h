/* Arrays on the device for the check and bench programs of recurrence and scan: a failure ends the
 * program with its text. Every array is followed by a guard that must not change. */
#ifndef CHECK_RECURRENT_DEVICE_H
#define CHECK_RECURRENT_DEVICE_H

#include "cuda/device/cuda_memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 256, GUARD_BYTE = 0xa5 };

typedef struct device_array {
    char *memory, *data; /* data = memory + shift */
    size_t bytes, shift;
} device_array;

static inline void demand(f2l_status status, const f2l_error *err)
{
    if (status == F2L_OK) return;
    printf("FAIL %s: %s\n", f2l_status_name(status), err->text);
    exit(1);
}

/* Returns an array of `bytes` bytes of the pattern `byte`, `shift` bytes behind a multiple of
 * 256. */
static inline device_array device_filled(size_t bytes, int byte, size_t shift, void *stream)
{
    device_array a = {.bytes = bytes, .shift = shift};
    f2l_error err = {0};
    void *memory;
    demand(f2l_cuda_alloc(&memory, shift + bytes + GUARD, &err), &err);
    a.memory = memory, a.data = a.memory + shift;
    if (bytes) demand(f2l_cuda_fill(a.data, byte, bytes, stream, &err), &err);
    demand(f2l_cuda_fill(a.data + bytes, GUARD_BYTE, GUARD, stream, &err), &err);
    return a;
}

static inline device_array device_of(const void *from, size_t bytes, size_t shift, void *stream)
{
    f2l_error err = {0};
    const device_array a = device_filled(bytes, 0, shift, stream);
    if (bytes) demand(f2l_cuda_to_device(a.data, from, bytes, stream, &err), &err);
    return a;
}

/* Copies the array to `to`, which may be NULL; false when the guard has changed. */
static inline bool device_read(void *to, const device_array *a, void *stream)
{
    f2l_error err = {0};
    unsigned char guard[GUARD];
    if (to && a->bytes) demand(f2l_cuda_to_host(to, a->data, a->bytes, stream, &err), &err);
    demand(f2l_cuda_to_host(guard, a->data + a->bytes, GUARD, stream, &err), &err);
    for (size_t i = 0; i < GUARD; i++)
        if (guard[i] != GUARD_BYTE) return false;
    return true;
}

static inline void device_clear(device_array *a)
{
    f2l_cuda_free(a->memory);
    *a = (device_array){0};
}

#endif
