/* test_device.c - selectors, the memory pool, the disk cache, allocation failures. */
#include "array/array.h"
#include "check.h"
#include "clary/engine.h"
#include "device/device.h"
#include "opencl/disk.h"
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- selectors, on a made-up machine ---- */

static clary_device_info fake(const char *name, const char *platform, const char *vendor,
                              const char *type, uint32_t units, bool usable) {
    return (clary_device_info){.name = name,
                               .platform = platform,
                               .vendor = vendor,
                               .driver = "1",
                               .version = "OpenCL 3.0",
                               .backend = "opencl",
                               .type = type,
                               .usable = usable,
                               .reason = usable ? "" : "it is broken",
                               .fp64 = true,
                               .units = units,
                               .clock_mhz = 1000,
                               .memory = 1u << 30};
}

static void selectors(void) {
    clary_device_info machine[] = {
        fake("AMD Radeon", "AMD Accelerated", "Advanced Micro Devices", "gpu", 20, true),
        fake("NVIDIA H200", "NVIDIA CUDA", "NVIDIA Corporation", "gpu", 132, true),
        fake("NVIDIA T4", "NVIDIA CUDA", "NVIDIA Corporation", "gpu", 40, true),
        fake("Broken GPU", "Somewhere", "Nobody", "gpu", 999, false),
        fake("cpu-zen", "Portable Computing Language", "AuthenticAMD", "cpu", 8, true),
        fake("reference", "Clary", "Clary", "reference", 8, true),
    };
    machine[5].backend = "reference";
    static const struct {
        const char *selector;
        int index;
    } good[] = {{"best", 1},     {"gpu", 1},  {"nvidia", 1}, {"NVIDIA", 1},
                {"nvidia:1", 2}, {"cpu", 4},  {"pocl", 4},   {"reference", 5},
                {"2", 2},        {"h200", 1}, {"radeon", 0}};
    int n = (int)(sizeof machine / sizeof *machine), index;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        index = -1;
        CHECK_OK(clary__select(good[i].selector, machine, n, &index));
        CHECK_MSG(index == good[i].index, "%s chose %d", good[i].selector, index);
    }
    CHECK_ERROR(clary__select("tpu", machine, n, &index), CLARY_NO_DEVICE, "tpu");
    CHECK_ERROR(clary__select("tpu", machine, n, &index), CLARY_NO_DEVICE, "NVIDIA H200");
    CHECK_STATUS(clary__select("nvidia:2", machine, n, &index), CLARY_NO_DEVICE);
    CHECK_STATUS(clary__select("17", machine, n, &index), CLARY_NO_DEVICE);
    CHECK_ERROR(clary__select("broken", machine, n, &index), CLARY_NO_DEVICE, "it is broken");
    CHECK_OK(clary__select("best", machine + 5, 1, &index)); /* nothing but the reference device */
    CHECK_INT(index, 0);
}

/* ---- the pool ---- */

static clary_array *block_of(int64_t elements) {
    clary_array *a = NULL;
    CHECK_OK(clary_empty(NULL, CLARY_FLOAT32, 1, &elements, &a));
    CHECK_OK(clary_eval(&a, 1));
    return a;
}

static void pool(void) {
    clary_device *device = NULL;
    clary_memory_stats before, after;
    CHECK_OK(clary_default_device(&device));
    CHECK_OK(clary_device_trim(device));
    CHECK_OK(clary_device_memory(device, &before));
    CHECK_INT((int64_t)before.pooled, 0);
    clary_array *a = block_of(100000);
    CHECK_OK(clary_device_memory(device, &after));
    CHECK(after.live >= before.live + 400000 && after.live < before.live + 600000);
    CHECK(after.allocations == before.allocations + 1);
    clary_release(&a);
    CHECK_OK(clary_device_memory(device, &after));
    CHECK(after.live == before.live && after.pooled >= 400000);
    a = block_of(99990); /* the same size class: the pooled buffer */
    CHECK_OK(clary_device_memory(device, &after));
    CHECK(after.reuses == before.reuses + 1 && after.allocations == before.allocations + 1);
    clary_release(&a);

    /* A limit: first the pool is given back, then the call fails, and the next works. */
    CHECK_OK(clary_device_set_memory_limit(device, before.live + 1000000));
    a = block_of(200000);
    int64_t many = 220000, few = 1000;
    clary_array *b = NULL, *c = NULL;
    CHECK_OK(clary_empty(NULL, CLARY_FLOAT32, 1, &many, &b));
    CHECK_ERROR(clary_eval(&b, 1), CLARY_OUT_OF_MEMORY, "limit");
    CHECK_OK(clary_zeros(NULL, CLARY_FLOAT32, 1, &few, &c));
    CHECK_OK(clary_eval(&c, 1));
    clary_release(&a);
    CHECK_OK(clary_eval(&b, 1)); /* what failed can be tried again */
    CHECK_OK(clary_device_set_memory_limit(device, 0));
    clary_release(&b);
    clary_release(&c);
    CHECK_OK(clary_device_trim(device));
    CHECK_OK(clary_device_memory(device, &after));
    CHECK_INT((int64_t)after.pooled, 0);
}

/* ---- the disk cache ---- */

static char cache[64];

static bool holds(const char *key, const char *wanted) {
    unsigned char *data;
    size_t bytes = 0;
    if (!clary__disk_load(key, strlen(key), &data, &bytes)) return false;
    bool same = bytes == strlen(wanted) && !memcmp(data, wanted, bytes);
    clary__dealloc(data);
    return same;
}

static void put(const char *key, const char *data) {
    clary__disk_save(key, strlen(key), data, strlen(data));
}

/* The files of the cache; path i. */
static int list(char paths[][512], int most) {
    int n = 0;
    DIR *folder = opendir(cache);
    for (struct dirent *e; folder && (e = readdir(folder));)
        if (e->d_name[0] != '.' && n < most) snprintf(paths[n++], 512, "%s/%s", cache, e->d_name);
    if (folder) closedir(folder);
    return n;
}

static void remove_all(void) {
    char paths[16][512];
    for (int n = list(paths, 16); n > 0;) unlink(paths[--n]);
}

static void disk(void) {
    char paths[16][512];
    struct stat info;
    snprintf(cache, sizeof cache, "disk-cache-%ld", (long)getpid());
    setenv("CLARY_CACHE_DIR", cache, 1);
    unsetenv("CLARY_CACHE");
    CHECK(!holds("one", "first"));
    put("one", "first");
    put("two", "second");
    CHECK(holds("one", "first") && holds("two", "second") && !holds("three", ""));
    put("one", "");
    CHECK(holds("one", ""));
    put("one", "first");
    CHECK(stat(cache, &info) == 0 && (info.st_mode & 0777) == 0700);
    CHECK_INT(list(paths, 16), 2);

    /* Swapped: each has the other's key. */
    CHECK(rename(paths[0], "swap") == 0 && rename(paths[1], paths[0]) == 0 &&
          rename("swap", paths[1]) == 0);
    CHECK(!holds("one", "first") && !holds("two", "second"));
    remove_all();

    /* Every byte changed in turn, and every length but the right one. */
    put("one", "first");
    CHECK_INT(list(paths, 16), 1);
    char good[512], bad[512];
    FILE *f = fopen(paths[0], "rb");
    size_t size = fread(good, 1, sizeof good, f);
    fclose(f);
    for (size_t i = 0; i < size; i++) {
        memcpy(bad, good, size);
        bad[i] ^= 0x40;
        f = fopen(paths[0], "wb");
        fwrite(bad, 1, size, f);
        fclose(f);
        bool reserved = i >= 12 && i < 16;
        CHECK_MSG(reserved || !holds("one", "first"), "byte %zu", i);
        CHECK(truncate(paths[0], (off_t)i) == 0);
        CHECK(!holds("one", "first"));
    }
    put("one", "first");
    CHECK(holds("one", "first"));
    remove_all();

    /* A folder others can write to is not trusted; "off" means off. */
    CHECK(chmod(cache, 0777) == 0);
    put("one", "first");
    CHECK(!holds("one", "first") && list(paths, 16) == 0);
    CHECK(chmod(cache, 0700) == 0);
    setenv("CLARY_CACHE", "off", 1);
    put("one", "first");
    CHECK(!holds("one", "first"));
    unsetenv("CLARY_CACHE");
    remove_all();
    CHECK(rmdir(cache) == 0);
}

/* ---- every host allocation of a small program fails in turn ---- */

static clary_status program(float *out) {
    float data[6] = {1, 2, 3, 4, 5, 6};
    int64_t shape[2] = {2, 3};
    int axis = 0;
    clary_array *a = NULL, *b = NULL, *c = NULL, *d = NULL;
    clary_status status;
    TRY_GOTO(done, clary_from_host(NULL, CLARY_FLOAT32, 2, shape, NULL, data, &a));
    TRY_GOTO(done, clary_transpose(a, NULL, &b));
    TRY_GOTO(done, clary_add(b, b, &c));
    TRY_GOTO(done, clary_assign(b, c));
    TRY_GOTO(done, clary_std(a, 1, &axis, 0, false, &d));
    status = clary_to_host(d, out, 3 * sizeof *out);
done:
    clary_release(&a);
    clary_release(&b);
    clary_release(&c);
    clary_release(&d);
    return status;
}

static void allocation_failures(void) {
    float out[3];
    int failures = 0;
    CHECK_OK(program(out));
    for (int n = 1; n < 2000; n++) {
        clary__alloc_fail_at(n);
        clary_status status = program(out);
        clary__alloc_fail_at(0);
        if (status == CLARY_OK) break;
        failures++;
        CHECK_INT(status, CLARY_OUT_OF_MEMORY);
    }
    CHECK(failures > 5);
    CHECK_OK(program(out));
    CHECK(out[0] == 3 && out[1] == 3 && out[2] == 3);
}

int main(void) {
    SECTION("selectors");
    selectors();
    SECTION("pool");
    pool();
    SECTION("allocation failures");
    allocation_failures();
    SECTION("disk cache");
    disk();
    CHECK_NO_LEAKS();
    return check_done();
}
