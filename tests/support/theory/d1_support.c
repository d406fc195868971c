#include "tests/support/theory/d1_support.h"

void d1_group(f2l_fsa *fsa, const uint32_t *image, size_t letters, size_t points, size_t point)
{
    char name[24];
    size_t index;
    f2l_fsa_init(fsa);
    fsa->track = point == points ? F2L_TRACK_ELEMENTS : F2L_TRACK_POINTS;
    fsa->points = points;
    fsa->perm = f2l_calloc(letters * points, sizeof *fsa->perm);
    if (!fsa->perm) abort();
    memcpy(fsa->perm, image, letters * points * sizeof *image);
    for (size_t a = 0; a < letters; a++) {
        const int n = snprintf(name, sizeof name, "a%zu", a + 1);
        if (f2l_names_add(&fsa->letters, name, (size_t)n, &index, NULL) != F2L_OK) abort();
    }
    if (f2l_fsa_from_permutations(fsa, point == points ? 0 : point, 0, NULL, NULL) != F2L_OK)
        abort();
}

const f2l_schedule *d1_schedule(void)
{
    return f2l_schedule_find("every");
}

size_t d1_other_numbers(const f2l_net *net, const size_t *joint, const double *number)
{
    size_t wrong = 0;
    for (size_t l = 0; l < net->stages; l++) {
        const f2l_wired_block *block = &net->block[net->stage[l].block];
        for (size_t r = 0; r < block->readouts; r++, joint++) {
            const f2l_qvec *code = &block->readout[r].code[*joint];
            const size_t numbers =
                block->readout[r].rows * block->head[block->readout[r].head].head.d;
            size_t e = 0;
            for (size_t i = 0; i < numbers; i++) {
                const bool is = e < code->count && code->index[e] == i;
                wrong += *number++ != (is ? mpq_get_d(code->value[e]) : 0);
                e += is;
            }
        }
    }
    return wrong;
}

size_t d1_run(const f2l_net *net, const f2l_fsa *fsa, const f2l_format *format, size_t length,
              f2l_rng *rng)
{
    const size_t k = fsa->letters.count;
    size_t state = fsa->start, label = net->start, wrong = 0;
    f2l_exact *run = NULL;
    f2l_float_net *rounded = NULL;
    if (f2l_exact_new(&run, net, NULL) != F2L_OK) abort();
    if (format && f2l_float_net_new(&rounded, net, format, d1_schedule(), NULL) != F2L_OK) abort();
    size_t *joint = calloc(f2l_net_joint(net) + 1, sizeof *joint);
    double *number = rounded ? calloc(f2l_float_size(rounded) + 1, sizeof *number) : NULL;
    if (!joint || (rounded && !number)) abort();
    wrong += f2l_exact_start(run, joint, NULL) != F2L_OK;
    if (rounded) f2l_float_start(rounded, number);
    for (size_t t = 0; t <= length && !wrong; t++) {
        wrong +=
            strcmp(f2l_names_get(&net->labels, label), f2l_fsa_label(fsa, net->label, state)) != 0;
        if (rounded) wrong += d1_other_numbers(net, joint, number);
        if (t == length) break;
        const size_t a = f2l_rng_below(rng, k);
        uint32_t other = F2L_NO_SYMBOL;
        state = fsa->next[state * k + a];
        wrong += f2l_exact_step(run, joint, a, &label, NULL, NULL) != F2L_OK;
        if (rounded)
            wrong += f2l_float_step(rounded, number, a, &other, NULL) != F2L_OK || other != label;
    }
    f2l_exact_free(run);
    f2l_float_net_free(rounded);
    free(joint);
    free(number);
    return wrong;
}

bool d1_verified(const f2l_net *net, const f2l_fsa *fsa, size_t only, char reason[256])
{
    f2l_form_verdict v;
    bool good =
        f2l_form_d1.verify(&v, net, fsa, NULL, NULL, NULL, NULL) == F2L_OK && v.verdict == F2L_OK;
    for (size_t f = 0; good && f < F2L_USUAL_FORMATS; f++)
        good = (only < 4 && f != only) ||
               (f2l_form_d1.verify(&v, net, fsa, &f2l_formats[f], d1_schedule(), NULL, NULL) ==
                    F2L_OK &&
                v.verdict == F2L_OK);
    if (reason) snprintf(reason, 256, "%s", v.reason);
    return good;
}

f2l_status d1_joint(const f2l_net *net, const f2l_fsa *fsa, const f2l_format *format, size_t rows,
                    size_t *found)
{
    f2l_closure c;
    f2l_closure_init(&c);
    f2l_status status =
        format ? f2l_closure_float(&c, net, fsa, format, d1_schedule(), rows, NULL, NULL)
               : f2l_closure_exact(&c, net, fsa, rows, NULL, NULL);
    if (status == F2L_OK) status = c.verdict;
    if (found) *found = c.rows;
    f2l_closure_clear(&c);
    return status;
}

size_t d1_pick(f2l_rng *rng, size_t n)
{
    return (size_t)f2l_rng_below(rng, n);
}

void d1_other_number(mpq_t x, f2l_rng *rng)
{
    static const long top[] = {0, 1, 1, 3, 2, -1, -3};
    static const unsigned long bottom[] = {1, 1, 2, 2, 1, 1, 1};
    const size_t i = d1_pick(rng, 7);
    mpq_set_si(x, top[i], bottom[i]);
}

f2l_wired_block *d1_some_block(f2l_net *net, f2l_rng *rng)
{
    return &net->block[d1_pick(rng, net->blocks)];
}

f2l_transition *d1_some_transition(f2l_net *net, f2l_rng *rng, f2l_wired_head **head)
{
    f2l_wired_block *block = d1_some_block(net, rng);
    *head = &block->head[d1_pick(rng, block->heads)];
    return &(*head)->head.letter[d1_pick(rng, (*head)->slot_at[(*head)->slots])];
}

bool d1_mutate_vector(f2l_qvec *v, f2l_rng *rng)
{
    if (v->count == 0) return f2l_qvec_push_si(v, (uint32_t)d1_pick(rng, 2), 1, 1, NULL) == F2L_OK;
    const size_t i = d1_pick(rng, v->count);
    if (d1_pick(rng, 2)) {
        d1_other_number(v->value[i], rng);
        return mpq_sgn(v->value[i]) != 0;
    }
    v->index[i] += (uint32_t)d1_pick(rng, 5) - 2;
    return true;
}

bool d1_mutate_gate(f2l_net *net, f2l_rng *rng, size_t kind)
{
    f2l_wired_block *block = d1_some_block(net, rng);
    const size_t g = d1_pick(rng, block->pres + block->posts);
    f2l_wired_gate *gate = g < block->pres ? &block->pre[g] : &block->post[g - block->pres];
    const size_t before =
        g < block->pres ? block->inputs + g : f2l_wired_first_post(block) + g - block->pres;
    const size_t inputs = net->table[gate->table].inputs;
    if (kind == 0) {
        const size_t table = d1_pick(rng, net->tables);
        if (net->table[table].inputs != inputs || table == gate->table) return false;
        gate->table = table;
        return true;
    }
    if (inputs == 0) return false;
    uint32_t *wire = &gate->wire[d1_pick(rng, inputs)], old = *wire;
    *wire = (uint32_t)d1_pick(rng, before);
    return *wire != old;
}

bool d1_mutate_factor(f2l_net *net, f2l_rng *rng, size_t kind)
{
    f2l_wired_head *head;
    f2l_transition *transition = d1_some_transition(net, rng, &head);
    if (transition->factors == 0) return false;
    f2l_factor *factor = &transition->factor[d1_pick(rng, transition->factors)];
    if (kind == 0) {
        d1_other_number(factor->beta, rng);
        return true;
    }
    if (kind == 1) return d1_mutate_vector(&factor->u, rng);
    if (factor->c.count && d1_pick(rng, 2)) return d1_mutate_vector(&factor->c, rng);
    if (factor->c.count == 0) return f2l_qvec_push_si(&factor->c, 0, 1, 1, NULL) == F2L_OK;
    f2l_qvec_clear(&factor->c);
    f2l_qvec_init(&factor->c);
    return true;
}

bool d1_mutate_transition(f2l_net *net, f2l_rng *rng, size_t kind)
{
    f2l_wired_head *head;
    f2l_transition *one = d1_some_transition(net, rng, &head);
    f2l_transition *two = &head->head.letter[d1_pick(rng, head->slot_at[head->slots])];
    if (kind == 0) {
        mpq_set_ui(one->gate, d1_pick(rng, 2), 2);
        return true;
    }
    if (kind == 1) {
        const f2l_transition kept = *one;
        *one = *two;
        *two = kept;
        return one != two;
    }
    return one->factors > 0 && f2l_transition_set_factors(one, 0, NULL) == F2L_OK;
}

bool d1_mutate_readout(f2l_net *net, f2l_rng *rng)
{
    f2l_wired_block *block = d1_some_block(net, rng);
    f2l_wired_readout *readout = &block->readout[d1_pick(rng, block->readouts)];
    f2l_qvec *one = &readout->code[d1_pick(rng, readout->codes)];
    f2l_qvec *two = &readout->code[d1_pick(rng, readout->codes)];
    if (one == two) return d1_mutate_vector(one, rng);
    const f2l_qvec kept = *one;
    *one = *two;
    *two = kept;
    return true;
}

bool d1_mutate_table(f2l_net *net, f2l_rng *rng)
{
    f2l_wired_table *table = &net->table[d1_pick(rng, net->tables)];
    if (table->values < 2) return false;
    uint32_t *value = &table->value[d1_pick(rng, table->entries)];
    *value = (uint32_t)((*value + 1 + d1_pick(rng, table->values - 1)) % table->values);
    return true;
}

bool d1_mutate_wiring(f2l_net *net, f2l_rng *rng)
{
    f2l_wired_block *block = d1_some_block(net, rng);
    if (d1_pick(rng, 2)) {
        uint32_t *output = &block->output[d1_pick(rng, block->outputs)], old = *output;
        *output = (uint32_t)d1_pick(rng, f2l_wired_wires(block));
        return *output != old;
    }
    uint32_t *wire = block->head[d1_pick(rng, block->heads)].wire, old = *wire;
    *wire = (uint32_t)d1_pick(rng, f2l_wired_first_readout(block));
    return *wire != old;
}

bool d1_mutate(f2l_net *net, f2l_rng *rng, size_t kind)
{
    f2l_wired_stage *stage;
    switch (kind) {
    case 0:
        return d1_mutate_table(net, rng);
    case 1:
    case 2:
        return d1_mutate_gate(net, rng, kind - 1);
    case 3:
    case 4:
    case 5:
        return d1_mutate_factor(net, rng, kind - 3);
    case 6:
    case 7:
    case 8:
        return d1_mutate_transition(net, rng, kind - 6);
    case 9:
        return d1_mutate_readout(net, rng);
    case 10:
        stage = &net->stage[d1_pick(rng, net->stages)];
        return d1_mutate_vector(&stage->initial[d1_pick(rng, stage->heads)], rng);
    case 11:
        return d1_mutate_wiring(net, rng);
    default:
        net->start = (net->start + 1) % net->labels.count;
        return net->labels.count > 1;
    }
}

void d1_scale_keys(f2l_net *net, f2l_rng *rng)
{
    mpq_t t;
    mpq_init(t);
    for (size_t b = 0; b < net->blocks; b++)
        for (size_t h = 0; h < net->block[b].heads; h++) {
            const f2l_wired_head *head = &net->block[b].head[h];
            for (size_t x = 0; x < head->slot_at[head->slots]; x++)
                for (size_t f = 0; f < head->head.letter[x].factors; f++) {
                    f2l_factor *factor = &head->head.letter[x].factor[f];
                    do d1_other_number(t, rng);
                    while (mpq_sgn(t) == 0);
                    for (size_t i = 0; i < factor->u.count; i++)
                        mpq_mul(factor->u.value[i], factor->u.value[i], t);
                    for (size_t i = 0; i < factor->c.count; i++)
                        mpq_mul(factor->c.value[i], factor->c.value[i], t);
                }
        }
    mpq_clear(t);
}

void d1_shuffle_tables(f2l_net *net, f2l_rng *rng)
{
    const size_t one = d1_pick(rng, net->tables), two = d1_pick(rng, net->tables);
    const f2l_wired_table kept = net->table[one];
    net->table[one] = net->table[two];
    net->table[two] = kept;
    for (size_t b = 0; b < net->blocks; b++)
        for (size_t g = 0; g < net->block[b].pres + net->block[b].posts; g++) {
            f2l_wired_block *block = &net->block[b];
            f2l_wired_gate *gate = g < block->pres ? &block->pre[g] : &block->post[g - block->pres];
            gate->table = gate->table == one ? two : gate->table == two ? one : gate->table;
        }
}

void d1_swap_codes(f2l_net *net, f2l_rng *rng)
{
    f2l_wired_block *block = &net->block[net->blocks - 1];
    f2l_wired_readout *readout = &block->readout[0];
    f2l_wired_table *table = &net->table[block->post[0].table];
    const size_t one = d1_pick(rng, readout->codes), two = d1_pick(rng, readout->codes),
                 rests = table->size[1];
    const f2l_qvec kept = readout->code[one];
    readout->code[one] = readout->code[two];
    readout->code[two] = kept;
    for (size_t i = 0; i < rests; i++) {
        const uint32_t value = table->value[one * rests + i];
        table->value[one * rests + i] = table->value[two * rests + i];
        table->value[two * rests + i] = value;
    }
}

void d1_mutate_without_meaning(f2l_net *net, f2l_rng *rng)
{
    d1_scale_keys(net, rng);
    for (int i = 0; i < 8; i++) d1_shuffle_tables(net, rng);
    for (int i = 0; i < 8; i++) d1_swap_codes(net, rng);
}
