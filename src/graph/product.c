/* product.c - the epilogue of a matrix product as a group of its own. */
#include "graph/group.h"
#include "graph/layout.h"

void clary__product_epilogue(const clary__group *product, clary__buffer *stored,
                             clary__group *map) {
    *map = *product;
    map->pattern = CLARY__MAP;
    map->split = map->ninstr;
    map->nkeep = map->ndim;
    clary__operand *o = &map->inputs[map->ninputs];
    o->buffer = stored;
    o->dtype = product->reduce_dtype;
    o->random = false;
    o->offset = 0;
    clary__contiguous_strides(product->ndim, product->shape, o->strides);
    map->instr[product->split].code = CLARY__I_LOAD;
    map->instr[product->split].a = (uint16_t)map->ninputs++;
}
