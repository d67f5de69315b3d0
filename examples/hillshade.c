/* hillshade.c - shaded relief of a terrain model, as one array expression.
 *
 *     hillshade [ELEVATION.npy DX DY [PICTURE.pgm [SHADE.npy]]]
 *
 * DX and DY are the sizes of a cell in the unit of the elevations; row 0 is the north edge. Without
 * arguments a terrain of sines is made up. Slopes come from central differences: four shifted views of one
 * array, not four copies. Everything from the elevations to the picture's bytes is recorded first and runs
 * as one kernel, as the counters show. The result is checked against the same formula in plain C.
 */
#include <clary.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define RADIANS (3.14159265358979323846 / 180)
static const double azimuth = 315 * RADIANS, altitude = 45 * RADIANS;

/* An expression under construction: owns every array made on the way, and remembers the first failure,
 * after which nothing more happens. So the formula below reads as one. */
typedef struct expression {
    clary_array *made[64];
    int count;
    clary_status status;
} expression;

/* Takes what a call of the given status has made. */
static clary_array *keep(expression *e, clary_status status, clary_array **made) {
    if (e->status == CLARY_OK) e->status = status;
    if (*made) e->made[e->count++] = *made;
    return *made;
}

static clary_array *unary(expression *e, clary_op op, clary_array *x) {
    clary_array *out = NULL;
    return e->status ? NULL : keep(e, clary_apply(op, &x, &out), &out);
}

static clary_array *binary(expression *e, clary_op op, clary_array *x, clary_array *y) {
    clary_array *inputs[2] = {x, y}, *out = NULL;
    return e->status ? NULL : keep(e, clary_apply(op, inputs, &out), &out);
}

static clary_array *number(expression *e, double value) {
    clary_scalar scalar = {CLARY_SCALAR_FLOAT, 0, 0, value, 0};
    clary_array *out = NULL;
    return e->status ? NULL : keep(e, clary_scalar_array(NULL, scalar, &out), &out);
}

static clary_array *cast(expression *e, clary_array *x, clary_dtype dtype) {
    clary_array *out = NULL;
    return e->status ? NULL : keep(e, clary_astype(x, dtype, CLARY_CAST_UNSAFE, &out), &out);
}

/* z without its border, shifted: z[1+down : rows-1+down, 1+right : columns-1+right]. */
static clary_array *shifted(expression *e, clary_array *z, int down, int right) {
    if (e->status) return NULL;
    const int64_t *shape = clary_array_shape(z);
    clary_index items[2] = {
        {CLARY_INDEX_SLICE, true, true, 1 + down, shape[0] - 1 + down, 1},
        {CLARY_INDEX_SLICE, true, true, 1 + right, shape[1] - 1 + right, 1},
    };
    clary_array *out = NULL;
    return keep(e, clary_get(z, 2, items, &out), &out);
}

/* Light on the terrain, 0 to 1, for a sun at `azimuth` (clockwise from north) and `altitude`. */
static clary_array *hillshade(expression *e, clary_array *z, double dx, double dy) {
    clary_array *east = binary(e, CLARY_OP_subtract, shifted(e, z, 0, 1), shifted(e, z, 0, -1));
    clary_array *north = binary(e, CLARY_OP_subtract, shifted(e, z, -1, 0), shifted(e, z, 1, 0));
    east = binary(e, CLARY_OP_divide, east, number(e, 2 * dx));
    north = binary(e, CLARY_OP_divide, north, number(e, 2 * dy));
    clary_array *slope = unary(e, CLARY_OP_arctan, binary(e, CLARY_OP_hypot, east, north));
    clary_array *aspect = binary(e, CLARY_OP_arctan2, unary(e, CLARY_OP_negative, east),
                                 unary(e, CLARY_OP_negative, north)); /* where it faces */
    clary_array *flat =
        binary(e, CLARY_OP_multiply, number(e, sin(altitude)), unary(e, CLARY_OP_cos, slope));
    clary_array *turn =
        unary(e, CLARY_OP_cos, binary(e, CLARY_OP_subtract, number(e, azimuth), aspect));
    clary_array *tilt = binary(e, CLARY_OP_multiply, unary(e, CLARY_OP_sin, slope), turn);
    tilt = binary(e, CLARY_OP_multiply, number(e, cos(altitude)), tilt);
    return binary(e, CLARY_OP_maximum, binary(e, CLARY_OP_add, flat, tilt), number(e, 0));
}

/* Largest difference to the same formula on the host. */
static double largest_error(const float *z, const float *shade, int64_t rows, int64_t columns,
                            double dx, double dy) {
    double worst = 0;
    for (int64_t i = 1; i < rows - 1; i++)
        for (int64_t j = 1; j < columns - 1; j++) {
            const float *p = z + i * columns + j;
            double east = (p[1] - p[-1]) / (2 * dx), north = (p[-columns] - p[columns]) / (2 * dy);
            double slope = atan(hypot(east, north)), aspect = atan2(-east, -north);
            double light =
                sin(altitude) * cos(slope) + cos(altitude) * sin(slope) * cos(azimuth - aspect);
            double error = fabs(fmax(light, 0) - shade[(i - 1) * (columns - 2) + j - 1]);
            if (!(error <= worst)) worst = error; /* a NaN must not pass */
        }
    return worst;
}

static clary_status made_up_terrain(clary_array **out) {
    enum { ROWS = 301, COLUMNS = 407 };
    static float z[ROWS][COLUMNS];
    const int64_t shape[2] = {ROWS, COLUMNS};
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            z[i][j] =
                (float)(300 * sin(i * 0.031) * cos(j * 0.023) + 40 * sin(i * 0.21 + j * 0.13));
    return clary_from_host(NULL, CLARY_FLOAT32, 2, shape, NULL, z, out);
}

static int write_pgm(const char *path, const unsigned char *pixels, int64_t rows, int64_t columns) {
    FILE *file = fopen(path, "wb");
    if (!file) return 0;
    int ok = fprintf(file, "P5\n%lld %lld\n255\n", (long long)columns, (long long)rows) > 0 &&
             fwrite(pixels, (size_t)columns, (size_t)rows, file) == (size_t)rows;
    return fclose(file) == 0 && ok;
}

int main(int argc, char **argv) {
    expression e = {.status = CLARY_OK};
    clary_array *loaded = NULL;
    clary_counters counters;
    double dx = 30, dy = 30, error = INFINITY;
    int written = 1;
    float *host_z = NULL, *host_shade = NULL;
    unsigned char *pixels = NULL;

    if (argc == 2 || argc == 3 || argc > 6) {
        fprintf(stderr, "usage: hillshade [ELEVATION.npy DX DY [PICTURE.pgm [SHADE.npy]]]\n");
        return 2;
    }
    if (argc > 3) {
        dx = atof(argv[2]);
        dy = atof(argv[3]);
    }
    clary_status status =
        argc > 1 ? clary_load_npy(NULL, argv[1], &loaded) : made_up_terrain(&loaded);
    clary_array *elevation = keep(&e, status, &loaded);
    if (elevation && (clary_array_ndim(elevation) != 2 || clary_array_shape(elevation)[0] < 3 ||
                      clary_array_shape(elevation)[1] < 3)) {
        fprintf(stderr, "hillshade: the elevations must be a table of at least 3 x 3\n");
        clary_release(&loaded);
        return 2;
    }
    clary_array *z = cast(&e, elevation, CLARY_FLOAT32);
    clary_array *shade = hillshade(&e, z, dx, dy);
    clary_array *grey = binary(
        &e, CLARY_OP_add, binary(&e, CLARY_OP_multiply, shade, number(&e, 255)), number(&e, 0.5));
    clary_array *image = cast(&e, grey, CLARY_UINT8);
    if (e.status == CLARY_OK) {
        int64_t rows = clary_array_shape(z)[0], columns = clary_array_shape(z)[1];
        size_t size = (size_t)clary_array_size(shade);
        host_z = malloc((size_t)(rows * columns) * sizeof *host_z);
        host_shade = malloc(size * sizeof *host_shade);
        pixels = malloc(size);
        if (!host_z || !host_shade || !pixels) {
            fprintf(stderr, "hillshade: out of memory\n");
            goto done;
        }
        clary_array *wanted[2] = {shade, image};
        clary_reset_counters();
        e.status = clary_eval(wanted, 2);
        if (e.status == CLARY_OK) e.status = clary_synchronize(NULL);
        clary_get_counters(&counters);
        if (e.status == CLARY_OK)
            e.status = clary_to_host(shade, host_shade, size * sizeof *host_shade);
        if (e.status == CLARY_OK) e.status = clary_to_host(image, pixels, size);
        if (e.status == CLARY_OK)
            e.status = clary_to_host(z, host_z, (size_t)(rows * columns) * sizeof *host_z);
        if (e.status == CLARY_OK && argc > 5) e.status = clary_save_npy(argv[5], shade);
        if (e.status != CLARY_OK) goto done;

        if (argc > 4) written = write_pgm(argv[4], pixels, rows - 2, columns - 2);
        if (!written) fprintf(stderr, "hillshade: cannot write %s\n", argv[4]);
        error = largest_error(host_z, host_shade, rows, columns, dx, dy);
        printf("%lld x %lld elevations shaded by %llu kernel%s; %.2f MB read and written\n",
               (long long)rows, (long long)columns, (unsigned long long)counters.launches,
               counters.launches == 1 ? "" : "s", 1e-6 * (double)counters.bytes_kernels);
        printf("largest difference to plain C in float64: %.1e\n", error);
    }
done:
    if (e.status != CLARY_OK) fprintf(stderr, "hillshade: %s\n", clary_last_error());
    while (e.count > 0) clary_release(&e.made[--e.count]);
    free(host_z);
    free(host_shade);
    free(pixels);
    return e.status == CLARY_OK && written && error < 1e-4 ? 0 : 1;
}
