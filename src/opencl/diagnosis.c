/* diagnosis.c - why there is no OpenCL device, or fewer than expected, and what to install. */
#include "opencl/opencl.h"
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), k = strlen(end);
    return n >= k && !strcmp(text + n - k, end);
}

/* One .icd file: the library it names, and whether that can be loaded. */
static void describe_icd(clary__text *out, const char *path) {
    char library[512] = "";
    FILE *file = fopen(path, "r");
    if (file) {
        if (!fgets(library, sizeof library, file)) library[0] = '\0';
        fclose(file);
    }
    library[strcspn(library, "\r\n")] = '\0';
    clary__text_add(out, "  %s: ", path);
    if (!*library) {
        clary__text_add(out, "%s\n", file ? "names no library" : "cannot be read");
        return;
    }
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    const char *why = handle ? NULL : dlerror();
    clary__text_add(out, "%s (%s)\n", library,
                    handle ? "can be loaded"
                    : why  ? why
                           : "cannot be loaded");
    /* Never closed: drivers do not expect it. */
}

/* What containers often lack: NVIDIA's driver is passed in, the file that announces it is not. */
static void describe_unannounced(clary__text *out) {
    const char *library = "libnvidia-opencl.so.1";
    if (strstr(out->data ? out->data : "", library) || !dlopen(library, RTLD_LAZY | RTLD_LOCAL))
        return;
    clary__text_add(out,
                    "%s is installed, but no .icd file names it. This announces it:\n"
                    "  mkdir -p /etc/OpenCL/vendors && echo %s > /etc/OpenCL/vendors/nvidia.icd\n",
                    library, library);
}

static void describe_vendors(clary__text *out) {
    const char *place = clary__env("OCL_ICD_VENDORS");
    if (!place) place = clary__env("OPENCL_VENDOR_PATH");
    if (!place) place = "/etc/OpenCL/vendors";
    clary__text_add(out, "Drivers (.icd files) in %s:\n", place);
    if (ends_with(place, ".icd")) {
        describe_icd(out, place);
        return;
    }
    DIR *folder = opendir(place);
    int count = 0;
    for (struct dirent *e; folder && (e = readdir(folder));) {
        clary__text path = {0};
        if (!ends_with(e->d_name, ".icd")) continue;
        clary__text_add(&path, "%s/%s", place, e->d_name);
        if (!path.failed) describe_icd(out, path.data);
        clary__text_free(&path);
        count++;
    }
    if (folder) closedir(folder);
    if (!count) clary__text_add(out, "  %s\n", folder ? "none" : "the folder does not exist");
}

void clary__cl_diagnose(clary__text *out) {
    int usable = 0, count = clary__cl_count();
    for (int i = 0; i < count; i++) usable += clary__cl_entry_at(i)->info.usable;
    clary__text_add(out, "%s", clary__cl_load_report());
    describe_vendors(out);
    if (usable) return;
    describe_unannounced(out);
    clary__text_add(
        out,
        "No usable OpenCL device was found. What to install (Debian's and Ubuntu's names):\n"
        "  the loader:   ocl-icd-libopencl1\n"
        "  any CPU:      pocl-opencl-icd\n"
        "  NVIDIA GPUs:  nvidia-opencl-icd, with NVIDIA's driver\n"
        "  AMD GPUs:     mesa-opencl-icd, or ROCm's rocm-opencl-runtime\n"
        "  Intel GPUs:   intel-opencl-icd\n"
        "  In a container, the host's driver must be passed in, and its .icd file must be in the "
        "folder above.\n");
}
