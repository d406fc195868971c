/* The signs of the rows of a head: EB.3. */
#include "models/doors/blocks/impl.h"
#include "numeric/base/mem.h"

static size_t find_sign_root(const f2l_block_signs *s, size_t node, bool *flip)
{
    *flip = false;
    while (s->up[node] != node) {
        *flip ^= s->flip[node];
        node = s->up[node];
    }
    return node;
}

/* Adds an edge, which says that two signs are equal or opposite. */
static void demand(f2l_block_signs *s, size_t a, size_t b, bool opposite)
{
    bool fa, fb;
    const size_t ra = find_sign_root(s, a, &fa), rb = find_sign_root(s, b, &fb);
    if (ra == rb) {
        s->consistent = s->consistent && (fa ^ fb) == opposite;
        return;
    }
    s->up[ra < rb ? ra : rb] = ra < rb ? rb : ra;
    s->flip[ra < rb ? ra : rb] = fa ^ fb ^ opposite;
}

/* Returns the sign of what the factor writes, which is the same in all columns, or 0. */
static int written_sign(const f2l_block_head *head, const f2l_factor *factor)
{
    int sign = 0;
    mpq_t x;
    mpq_init(x);
    for (size_t j = 0; sign == 0 && j < head->columns; j++) {
        f2l_block_written(x, &head->column[j], factor);
        sign = mpq_sgn(x);
    }
    mpq_clear(x);
    return sign;
}

static void demand_factor(f2l_block_signs *s, const f2l_block_head *head, const f2l_factor *factor)
{
    const f2l_qvec *u = &factor->u;
    const int written = written_sign(head, factor);
    for (size_t i = 0; i < u->count; i++) {
        const bool negative = mpq_sgn(u->value[i]) < 0;
        if (written != 0)
            demand(s, u->index[i], s->n, negative != (written < 0));
        else if (i > 0)
            demand(s, u->index[i], u->index[i - 1], negative != (mpq_sgn(u->value[i - 1]) < 0));
    }
}

f2l_status f2l_block_signs_find(f2l_block_signs *s, const f2l_block_layer *made,
                                const f2l_layer *layer, const f2l_block_head *head, f2l_error *err)
{
    const f2l_head *from = &layer->head[head->from];
    *s = (f2l_block_signs){.n = from->n, .consistent = true};
    s->up = f2l_calloc(from->n + 1, sizeof *s->up);
    s->flip = f2l_calloc(from->n + 1, sizeof *s->flip);
    if (!s->up || !s->flip) return f2l_fail_memory(err);
    for (size_t i = 0; i <= from->n; i++) s->up[i] = i;
    for (size_t a = 0; a < made->acts; a++) {
        const f2l_transition *t = &from->letter[made->of_act[a]];
        for (size_t f = 0; f < t->factors; f++) demand_factor(s, head, &t->factor[f]);
    }
    for (size_t v = 0; v < made->views; v++)
        for (size_t i = 1; i < head->read[v].rows; i++)
            s->consistent = s->consistent && f2l_block_is_flipped(s, head->read[v].row[i]) ==
                                                 f2l_block_is_flipped(s, head->read[v].row[0]);
    return F2L_OK;
}

void f2l_block_signs_clear(f2l_block_signs *s)
{
    f2l_free(s->up);
    f2l_free(s->flip);
}

bool f2l_block_is_flipped(const f2l_block_signs *s, size_t row)
{
    bool flip, ground;
    if (!s) return false;
    const size_t top = find_sign_root(s, row, &flip), plus = find_sign_root(s, s->n, &ground);
    return top == plus ? flip ^ ground : flip;
}

f2l_status f2l_blocks_find_positive(bool *out, const f2l_blocks *b, f2l_error *err)
{
    f2l_status status = F2L_OK;
    *out = true;
    for (size_t l = 0; l < b->net->layers; l++)
        for (size_t h = 0; status == F2L_OK && h < b->layer[l].heads; h++) {
            f2l_block_signs s = {0};
            status = f2l_block_signs_find(&s, &b->layer[l], &b->net->layer[l], &b->layer[l].head[h],
                                          err);
            *out = *out && s.consistent;
            f2l_block_signs_clear(&s);
        }
    return status;
}
