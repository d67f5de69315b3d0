/* loader.c - finds OpenCL at run time. Without it the library works on the reference device.
 *
 * $CLARY_OPENCL_LIBRARY names the library to load instead of the usual names. It is never unloaded:
 * drivers have threads and exit handlers.
 */
#include "opencl/opencl.h"
#include <dlfcn.h>
#include <pthread.h>

clary__cl_table clary__cl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;
static clary__text report;

static const char *const usual_names[] = {
#ifdef __APPLE__
    "/System/Library/Frameworks/OpenCL.framework/OpenCL",
#endif
    "libOpenCL.so.1", "libOpenCL.so"};

static bool fill_table(void *library, const char *name) {
    const char *missing = NULL;
#define X(function)                                                                                \
    *(void **)&clary__cl.function = dlsym(library, #function);                                     \
    if (!clary__cl.function) missing = #function;
    CLARY__CL_FUNCTIONS(X)
#undef X
#define X(function) *(void **)&clary__cl.function = dlsym(library, #function);
    CLARY__CL_OPTIONAL(X)
#undef X
    if (missing)
        clary__text_add(&report, "  %s: is no OpenCL 1.2 loader, it lacks %s\n", name, missing);
    return !missing;
}

static bool try_library(const char *name) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        clary__text_add(&report, "  %s: %s\n", name, why ? why : "cannot be loaded");
        return false;
    }
    if (!fill_table(library, name)) return false;
    Dl_info where;
    bool known = dladdr(*(void **)&clary__cl.clGetPlatformIDs, &where) && where.dli_fname;
    clary__text_add(&report, "  %s: loaded%s%s\n", name, known ? " from " : "",
                    known ? where.dli_fname : "");
    return true;
}

static void load(void) {
    const char *chosen = clary__env("CLARY_OPENCL_LIBRARY");
    clary__text_add(&report, "OpenCL loader%s:\n", chosen ? " (from CLARY_OPENCL_LIBRARY)" : "");
    if (chosen) {
        loaded = try_library(chosen);
        return;
    }
    for (size_t i = 0; i < sizeof usual_names / sizeof *usual_names && !loaded; i++)
        loaded = try_library(usual_names[i]);
}

bool clary__cl_load(void) {
    pthread_once(&once, load);
    return loaded;
}

const char *clary__cl_load_report(void) {
    clary__cl_load();
    return report.data && !report.failed ? report.data : "";
}
