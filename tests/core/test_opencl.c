/* test_opencl.c - what only OpenCL devices have: several at once, programs on disk, forks.
 *
 * On PoCL it asks for two devices of one platform. Skipped where there is no OpenCL device.
 */
#include "check.h"
#include "device/device.h"
#include "opencl/disk.h"
#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 70001

static float input[N], output[N];

/* output = input * 2 + 1 on the device; the status of what fails first. */
static clary_status compute(clary_device *device) {
    const int64_t shape[1] = {N};
    clary_array *a = NULL, *two = NULL, *one = NULL, *b = NULL, *c = NULL;
    clary_status status = clary_from_host(device, CLARY_FLOAT32, 1, shape, NULL, input, &a);
    if (!status)
        status = clary_scalar_array(device, (clary_scalar){.kind = CLARY_SCALAR_INT, .i = 2}, &two);
    if (!status)
        status = clary_scalar_array(device, (clary_scalar){.kind = CLARY_SCALAR_INT, .i = 1}, &one);
    if (!status) status = clary_multiply(a, two, &b);
    if (!status) status = clary_add(b, one, &c);
    memset(output, 0xA5, sizeof output);
    if (!status) status = clary_to_host(c, output, sizeof output);
    clary_release(&a);
    clary_release(&two);
    clary_release(&one);
    clary_release(&b);
    clary_release(&c);
    return status;
}

static bool right(void) {
    for (int i = 0; i < N; i++)
        if (output[i] != input[i] * 2 + 1) return false;
    return true;
}

/* The n-th usable OpenCL device, opened; NULL if there is none. */
static clary_device *open_nth(int n) {
    clary_device *device = NULL;
    clary_device_info info;
    for (int i = 0; i < clary_device_count(); i++) {
        char selector[16];
        if (clary_device_describe(i, &info) || !info.usable || strcmp(info.backend, "opencl") ||
            n--)
            continue;
        snprintf(selector, sizeof selector, "%d", i);
        CHECK_OK(clary_device_open(selector, &device));
        return device;
    }
    return NULL;
}

static clary_counters counts(void) {
    clary_counters c;
    clary_get_counters(&c);
    return c;
}

/* ---- two devices ---- */

static void two_devices(void) {
    clary_device *first = open_nth(0), *second = open_nth(1), *again = open_nth(0);
    const int64_t shape[1] = {3};
    const float data[3] = {1, 2, 3};
    float back[3] = {0};
    CHECK(first == again);
    clary_device_release(&again);
    if (!second) { /* not PoCL, and a single device */
        clary_device_release(&first);
        return;
    }
    CHECK(first != second);
    for (int k = 0; k < 3; k++) {
        CHECK_OK(compute(first));
        CHECK(right());
        CHECK_OK(compute(second));
        CHECK(right());
    }
    clary_array *a = NULL, *b = NULL, *c = NULL;
    CHECK_OK(clary_from_host(first, CLARY_FLOAT32, 1, shape, NULL, data, &a));
    CHECK_OK(clary_from_host(second, CLARY_FLOAT32, 1, shape, NULL, data, &b));
    CHECK_STATUS(clary_add(a, b, &c), CLARY_DEVICE_MISMATCH);
    clary_release(&b);
    CHECK_OK(clary_to_device(a, second, &b));
    clary_device_release(&second);
    clary_device_release(&first); /* the arrays keep both open */
    CHECK_OK(clary_to_host(b, back, sizeof back));
    CHECK_BYTES(back, data, sizeof data);
    clary_release(&a);
    clary_release(&b);
    CHECK_OK(clary_synchronize(NULL));
}

/* ---- programs on disk ---- */

typedef struct header { /* of src/opencl/disk.c */
    char magic[8];
    uint32_t version, reserved;
    uint64_t key_bytes, data_bytes, checksum;
} header;

/* Replaces the data of every entry by `data` under the entry's key: it verifies, but is no program. */
static int replace_all(const char *folder, const char *data) {
    int count = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[1024];
        header h;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "rb");
        char *key = NULL;
        if (f && fread(&h, sizeof h, 1, f) == 1 && (key = malloc(h.key_bytes)) &&
            fread(key, 1, h.key_bytes, f) == h.key_bytes)
            count++;
        if (f) fclose(f);
        if (key) clary__disk_save(key, h.key_bytes, data, strlen(data));
        free(key);
    }
    if (d) closedir(d);
    return count;
}

static void remove_folder(const char *folder) {
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) unlink(path);
    }
    if (d) closedir(d);
    rmdir(folder);
}

/* Opens the first device with nothing in memory, computes, and closes it. */
static void run_fresh(void) {
    clary_device *device = open_nth(0);
    clary_reset_counters();
    CHECK_OK(compute(device));
    CHECK(right());
    clary_device_release(&device);
}

static void programs_on_disk(void) {
    char folder[64];
    snprintf(folder, sizeof folder, "programs-%ld", (long)getpid());
    setenv("CLARY_CACHE_DIR", folder, 1);
    run_fresh();
    CHECK(counts().builds > 0);
    run_fresh();
    CHECK(counts().builds == 0 && counts().disk_hits > 0);
    CHECK(replace_all(folder, "no program at all") > 0);
    run_fresh(); /* the driver refuses it: built anew, and kept */
    CHECK(counts().builds > 0);
    run_fresh();
    CHECK(counts().builds == 0 && counts().disk_hits > 0);
    remove_folder(folder);

    /* A folder that cannot be made changes nothing but the time. */
    setenv("CLARY_CACHE_DIR", "/dev/null/cache", 1);
    run_fresh();
    CHECK(counts().builds > 0 && counts().disk_hits == 0);
    setenv("CLARY_CACHE", "off", 1);
    setenv("CLARY_CACHE_DIR", folder, 1);
    run_fresh();
    struct stat info;
    CHECK(counts().builds > 0 && stat(folder, &info) != 0);
    unsetenv("CLARY_CACHE");
}

/* ---- a child made by fork: a clear error or the right answer, never a hang ---- */

static int in_child(clary_device *device, clary_array *computed) {
    clary_device *reference = NULL, *other = NULL;
    memset(output, 0, sizeof output);
    if (clary_array_device(computed) != device) return 1;
    clary_device_info info;
    if (clary_device_get_info(device, &info)) return 2;
    clary_status status = clary_to_host(computed, output, sizeof output);
    if (info.shares_host_memory ? status != CLARY_OK || memcmp(input, output, sizeof input)
                                : status != CLARY_DEVICE_ERROR)
        return 3; /* what lies in host memory is still there */
    if (compute(device) != CLARY_DEVICE_ERROR || !strstr(clary_last_error(), "fork")) return 4;
    if (clary_device_open("reference", &reference) || compute(reference) || !right()) return 5;
    clary_device_release(&reference);
    if (clary_device_open("pocl:1", &other) == CLARY_OK) return 6; /* known, not opened before */
    return clary_synchronize(device) == CLARY_INTERNAL;
}

static void forked(void) {
    clary_device *device = open_nth(0);
    const int64_t shape[1] = {N};
    clary_array *a = NULL;
    int status = 0;
    CHECK_OK(clary_from_host(device, CLARY_FLOAT32, 1, shape, NULL, input, &a));
    CHECK_OK(compute(device));
    pid_t child = fork();
    if (child == 0) {
        alarm(30);
        int failed = in_child(device, a);
        clary_release(&a);
        clary_device_release(&device);
        _exit(failed);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %x", status);
    CHECK_OK(compute(device)); /* the parent does not notice */
    CHECK(right());
    clary_release(&a);
    clary_device_release(&device);
}

int main(void) {
    setenv("POCL_DEVICES", "pthread basic", 1);
    setenv("CLARY_JIT", "always", 1);
    for (int i = 0; i < N; i++) input[i] = (float)check_random_int(-1000, 1000);
    clary_device *any = open_nth(0);
    if (!any) {
        printf("no OpenCL device: %s\n", clary_device_diagnosis());
        return CHECK_SKIPPED;
    }
    clary_device_release(&any);
    SECTION("two devices");
    two_devices();
    SECTION("a child made by fork");
    forked();
    SECTION("programs on disk");
    programs_on_disk();
    CHECK_NO_LEAKS();
    return check_done();
}
