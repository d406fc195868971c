/* The arrays of a layer's blocks. */
#include "models/doors/blocks/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

f2l_status f2l_block_layer_set_heads(f2l_block_layer *layer, size_t heads, f2l_error *err)
{
    layer->head = f2l_calloc(heads, sizeof *layer->head);
    if (!layer->head && heads > 0) return f2l_fail_memory(err);
    layer->heads = heads;
    for (size_t h = 0; h < heads; h++) mpq_init(layer->head[h].threshold);
    for (size_t h = 0; h < heads; h++) {
        layer->head[h].read = f2l_calloc(layer->views, sizeof *layer->head[h].read);
        if (!layer->head[h].read) return f2l_fail_memory(err);
    }
    return F2L_OK;
}

f2l_status f2l_block_head_set_columns(f2l_block_head *head, size_t columns, f2l_error *err)
{
    head->column = f2l_calloc(columns, sizeof *head->column);
    if (!head->column) return f2l_fail_memory(err);
    head->columns = columns;
    for (size_t j = 0; j < columns; j++) {
        mpq_inits(head->column[j].factor, head->column[j].shift, NULL);
        mpq_set_ui(head->column[j].factor, 1, 1);
    }
    return F2L_OK;
}

f2l_status f2l_block_column_set(f2l_block_column *column, const uint32_t *of, size_t count,
                                f2l_error *err)
{
    column->of = f2l_calloc(count, sizeof *column->of);
    if (!column->of) return f2l_fail_memory(err);
    if (count > 0) memcpy(column->of, of, count * sizeof *of);
    column->count = count;
    return F2L_OK;
}

void f2l_block_head_clear(f2l_block_head *head)
{
    for (size_t j = 0; j < head->columns; j++) {
        f2l_free(head->column[j].of);
        mpq_clears(head->column[j].factor, head->column[j].shift, NULL);
    }
    f2l_free(head->column);
    f2l_free(head->read);
    head->column = NULL;
    head->read = NULL;
    head->columns = 0;
}

void f2l_block_layer_clear(f2l_block_layer *layer)
{
    for (size_t h = 0; h < layer->heads; h++) {
        f2l_block_head_clear(&layer->head[h]);
        mpq_clear(layer->head[h].threshold);
    }
    f2l_free(layer->head);
    f2l_free(layer->view);
    f2l_free(layer->act);
    f2l_free(layer->of_act);
    f2l_free(layer->group);
    f2l_free(layer->of_group);
    f2l_free(layer->unit);
    f2l_free(layer->term);
    *layer = (f2l_block_layer){0};
}
