/* clary-info.c - what Clary finds on this machine.
 *
 *     clary-info [--json]
 *
 * Lists every device, usable or not, marks the default one, and says what was looked for and what to
 * install where no OpenCL device can be used. Exit status 0 if a default device could be opened.
 */
#include <clary.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_size(const char *name, uint64_t bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int unit = 0;
    while (value >= 1024 && unit < 4) {
        value /= 1024;
        unit++;
    }
    printf("%s %.4g %s", name, value, units[unit]);
}

static void print_device(int index, const clary_device_info *d, bool chosen) {
    printf("%d: %s%s\n", index, d->name, chosen ? "  (default)" : "");
    printf("   platform   %s, %s\n", d->platform, d->vendor);
    if (!d->usable) {
        printf("   unusable   %s\n", d->reason);
        return;
    }
    printf("   type       %s, backend %s", d->type, d->backend);
    if (d->version[0]) printf(", %s, driver %s", d->version, d->driver);
    printf("\n   has       %s%s%s%s%s\n", d->fp64 ? " fp64" : "", d->fp16 ? " fp16" : "",
           d->int64_atomics ? " int64-atomics" : "", d->shares_host_memory ? " host-memory" : "",
           d->fp64 || d->fp16 || d->int64_atomics || d->shares_host_memory ? "" : " -");
    printf("   units      %" PRIu32 " at %" PRIu32 " MHz, subgroup %" PRIu32
           ", work-group up to %" PRIu64 "\n",
           d->units, d->clock_mhz, d->subgroup, d->max_work_group);
    print_size("   memory    ", d->memory);
    print_size(", largest buffer", d->max_allocation);
    print_size(", local", d->local_memory);
    printf("\n");
}

static void json_string(const char *key, const char *text) {
    printf("\"%s\": \"", key);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if (*c < 0x20)
            printf("\\u%04x", *c);
        else
            putchar(*c);
    }
    putchar('"');
}

static void json_device(int index, const clary_device_info *d) {
#define STRING(field) (json_string(#field, d->field), printf(", "))
#define BOOLEAN(field) printf("\"%s\": %s, ", #field, d->field ? "true" : "false")
#define NUMBER(field, end) printf("\"%s\": %" PRIu64 "%s", #field, (uint64_t)d->field, end)
    printf("%s\n    {\"index\": %d, ", index ? "," : "", index);
    STRING(name), STRING(platform), STRING(vendor), STRING(driver), STRING(version);
    STRING(backend), STRING(type), STRING(reason);
    BOOLEAN(usable), BOOLEAN(fp64), BOOLEAN(fp16), BOOLEAN(int64_atomics),
        BOOLEAN(shares_host_memory);
    NUMBER(subgroup, ", "), NUMBER(units, ", "), NUMBER(clock_mhz, ", "),
        NUMBER(max_work_group, ", ");
    NUMBER(local_memory, ", "), NUMBER(memory, ", "), NUMBER(max_allocation, "}");
}

int main(int argc, char **argv) {
    bool json = argc == 2 && !strcmp(argv[1], "--json"), opencl = false;
    if (argc > 1 && !json) {
        printf("usage: clary-info [--json]\n");
        return strcmp(argv[1], "--help") ? 2 : 0;
    }
    clary_device *device = NULL;
    clary_device_info chosen, info;
    memset(&chosen, 0, sizeof chosen);
    bool opened = clary_default_device(&device) == CLARY_OK &&
                  clary_device_get_info(device, &chosen) == CLARY_OK;
    const char *problem = opened ? "" : clary_last_error();

    if (json) {
        printf("{\n  ");
        json_string("version", clary_version());
        printf(",\n  \"devices\": [");
    } else {
        printf("Clary %s\n", clary_version());
    }
    for (int i = 0; i < clary_device_count(); i++) {
        if (clary_device_describe(i, &info) != CLARY_OK) continue;
        opencl |= info.usable && !strcmp(info.backend, "opencl");
        if (json)
            json_device(i, &info);
        else
            print_device(i, &info,
                         opened && info.name == chosen.name && info.platform == chosen.platform);
    }
    if (json) {
        printf("\n  ],\n  ");
        json_string("default", opened ? chosen.name : "");
        printf(",\n  ");
        json_string("problem", problem);
        printf(",\n  ");
        json_string("diagnosis", clary_device_diagnosis());
        printf("\n}\n");
    } else {
        if (!opened) printf("%s\n", problem);
        if (!opencl) printf("%s\n", clary_device_diagnosis());
    }
    return opened ? 0 : 1;
}
