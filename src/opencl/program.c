/* program.c - from a launch's key to a kernel: found in memory, loaded from disk, or built.
 *
 * In memory a kernel is found by the launch's structural key. On disk a program is found by what it was
 * built from: the device's and driver's identity, the build options and the whole source.
 */
#include "opencl/opencl.h"
#include "opencl/disk.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- in memory: a hash table with chains ---- */

static clary__cl_kernel *find(const clary__cl_state *s, const clary__launch *launch,
                              uint64_t hash) {
    if (!s->kernel_slots) return NULL;
    clary__cl_kernel *k = s->kernels[hash & (s->kernel_slots - 1)];
    while (k && (k->hash != hash || k->key_bytes != launch->key_bytes ||
                 memcmp(k->key, launch->key, k->key_bytes) != 0))
        k = k->next;
    return k;
}

static clary_status grow(clary__cl_state *s) {
    if (s->kernel_count < s->kernel_slots) return CLARY_OK;
    size_t slots = s->kernel_slots ? 2 * s->kernel_slots : 64;
    clary__cl_kernel **table = clary__calloc(slots, sizeof *table);
    FAIL_IF(!table, CLARY_OUT_OF_MEMORY, "no host memory for the kernel table");
    for (size_t i = 0; i < s->kernel_slots; i++)
        for (clary__cl_kernel *k = s->kernels[i], *next; k; k = next) {
            next = k->next;
            k->next = table[k->hash & (slots - 1)];
            table[k->hash & (slots - 1)] = k;
        }
    clary__dealloc(s->kernels);
    s->kernels = table;
    s->kernel_slots = slots;
    return CLARY_OK;
}

void clary__cl_free_kernels(clary__cl_state *s) {
    for (size_t i = 0; i < s->kernel_slots; i++)
        for (clary__cl_kernel *k = s->kernels[i], *next; k; k = next) {
            next = k->next;
            clary__cl.clReleaseKernel(k->kernel);
            clary__dealloc(k);
        }
    clary__dealloc(s->kernels);
    s->kernels = NULL;
    s->kernel_slots = s->kernel_count = 0;
}

/* ---- building ---- */

static void dump(const char *entry, const char *source, uint64_t hash) {
    const char *folder = clary__env("CLARY_DUMP");
    clary__text path = {0};
    if (!folder) return;
    mkdir(folder, 0777);
    clary__text_add(&path, "%s/%s-%016llx.cl", folder, entry, (unsigned long long)hash);
    FILE *file = path.failed ? NULL : fopen(path.data, "w");
    if (file) {
        fputs(source, file);
        fclose(file);
    }
    clary__text_free(&path);
}

/* The build log's beginning, without what compilers print after errors. */
static clary_status build_failure(const clary__cl_state *s, cl_program program, cl_int code,
                                  const char *entry) {
    char log[2048] = "";
    size_t bytes = 0;
    clary__cl.clGetProgramBuildInfo(program, s->entry->device, CL_PROGRAM_BUILD_LOG, 0, NULL,
                                    &bytes);
    char *whole = bytes ? clary__calloc(bytes + 1, 1) : NULL;
    if (whole && clary__cl.clGetProgramBuildInfo(program, s->entry->device, CL_PROGRAM_BUILD_LOG,
                                                 bytes, whole, NULL) == CL_SUCCESS)
        snprintf(log, sizeof log, "%s", whole);
    clary__dealloc(whole);
    return clary__fail(CLARY_BUILD_FAILED, "%s: kernel %s did not build: %s (%d): %s",
                       s->entry->info.name, entry, clary__cl_code_name(code), (int)code, log);
}

static clary_status build(clary__cl_state *s, const char *entry, const char *source, uint64_t hash,
                          cl_program *out) {
    cl_int code;
    dump(entry, source, hash);
    *out = clary__cl.clCreateProgramWithSource(s->context, 1, &source, NULL, &code);
    if (code) return clary__cl_fail(code, "%s: creating program %s", s->entry->info.name, entry);
    code = clary__cl.clBuildProgram(*out, 1, &s->entry->device, s->options, NULL, NULL);
    if (!code) return CLARY_OK;
    clary_status status = build_failure(s, *out, code, entry);
    clary__cl.clReleaseProgram(*out);
    *out = NULL;
    return status;
}

/* ---- on disk ---- */

/* Whatever the driver has against a binary from disk, the kernel is built anew then. */
static bool load(clary__cl_state *s, const clary__text *key, const char *entry, cl_kernel *out) {
    unsigned char *data;
    size_t bytes;
    cl_int code, valid;
    if (!clary__disk_load(key->data, key->size, &data, &bytes)) return false;
    const unsigned char *binary = data;
    cl_program program = clary__cl.clCreateProgramWithBinary(s->context, 1, &s->entry->device,
                                                             &bytes, &binary, &valid, &code);
    if (!code)
        code = clary__cl.clBuildProgram(program, 1, &s->entry->device, s->options, NULL, NULL);
    if (!code) *out = clary__cl.clCreateKernel(program, entry, &code);
    if (code)
        clary__log("cache", "the driver refuses a binary from disk: %s", clary__cl_code_name(code));
    if (program) clary__cl.clReleaseProgram(program); /* the kernel keeps it */
    clary__dealloc(data);
    return !code;
}

static void save(cl_program program, const clary__text *key) {
    size_t bytes = 0;
    if (!clary__disk_on()) return;
    if (clary__cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) ||
        !bytes)
        return;
    unsigned char *binary = clary__malloc(bytes);
    if (binary &&
        !clary__cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL))
        clary__disk_save(key->data, key->size, binary, bytes);
    clary__dealloc(binary);
}

/* The kernel of a launch, from disk or built. */
static clary_status make(clary__cl_state *s, const clary__launch *launch, cl_kernel *out) {
    clary__text key = {0};
    cl_program program = NULL;
    cl_int code;
    clary_status status;
    clary__text_add(&key, "%s\n%s\n", s->identity, s->options);
    size_t head = key.size;
    TRY_GOTO(done, launch->source(launch->context, &key));
    if (key.failed) {
        status =
            clary__fail(CLARY_OUT_OF_MEMORY, "no host memory for the source of %s", launch->entry);
        goto done;
    }
    const char *source = key.data + head;
    uint64_t hash = clary__hash(key.data, key.size, 0);
    bool loaded = load(s, &key, launch->entry, out);
    clary__log("build", "%s %s %016llx for %s", loaded ? "loaded" : "builds", launch->entry,
               (unsigned long long)hash, launch->what ? launch->what : "?");
    if (loaded) {
        CLARY__COUNT(disk_hits, 1);
        goto done;
    }
    TRY_GOTO(done, build(s, launch->entry, source, hash, &program));
    CLARY__COUNT(builds, 1);
    *out = clary__cl.clCreateKernel(program, launch->entry, &code);
    if (code)
        status = clary__cl_fail(code, "%s: kernel %s", s->entry->info.name, launch->entry);
    else
        save(program, &key);
done:
    if (program) clary__cl.clReleaseProgram(program); /* the kernel keeps it */
    clary__text_free(&key);
    return status;
}

clary_status clary__cl_kernel_for(clary_device *device, const clary__launch *launch,
                                  clary__cl_kernel **out) {
    clary__cl_state *s = clary__cl_state_of(device);
    uint64_t hash = clary__hash(launch->key, launch->key_bytes, 0);
    *out = find(s, launch, hash);
    if (*out) {
        CLARY__COUNT(memory_hits, 1);
        return CLARY_OK;
    }
    TRY(grow(s));
    clary__cl_kernel *k = clary__calloc(1, sizeof *k + launch->key_bytes);
    FAIL_IF(!k, CLARY_OUT_OF_MEMORY, "no host memory for a kernel");
    clary_status status = make(s, launch, &k->kernel);
    if (status != CLARY_OK) {
        clary__dealloc(k);
        return status;
    }
    k->hash = hash;
    k->key_bytes = launch->key_bytes;
    memcpy(k->key, launch->key, k->key_bytes);
    k->next = s->kernels[hash & (s->kernel_slots - 1)];
    s->kernels[hash & (s->kernel_slots - 1)] = k;
    s->kernel_count++;
    *out = k;
    return CLARY_OK;
}
