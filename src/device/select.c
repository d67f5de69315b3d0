/* select.c - from a selector string to a device.
 *
 * A selector is "<what>" or "<what>:<n>". What is a class (best, gpu, cpu, nvidia, amd, intel, pocl,
 * reference), a part of a device's or platform's name, or a position in the list. Alone it means the
 * fastest usable device it fits; with a number the n-th that it fits in list order, usable or not, so
 * that a number always means the same device.
 */
#include "device/device.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_SELECTOR 128

static bool has(const char *text, const char *part) {
    size_t length = strlen(part);
    for (; *text; text++)
        if (!strncasecmp(text, part, length)) return true;
    return length == 0;
}

static bool is_pocl(const clary_device_info *d) {
    return has(d->platform, "portable computing language") || has(d->platform, "pocl");
}

/* A vendor's own driver, on any device; or a GPU of the vendor under somebody else's driver. PoCL on
 * an AMD processor is "pocl", not "amd". */
static bool is_of(const clary_device_info *d, const char *vendor, const char *long_name) {
    if (has(d->platform, vendor) || has(d->platform, long_name)) return true;
    return !strcmp(d->type, "gpu") &&
           (has(d->vendor, vendor) || has(d->vendor, long_name) || has(d->name, long_name));
}

static bool fits(const clary_device_info *d, const char *what) {
    if (!strcmp(what, "best")) return true;
    if (!strcmp(what, "reference")) return !strcmp(d->backend, "reference");
    if (!strcmp(what, "gpu") || !strcmp(what, "cpu")) return !strcmp(d->type, what);
    if (!strcmp(what, "nvidia")) return is_of(d, "nvidia", "nvidia corporation");
    if (!strcmp(what, "amd")) return is_of(d, "amd", "advanced micro devices");
    if (!strcmp(what, "intel")) return is_of(d, "intel", "intel(r)");
    if (!strcmp(what, "pocl")) return is_pocl(d);
    return has(d->name, what) || has(d->platform, what);
}

/* For comparing devices of one machine; no measure of anything. The lanes behind one "compute unit"
 * differ by vendor. */
static double speed(const clary_device_info *d) {
    double lanes = is_of(d, "nvidia", "nvidia corporation") ? 128
                   : is_of(d, "intel", "intel(r)")          ? 8
                                                            : 64;
    double rate = lanes * (d->units ? d->units : 1) * (d->clock_mhz ? d->clock_mhz : 1);
    if (is_pocl(d)) rate *= 0.99; /* of two drivers for one device, the vendor's */
    if (!strcmp(d->type, "gpu")) return rate * (d->shares_host_memory ? 1e12 : 2e12);
    if (!strcmp(d->type, "accelerator")) return rate * 1e6;
    return !strcmp(d->backend, "reference") ? 0 : rate;
}

static void list_devices(clary__text *t, const clary_device_info *devices, int count) {
    for (int i = 0; i < count; i++)
        clary__text_add(t, "%s%d: %s (%s%s)", i ? ", " : "", i, devices[i].name,
                        devices[i].platform, devices[i].usable ? "" : "; not usable");
    if (count == 1)
        clary__text_add(t, "; no OpenCL device was found, see clary_device_diagnosis()");
}

static clary_status no_device(const char *selector, const char *why,
                              const clary_device_info *devices, int count) {
    clary__text t = {0};
    list_devices(&t, devices, count);
    clary_status status = clary__fail(CLARY_NO_DEVICE, "device_open: %s \"%s\"; there is %s", why,
                                      selector, t.data && !t.failed ? t.data : "no device");
    clary__text_free(&t);
    return status;
}

static clary_status not_usable(const char *selector, const clary_device_info *d) {
    return clary__fail(CLARY_NO_DEVICE, "device_open: \"%s\" is %s (%s), which is not usable: %s",
                       selector, d->name, d->platform, d->reason);
}

/* Decimal digits alone; a number too large for any list counts as INT_MAX. */
static bool parse_number(const char *text, int *out) {
    if (!*text || text[strspn(text, "0123456789")]) return false;
    *out = strlen(text) > 6 ? INT32_MAX : atoi(text);
    return true;
}

static clary_status select_nth(const char *selector, const char *what, int n,
                               const clary_device_info *devices, int count, int *out) {
    for (int i = 0; i < count; i++) {
        if ((what && !fits(&devices[i], what)) || n-- > 0) continue;
        if (!devices[i].usable) return not_usable(selector, &devices[i]);
        *out = i;
        return CLARY_OK;
    }
    return no_device(selector, "no device fits", devices, count);
}

static clary_status select_best(const char *selector, const char *what,
                                const clary_device_info *devices, int count, int *out) {
    int best = -1, broken = -1;
    for (int i = 0; i < count; i++) {
        if (!fits(&devices[i], what)) continue;
        if (!devices[i].usable) {
            if (broken < 0) broken = i;
        } else if (best < 0 || speed(&devices[i]) > speed(&devices[best])) {
            best = i;
        }
    }
    if (best < 0 && broken >= 0) return not_usable(selector, &devices[broken]);
    if (best < 0) return no_device(selector, "no device fits", devices, count);
    *out = best;
    return CLARY_OK;
}

clary_status clary__select(const char *selector, const clary_device_info *devices, int count,
                           int *out) {
    char what[MAX_SELECTOR];
    int n;
    if (!selector || !*selector) selector = clary__env("CLARY_DEVICE");
    if (!selector) selector = "best";
    while (isspace((unsigned char)*selector)) selector++;
    size_t length = strlen(selector);
    while (length && isspace((unsigned char)selector[length - 1])) length--;
    if (length == 0) return no_device("", "an empty selector", devices, count);
    if (length >= sizeof what) return no_device(selector, "too long a selector", devices, count);
    for (size_t i = 0; i < length; i++) what[i] = (char)tolower((unsigned char)selector[i]);
    what[length] = '\0';
    if (parse_number(what, &n)) return select_nth(selector, NULL, n, devices, count, out);
    char *colon = strrchr(what, ':');
    if (colon && colon != what && parse_number(colon + 1, &n)) {
        *colon = '\0';
        return select_nth(selector, what, n, devices, count, out);
    }
    return select_best(selector, what, devices, count, out);
}
