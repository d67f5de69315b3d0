/* test_rearrange.c - roll, triangles, diagonals and differences as a C program uses them, against loops. */
#include "check.h"

enum { ROWS = 3, COLS = 5 };

/* ROWS x COLS of 0, 1, 2, ... */
static clary_array *numbered(void) {
    int64_t data[ROWS * COLS];
    clary_array *a = NULL;
    for (int i = 0; i < ROWS * COLS; i++) data[i] = i;
    CHECK_OK(clary_from_host(NULL, CLARY_INT64, 2, (int64_t[]){ROWS, COLS}, NULL, data, &a));
    return a;
}

static void expect(clary_array *got, const int64_t *wanted, int count) {
    int64_t data[64];
    if (!CHECK(clary_array_size(got) == count)) return;
    if (!CHECK_OK(clary_to_host(got, data, (size_t)count * sizeof *data))) return;
    for (int i = 0; i < count; i++) CHECK_INT(data[i], wanted[i]);
}

static void check_roll(void) {
    SECTION("roll");
    clary_array *a = numbered(), *out = NULL;
    int64_t wanted[ROWS * COLS];
    for (int64_t down = -4; down <= 4; down++)
        for (int64_t right = -7; right <= 7; right += 2) {
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < COLS; j++) {
                    int64_t to_row = ((i + down) % ROWS + ROWS) % ROWS;
                    int64_t to_col = ((j + right) % COLS + COLS) % COLS;
                    wanted[to_row * COLS + to_col] = i * COLS + j;
                }
            /* An axis may come twice: its shifts add up. */
            int64_t shifts[] = {right - 1, down, 1};
            if (CHECK_OK(clary_roll(a, 3, shifts, (int[]){1, -2, -1}, &out)))
                expect(out, wanted, ROWS * COLS);
            clary_release(&out);
        }
    CHECK_STATUS(clary_roll(a, 1, (int64_t[]){1}, (int[]){2}, &out), CLARY_AXIS_OUT_OF_RANGE);
    CHECK(out == NULL);
    clary_release(&a);
}

static void check_triangles(void) {
    SECTION("tril and triu");
    clary_array *a = numbered(), *out = NULL, *point = NULL;
    int64_t lower[ROWS * COLS], upper[ROWS * COLS];
    const int64_t diagonals[] = {INT64_MIN, -2, 0, 1, 6, INT64_MAX};
    for (size_t n = 0; n < sizeof diagonals / sizeof *diagonals; n++) {
        int64_t k = diagonals[n];
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLS; j++) {
                int at = i * COLS + j;
                lower[at] = j - i <= k ? at : 0;
                upper[at] = j - i >= k ? at : 0;
            }
        if (CHECK_OK(clary_tril(a, k, &out))) expect(out, lower, ROWS * COLS);
        clary_release(&out);
        if (CHECK_OK(clary_triu(a, k, &out))) expect(out, upper, ROWS * COLS);
        clary_release(&out);
    }
    CHECK_OK(clary_zeros(NULL, CLARY_INT64, 0, NULL, &point));
    CHECK_STATUS(clary_tril(point, 0, &out), CLARY_INVALID_ARGUMENT);
    clary_release(&point);
    clary_release(&a);
}

static void check_diagonals(void) {
    SECTION("diag");
    clary_array *a = numbered(), *line = NULL, *square = NULL;
    if (CHECK_OK(clary_diag(a, 1, &line))) expect(line, (int64_t[]){1, 7, 13}, 3);
    if (CHECK_OK(clary_diag(line, -1, &square)))
        expect(square, (int64_t[]){0, 0, 0, 0, 1, 0, 0, 0, 0, 7, 0, 0, 0, 0, 13, 0}, 16);
    clary_release(&square);
    CHECK_STATUS(clary_diag(line, INT64_MIN, &square), CLARY_INVALID_ARGUMENT);
    clary_release(&line);
    clary_release(&a);
}

static void check_differences(void) {
    SECTION("diff");
    clary_array *a = numbered(), *out = NULL;
    if (CHECK_OK(clary_diff(a, 1, 0, &out)))
        expect(out, (int64_t[]){5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, 10);
    clary_release(&out);
    if (CHECK_OK(clary_diff(a, 2, -1, &out)))
        expect(out, (int64_t[]){0, 0, 0, 0, 0, 0, 0, 0, 0}, 9);
    clary_release(&out);
    if (CHECK_OK(clary_diff(a, INT64_MAX, 1, &out))) CHECK(clary_array_size(out) == 0);
    clary_release(&out);
    CHECK_STATUS(clary_diff(a, -1, 0, &out), CLARY_INVALID_ARGUMENT);
    clary_release(&a);
}

int main(void) {
    check_roll();
    check_triangles();
    check_diagonals();
    check_differences();
    CHECK_NO_LEAKS();
    return check_done();
}
