/* outside.c - a program outside Clary's tree, which knows only the installed package: the area under a
 * parabola by adding up 1000 strips. */
#include <clary.h>
#include <math.h>
#include <stdio.h>

int main(void) {
    clary_array *x = NULL, *y = NULL, *mean = NULL;
    clary_scalar area = {CLARY_SCALAR_FLOAT, 0, 0, 0, 0};
    clary_status status = clary_linspace(NULL, CLARY_FLOAT64, 0.0005, 0.9995, 1000, true, &x);
    if (status == CLARY_OK) status = clary_multiply(x, x, &y);
    if (status == CLARY_OK) status = clary_mean(y, 0, NULL, false, &mean);
    if (status == CLARY_OK) status = clary_item(mean, &area);
    if (status != CLARY_OK)
        fprintf(stderr, "outside: %s\n", clary_last_error());
    else
        printf("Clary %s: the area under x*x from 0 to 1 is %.6f\n", clary_version(), area.re);
    clary_release(&x);
    clary_release(&y);
    clary_release(&mean);
    return status == CLARY_OK && fabs(area.re - 1.0 / 3) < 1e-6 ? 0 : 1;
}
