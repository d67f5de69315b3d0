/* transfer.c - bytes between host and device.
 *
 * On shared memory a transfer is a copy by the host. Elsewhere drivers copy pageable memory several times
 * slower than pinned memory, so transfers go through two pinned chunks: while the device works on one,
 * the host fills or empties the other. Uploads return as soon as the data was read. Large host copies
 * are shared by a few threads: one alone does not saturate the memory.
 *
 * Invariant: a chunk is rewritten by the host only after the last transfer from it is done; the device
 * side needs no care because the stream is in order.
 */
#include "opencl/opencl.h"
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define CHUNK ((size_t)16 << 20)
#define DIRECT ((size_t)64 << 10) /* downloads up to this size do without chunks */
#define COPY_THREADS 4
#define COPY_SHARE ((size_t)4 << 20) /* bytes that are worth a thread */

/* ---- host copies ---- */

typedef struct share {
    char *to;
    const char *from;
    size_t bytes;
} share;

static void *copy_share(void *argument) {
    const share *s = argument;
    memcpy(s->to, s->from, s->bytes);
    return NULL;
}

static void host_copy(void *to, const void *from, size_t bytes) {
    static int processors; /* the race is harmless: every thread writes the same */
    if (!processors) processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
    size_t parts = bytes / COPY_SHARE;
    if (parts > COPY_THREADS) parts = COPY_THREADS;
    if (parts > (size_t)processors) parts = (size_t)processors;
    if (parts < 2) {
        memcpy(to, from, bytes);
        return;
    }
    share shares[COPY_THREADS];
    pthread_t threads[COPY_THREADS];
    bool started[COPY_THREADS] = {false};
    const size_t step = (bytes / parts + 63) / 64 * 64;
    for (size_t i = 0; i < parts; i++) {
        size_t at = i * step, rest = bytes - at;
        shares[i] = (share){(char *)to + at, (const char *)from + at, i + 1 < parts ? step : rest};
        if (i > 0) started[i] = pthread_create(&threads[i], NULL, copy_share, &shares[i]) == 0;
    }
    for (size_t i = 0; i < parts; i++)
        if (!started[i]) copy_share(&shares[i]);
    for (size_t i = 1; i < parts; i++)
        if (started[i]) pthread_join(threads[i], NULL);
}

/* ---- chunks ---- */

void clary__cl_free_chunks(clary__cl_state *s) {
    for (int i = 0; i < 2; i++) {
        clary__cl_chunk *c = &s->chunks[i];
        if (c->busy) clary__cl.clReleaseEvent(c->busy);
        if (c->host) clary__cl.clEnqueueUnmapMemObject(s->queue, c->memory, c->host, 0, NULL, NULL);
        if (c->memory) clary__cl.clReleaseMemObject(c->memory);
        *c = (clary__cl_chunk){0};
    }
}

/* Chunks stay mapped: drivers recognise the pinned pages by their addresses. */
static clary_status need_chunks(clary_device *device) {
    clary__cl_state *s = clary__cl_state_of(device);
    cl_int code = CL_SUCCESS;
    if (s->chunks[1].host) return CLARY_OK;
    for (int i = 0; i < 2 && !code; i++) {
        clary__cl_chunk *c = &s->chunks[i];
        c->memory = clary__cl.clCreateBuffer(s->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                             CHUNK, NULL, &code);
        if (!code)
            c->host = clary__cl.clEnqueueMapBuffer(s->queue, c->memory, CL_TRUE,
                                                   CL_MAP_READ | CL_MAP_WRITE, 0, CHUNK, 0, NULL,
                                                   NULL, &code);
    }
    if (!code) return CLARY_OK;
    clary__cl_free_chunks(s);
    return clary__cl_fail(code, "%s: allocating pinned memory for transfers", device->info.name);
}

static cl_int wait_for_chunk(clary__cl_chunk *c) {
    if (!c->busy) return CL_SUCCESS;
    cl_int code = clary__cl.clWaitForEvents(1, &c->busy);
    clary__cl.clReleaseEvent(c->busy);
    c->busy = NULL;
    return code;
}

static void set_busy(clary__cl_chunk *c, cl_event event) {
    if (c->busy) clary__cl.clReleaseEvent(c->busy);
    c->busy = event;
}

/* Small uploads line up in a chunk without waiting for each other. */
static cl_int upload_pieces(clary__cl_state *s, cl_mem to, size_t offset, const char *data,
                            size_t bytes) {
    while (bytes) {
        if (s->cursor == CHUNK) {
            s->chunk ^= 1;
            s->cursor = 0;
            cl_int code = wait_for_chunk(&s->chunks[s->chunk]);
            if (code) return code;
        }
        clary__cl_chunk *c = &s->chunks[s->chunk];
        size_t piece = bytes < CHUNK - s->cursor ? bytes : CHUNK - s->cursor;
        char *staged = c->host + s->cursor;
        cl_event event;
        host_copy(staged, data, piece);
        cl_int code = clary__cl.clEnqueueWriteBuffer(s->queue, to, CL_FALSE, offset, piece, staged,
                                                     0, NULL, &event);
        if (code) return code;
        set_busy(c, event);
        clary__cl_issued(s);
        s->cursor += (piece + 63) / 64 * 64;
        offset += piece;
        data += piece;
        bytes -= piece;
        if (bytes) clary__cl.clFlush(s->queue); /* it moves while the next piece is staged */
    }
    return CL_SUCCESS;
}

static cl_int request(clary__cl_state *s, int chunk, cl_mem from, size_t offset, size_t bytes) {
    clary__cl_chunk *c = &s->chunks[chunk];
    cl_event event;
    cl_int code = clary__cl.clEnqueueReadBuffer(s->queue, from, CL_FALSE, offset, bytes, c->host, 0,
                                                NULL, &event);
    if (code) return code;
    set_busy(c, event);
    clary__cl_issued(s);
    return clary__cl.clFlush(s->queue);
}

/* Piece k + 1 is on its way while piece k is copied out. Uploads that are staged in the chunks were put on
 * the stream before and have read them by the time that the device writes there. */
static cl_int download_pieces(clary__cl_state *s, cl_mem from, size_t offset, char *data,
                              size_t bytes) {
    cl_int code = CL_SUCCESS;
    size_t asked = 0;
    for (size_t done = 0, k = 0; done < bytes && !code; k++) {
        while (!code && asked < bytes && asked < (k + 2) * CHUNK) {
            size_t piece = bytes - asked < CHUNK ? bytes - asked : CHUNK;
            code = request(s, (int)(asked / CHUNK % 2), from, offset + asked, piece);
            asked += piece;
        }
        if (code) break;
        size_t piece = bytes - done < CHUNK ? bytes - done : CHUNK;
        clary__cl_chunk *c = &s->chunks[k % 2];
        code = wait_for_chunk(c);
        if (!code) host_copy(data + done, c->host, piece);
        done += piece;
    }
    for (int i = 0; i < 2; i++) { /* after a failure there may be one in flight */
        cl_int last = wait_for_chunk(&s->chunks[i]);
        if (!code) code = last;
    }
    s->cursor = 0;
    return code;
}

/* ---- the backend's calls ---- */

clary_status clary__cl_upload(clary_device *device, clary__buffer *to, size_t offset,
                              const void *data, size_t bytes) {
    clary__cl_state *s = clary__cl_state_of(device);
    if (!bytes) return CLARY_OK;
    CLARY__COUNT(bytes_up, bytes);
    if (to->host) {
        TRY(clary__cl_wait_for(device, to));
        host_copy((char *)to->host + offset, data, bytes);
        return CLARY_OK;
    }
    TRY(clary__cl_alive(device));
    TRY(need_chunks(device));
    cl_int code = upload_pieces(s, clary__cl_memory_of(to)->memory, offset, data, bytes);
    clary__cl_memory_of(to)->last_use = s->issued;
    if (code) return clary__cl_fail(code, "%s: uploading %zu bytes", device->info.name, bytes);
    return CLARY_OK;
}

clary_status clary__cl_download(clary_device *device, clary__buffer *from, size_t offset,
                                void *data, size_t bytes) {
    clary__cl_state *s = clary__cl_state_of(device);
    if (!bytes) return CLARY_OK;
    CLARY__COUNT(bytes_down, bytes);
    if (from->host) {
        TRY(clary__cl_ask_fault(device));
        TRY(s->suspect ? clary__cl_drain(device) : clary__cl_wait_for(device, from));
        host_copy(data, (const char *)from->host + offset, bytes);
        return clary__cl_judge_fault(device);
    }
    TRY(clary__cl_alive(device));
    TRY(clary__cl_ask_fault(device));
    cl_int code;
    cl_mem memory = clary__cl_memory_of(from)->memory;
    if (bytes <= DIRECT) {
        code = clary__cl.clEnqueueReadBuffer(s->queue, memory, CL_TRUE, offset, bytes, data, 0,
                                             NULL, NULL);
    } else {
        TRY(need_chunks(device));
        code = download_pieces(s, memory, offset, data, bytes);
    }
    if (code) return clary__cl_fail(code, "%s: downloading %zu bytes", device->info.name, bytes);
    s->finished = s->flushed = s->issued; /* in order: everything before is done, too */
    return clary__cl_judge_fault(device);
}

clary_status clary__cl_copy(clary_device *device, clary__buffer *from, clary__buffer *to,
                            size_t bytes) {
    clary__cl_state *s = clary__cl_state_of(device);
    if (!bytes || from == to) return CLARY_OK;
    TRY(clary__cl_alive(device));
    cl_int code =
        clary__cl.clEnqueueCopyBuffer(s->queue, clary__cl_memory_of(from)->memory,
                                      clary__cl_memory_of(to)->memory, 0, 0, bytes, 0, NULL, NULL);
    if (code) return clary__cl_fail(code, "%s: copying %zu bytes", device->info.name, bytes);
    clary__cl_issued(s);
    clary__cl_memory_of(from)->last_use = clary__cl_memory_of(to)->last_use = s->issued;
    return CLARY_OK;
}
