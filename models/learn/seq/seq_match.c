#include "models/learn/seq/seq_match.h"

#define LEAST_HEADS ((size_t)4)
#define LEAST_DIM ((size_t)32)

/* The options that some head or letter uses. */
typedef struct uses {
    bool negative, values, start, gate, bias;
} uses;

static bool above_one(const f2l_head *head, const f2l_factor *factor)
{
    mpq_t product, sum;
    bool above;
    mpq_inits(product, sum, (mpq_ptr)NULL);
    mpq_set(sum, factor->beta); /* for unit keys; raw keys, which are over Q, contribute their
                                 * length */
    if (head->raw) {
        mpq_set_ui(sum, 0, 1);
        for (size_t i = 0; i < factor->u.count; i++) {
            mpq_mul(product, factor->u.value[i], factor->u.value[i]);
            mpq_add(sum, sum, product);
        }
        mpq_mul(sum, sum, factor->beta);
    }
    above = mpq_cmp_ui(sum, 1, 1) > 0;
    mpq_clears(product, sum, (mpq_ptr)NULL);
    return above;
}

static void look_at(uses *found, const f2l_head *head, size_t letters)
{
    found->start = found->start || head->initial.count > 0;
    for (size_t x = 0; x < letters; x++) {
        const f2l_transition *transition = &head->letter[x];
        found->gate = found->gate || mpq_cmp_ui(transition->gate, 1, 1) != 0;
        found->bias = found->bias || transition->bias.count > 0;
        for (size_t i = 0; i < transition->factors; i++) {
            found->values = found->values || transition->factor[i].c.count > 0;
            found->negative = found->negative || above_one(head, &transition->factor[i]);
        }
    }
}

static size_t at_least(size_t least, size_t size)
{
    return size <= least ? least : (size + 15) / 16 * 16;
}

f2l_status f2l_seq_config_match(f2l_seq_config *config, const f2l_net *net, size_t letters,
                                size_t labels, f2l_error *err)
{
    f2l_net_size size;
    uses found = {0};
    f2l_net_measure(&size, net);
    if (size.gates > 0) return f2l_fail(err, F2L_EDOMAIN, "it has circuits between its layers");
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; h < net->layer[l].heads; h++)
            look_at(&found, &net->layer[l].head[h], net->layer[l].letters);
    if (found.bias)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the network has biases, which no model that is trained "
                        "here has");
    if (size.heads > F2L_SEQ_MAX_SIZE / 128 || size.key_dim > F2L_SEQ_MAX_HEAD_DIM ||
        size.value_dim > F2L_SEQ_MAX_HEAD_DIM)
        return f2l_fail(err, F2L_EDOMAIN,
                        "a network of %zu heads of %zu x %zu is too large to be trained here",
                        size.heads, size.key_dim, size.value_dim);
    f2l_seq_config c = f2l_seq_config_default(letters, labels);
    c.layers = size.layers;
    c.householders = size.householders > 0 ? size.householders : 1;
    c.heads = size.heads > LEAST_HEADS ? size.heads : LEAST_HEADS;
    c.key_dim = at_least(LEAST_DIM, size.key_dim);
    c.value_dim = at_least(LEAST_DIM, size.value_dim);
    c.width = 32 * c.heads;
    c.mlp = 4 * c.width;
    c.channels = 2 * c.width;
    c.step_rank = c.width / 16;
    c.negative = found.negative;
    c.additive = found.values;
    c.learned_start = found.start || !found.values;
    c.forget_gate = found.gate;
    f2l_status status = f2l_seq_config_check(&c, err);
    if (status == F2L_OK) *config = c;
    return status;
}
