/* counters.c - totals over the whole process: what ran, what was compiled, what moved.
 *
 * Relaxed atomics: each number is right by itself, a snapshot need not be of one instant.
 */
#include "device/device.h"
#include <stdio.h>
#include <string.h>

clary__totals clary__totals_now;

static uint64_t load(atomic_ullong *counter) {
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static uint64_t load_signed(atomic_llong *counter) {
    long long n = atomic_load_explicit(counter, memory_order_relaxed);
    return n > 0 ? (uint64_t)n : 0;
}

void clary_get_counters(clary_counters *out) {
    clary__totals *t = &clary__totals_now;
    *out = (clary_counters){
        .launches = load(&t->launches),
        .host_runs = load(&t->host_runs),
        .builds = load(&t->builds),
        .memory_hits = load(&t->memory_hits),
        .disk_hits = load(&t->disk_hits),
        .bytes_up = load(&t->bytes_up),
        .bytes_down = load(&t->bytes_down),
        .bytes_kernels = load(&t->bytes_kernels),
        .live_bytes = load_signed(&t->live_bytes),
        .peak_bytes = load_signed(&t->peak_bytes),
        .live_arrays = load_signed(&t->live_arrays),
        .live_values = load_signed(&t->live_values),
    };
}

void clary_reset_counters(void) {
    clary__totals *t = &clary__totals_now;
    atomic_ullong *const counters[] = {&t->launches,    &t->host_runs,    &t->builds,
                                       &t->memory_hits, &t->disk_hits,    &t->bytes_up,
                                       &t->bytes_down,  &t->bytes_kernels};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) atomic_store(counters[i], 0);
    clary__lock(); /* live and peak change under it */
    atomic_store(&t->peak_bytes, atomic_load(&t->live_bytes));
    clary__devices_reset_peaks();
    clary__unlock();
}

/* CLARY_LEAK=1, for tests: what is alive when the process ends was not released. */
__attribute__((destructor)) static void report_leaks(void) {
    const char *wanted = clary__env("CLARY_LEAK");
    clary_counters now;
    if (!wanted || !strcmp(wanted, "0")) return;
    clary_get_counters(&now);
    if (now.live_arrays || now.live_values)
        fprintf(stderr, "clary: leak: %llu arrays and %llu values were not released\n",
                (unsigned long long)now.live_arrays, (unsigned long long)now.live_values);
}
