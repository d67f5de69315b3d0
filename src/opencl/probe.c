/* probe.c - the platforms and devices there are, and their facts.
 *
 * Runs once. A platform that fails or has no device, and a device that cannot be used, get an entry
 * with usable = false and the reason: they are shown, and the others work. Texts are kept for the
 * life of the process.
 */
#include "opencl/opencl.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_PLATFORMS 32
#define MAX_ENTRIES 63

static pthread_once_t once = PTHREAD_ONCE_INIT;
static clary__cl_entry entries[MAX_ENTRIES];
static int entry_count;
static unsigned forks; /* clary__forks() at the time */

/* ---- queries: a failing one gives "" or 0 ---- */

static const char *tidy(char *text) {
    size_t n = strlen(text);
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\n')) text[--n] = '\0';
    while (*text == ' ') text++;
    return text;
}

static const char *platform_text(cl_platform_id platform, cl_platform_info what) {
    size_t bytes = 0;
    if (clary__cl.clGetPlatformInfo(platform, what, 0, NULL, &bytes) || !bytes) return "";
    char *text = clary__calloc(bytes + 1, 1);
    if (!text || clary__cl.clGetPlatformInfo(platform, what, bytes, text, NULL)) {
        clary__dealloc(text);
        return "";
    }
    return tidy(text);
}

static const char *device_text(cl_device_id device, cl_device_info what) {
    size_t bytes = 0;
    if (clary__cl.clGetDeviceInfo(device, what, 0, NULL, &bytes) || !bytes) return "";
    char *text = clary__calloc(bytes + 1, 1);
    if (!text || clary__cl.clGetDeviceInfo(device, what, bytes, text, NULL)) {
        clary__dealloc(text);
        return "";
    }
    return tidy(text);
}

/* For facts of 32 or 64 bits, on little-endian hosts. */
static uint64_t device_number(cl_device_id device, cl_device_info what) {
    uint64_t number = 0;
    size_t bytes = 0;
    cl_int code = clary__cl.clGetDeviceInfo(device, what, sizeof number, &number, &bytes);
    if (code) return 0;
    return bytes == 4 ? (uint32_t)number : number;
}

/* Whether a list of words, such as the extensions, has the word. */
static bool has_word(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0')) return true;
    return false;
}

/* ---- entries ---- */

static clary__cl_entry *new_entry(cl_platform_id platform, const char *platform_name) {
    if (entry_count == MAX_ENTRIES) return NULL;
    clary__cl_entry *e = &entries[entry_count++];
    e->platform = platform;
    e->info = (clary_device_info){.name = "(no device)",
                                  .platform = platform_name,
                                  .vendor = "",
                                  .driver = "",
                                  .version = "",
                                  .backend = "opencl",
                                  .type = "accelerator",
                                  .usable = true,
                                  .reason = ""};
    return e;
}

static void mark_unusable(clary__cl_entry *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void mark_unusable(clary__cl_entry *e, const char *format, ...) {
    char reason[256];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    const char *kept = clary__strdup(reason);
    e->info.usable = false;
    e->info.reason = kept ? kept : "not usable";
}

/* NVIDIA compiles half arithmetic from compute capability 5.3 on, without listing cl_khr_fp16. */
static bool nvidia_has_fp16(cl_device_id d) {
    uint64_t major = device_number(d, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV);
    uint64_t minor = device_number(d, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV);
    return major * 10 + minor >= 53;
}

/* 0 where only a kernel can tell: see backend.c. */
static uint32_t subgroup_width(cl_device_id d, const char *extensions, int version) {
    if (has_word(extensions, "cl_nv_device_attribute_query"))
        return (uint32_t)device_number(d, CL_DEVICE_WARP_SIZE_NV);
    if (has_word(extensions, "cl_amd_device_attribute_query")) {
        uint32_t width = (uint32_t)device_number(d, CL_DEVICE_WAVEFRONT_WIDTH_AMD);
        if (width) return width;
    }
    return version >= 300 ? (uint32_t)device_number(d, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)
                          : 0;
}

static void probe_device(clary__cl_entry *e, cl_device_id d) {
    clary_device_info *info = &e->info;
    e->device = d;
    info->name = device_text(d, CL_DEVICE_NAME);
    info->vendor = device_text(d, CL_DEVICE_VENDOR);
    info->driver = device_text(d, CL_DRIVER_VERSION);
    info->version = device_text(d, CL_DEVICE_VERSION);
    const char *extensions = e->extensions = device_text(d, CL_DEVICE_EXTENSIONS);
    int major = 0, minor = 0;
    sscanf(info->version, "OpenCL %d.%d", &major, &minor);
    const int version = major * 100 + minor * 10;
    const uint64_t type = device_number(d, CL_DEVICE_TYPE);
    info->type = type & CL_DEVICE_TYPE_GPU   ? "gpu"
                 : type & CL_DEVICE_TYPE_CPU ? "cpu"
                                             : "accelerator";
    info->fp64 = device_number(d, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    info->fp16 = has_word(extensions, "cl_khr_fp16") ||
                 (has_word(extensions, "cl_nv_device_attribute_query") && nvidia_has_fp16(d));
    info->int64_atomics = has_word(extensions, "cl_khr_int64_base_atomics") &&
                          has_word(extensions, "cl_khr_int64_extended_atomics");
    info->subgroup = subgroup_width(d, extensions, version);
    info->units = (uint32_t)device_number(d, CL_DEVICE_MAX_COMPUTE_UNITS);
    info->clock_mhz = (uint32_t)device_number(d, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    info->max_work_group = device_number(d, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    info->local_memory = device_number(d, CL_DEVICE_LOCAL_MEM_SIZE);
    info->memory = device_number(d, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->max_allocation = device_number(d, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    e->exact_division =
        device_number(d, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    e->svm = version >= 200 && clary__cl.clSVMAlloc && clary__cl.clSVMFree &&
             device_number(d, CL_DEVICE_HOST_UNIFIED_MEMORY) &&
             device_number(d, CL_DEVICE_SVM_CAPABILITIES) & CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    info->shares_host_memory = e->svm;

    if (!*info->name) info->name = "(unnamed device)";
    if (!*info->version || !info->units)
        mark_unusable(e, "the driver does not answer questions about the device");
    else if (version < 120)
        mark_unusable(e, "it has %s; OpenCL 1.2 is needed", info->version);
    else if (!device_number(d, CL_DEVICE_AVAILABLE))
        mark_unusable(e, "the driver says that the device is not available");
    else if (!device_number(d, CL_DEVICE_COMPILER_AVAILABLE))
        mark_unusable(e, "the driver has no compiler");
    else if (!device_number(d, CL_DEVICE_ENDIAN_LITTLE))
        mark_unusable(e, "big-endian devices are not supported");
}

static void probe_platform(cl_platform_id platform) {
    cl_device_id devices[MAX_ENTRIES];
    cl_uint count = 0;
    const char *name = platform_text(platform, CL_PLATFORM_NAME);
    if (!*name) name = "(unnamed platform)";
    cl_int code =
        clary__cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_ENTRIES, devices, &count);
    if (code || !count) {
        clary__cl_entry *e = new_entry(platform, name);
        if (!e) return;
        e->info.version = platform_text(platform, CL_PLATFORM_VERSION);
        e->info.vendor = platform_text(platform, CL_PLATFORM_VENDOR);
        if (code && code != CL_DEVICE_NOT_FOUND)
            mark_unusable(e, "the platform fails to list its devices: %s (%d)",
                          clary__cl_code_name(code), (int)code);
        else
            mark_unusable(e, "the platform has no device");
        return;
    }
    for (cl_uint i = 0; i < count && i < MAX_ENTRIES; i++) {
        clary__cl_entry *e = new_entry(platform, name);
        if (e) probe_device(e, devices[i]);
    }
}

static void probe(void) {
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint count = 0;
    forks = clary__forks();
    if (!clary__cl_load()) return;
    cl_int code = clary__cl.clGetPlatformIDs(MAX_PLATFORMS, platforms, &count);
    if (code) {
        clary__log("device", "clGetPlatformIDs: %s (%d)", clary__cl_code_name(code), (int)code);
        return;
    }
    for (cl_uint i = 0; i < count && i < MAX_PLATFORMS; i++) probe_platform(platforms[i]);
}

int clary__cl_count(void) {
    pthread_once(&once, probe);
    return entry_count;
}

unsigned clary__cl_probe_forks(void) {
    return forks;
}

clary__cl_entry *clary__cl_entry_at(int index) {
    return &entries[index];
}
