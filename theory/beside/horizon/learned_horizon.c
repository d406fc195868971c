/* The recursion of balls (theory/pages/learned.md, LH.3 - LH.6). */
#include "theory/beside/horizon/learned_horizon.h"
#include "numeric/base/mem.h"
#include "theory/beside/horizon/impl.h"
#include <math.h>
#include <string.h>

/* The weights of LH.4 that are tried, and the number of pairs of a state and a letter above which
 * only the first is. */
static const double kappas[] = {0.03, 0.1, 0.01, 0.003};
enum { KAPPAS = sizeof kappas / sizeof *kappas, MANY_PAIRS = 1000 };

/* Balls of a length, and of all lengths that were proved without a prefix, times the numbers of an
 * MLP's matrix: no longer prefix is tried. */
static const double most_work = 1e9, most_in_all = 1e10;

void f2l_learned_horizon_init(f2l_learned_horizon *out)
{
    *out = (f2l_learned_horizon){0};
}

void f2l_learned_horizon_clear(f2l_learned_horizon *out)
{
    f2l_free(out->form);
    f2l_free(out->norm);
    f2l_free(out->radius);
    f2l_free(out->margin);
    f2l_free(out->last);
    f2l_learned_horizon_init(out);
}

/* Returns why a network has no certificate of this kind; NULL: it has. */
static const char *find_certificate_obstacle(const f2l_seq_config *c)
{
    const f2l_seq_config usual = f2l_seq_config_default(1, 1);
    if (c->mixer != usual.mixer) return "the mixer is not delta-product";
    if (c->layers != 1) return "it has more than one layer";
    if (c->convolution > 0) return "it has a short convolution";
    if (c->forget_gate) return "it has a forget gate";
    if (c->output_gate) return "it has an output gate";
    if (!c->normalise_keys) return "its keys have no unit length";
    if (c->mlp == 0) return "it has no MLP (train --mlp 32 makes one)";
    if (c->key_epsilon > 0) return "its keys have an epsilon of their own";
    if (c->epsilon < 1.001e-9) return "its epsilon is below 1e-9";
    if (c->key_dim > F2L_LEARNED_MAX_DIM || c->value_dim > F2L_LEARNED_MAX_DIM)
        return "its heads are larger than 64 x 64";
    return NULL;
}

f2l_status f2l_learned_horizon_applies(const f2l_seq_config *config, const f2l_fsa *fsa, bool begin,
                                       f2l_error *err)
{
    const char *why = find_certificate_obstacle(config);
    const size_t more = begin ? 1 : 0;
    if (!why && (config->letters != fsa->letters.count + more ||
                 config->labels != fsa->states.count + more))
        why = "its letters and labels are not the automaton's letters and states";
    return why ? f2l_fail(err, F2L_EDOMAIN, "there is no certified horizon for this network: %s",
                          why)
               : F2L_OK;
}

typedef struct job {
    f2l_learned_net net;
    const f2l_fsa *fsa;
    const f2l_learned_scope *scope;
    size_t most, entries; /* most: lengths; entries: of a head's state */
    f2l_learned_horizon *out;
    double *memory, *inverse, *seen, *centre, *next, *image, *o, *ball, *needed, *radius;
    double *r_size, *inverse_size; /* [heads] of form and inverse */
    uint32_t *edges;               /* [states] that lead to each from the states that are reached */
    unsigned char *here, *next_here;
    const f2l_task *task;
    f2l_error *err;
} job;

/* Rounds up, with room for the checker's bounds of its own errors, which are large where a key is
 * short before it gets unit length. */
static double round_up(double x)
{
    return (ceil(x * (1 + 1e-9) / F2L_LEARNED_UNIT) + 64) * F2L_LEARNED_UNIT;
}

/* Sets forms, norms, and how much of an error the queries see. */
static f2l_status set_job_bounds(job *j, double kappa)
{
    const size_t H = j->out->heads, K = j->out->key;
    double m[F2L_LEARNED_MAX_DIM * F2L_LEARNED_MAX_DIM], g[F2L_LEARNED_MAX_DIM];
    j->out->kappa = kappa;
    for (size_t h = 0; h < H; h++) {
        double *r = j->out->form + h * K * K, *inverse = j->inverse + h * K * K;
        if (!f2l_learned_form(r, &j->net, h, j->out->letters, kappa))
            return f2l_fail(j->err, F2L_EDOMAIN, "the queries of head %zu are not finite", h + 1);
        f2l_learned_inverse(inverse, r, K);
        j->r_size[h] = f2l_learned_norm(r, K, K, 10);
        j->inverse_size[h] = f2l_learned_norm(inverse, K, K, 10);
        for (size_t w = 0; w < j->out->letters; w++) {
            double ra[F2L_LEARNED_MAX_DIM * F2L_LEARNED_MAX_DIM] = {0}, seen = 0;
            f2l_learned_apply(m, inverse, &j->net, w, h, K, false);
            for (size_t i = 0; i < K; i++)
                for (size_t l = i; l < K; l++)
                    for (size_t c = 0; c < K; c++) ra[i * K + c] += r[i * K + l] * m[l * K + c];
            const f2l_learned_off *off = &j->net.letter_off[w * H + h];
            const double turn = 1.1 * j->inverse_size[h] * off->a;
            j->out->norm[w * H + h] =
                round_up(f2l_learned_norm(ra, K, K, 10) + j->r_size[h] * turn);
            /* R^-T A^T q = (A R^-1)^T q */
            memset(g, 0, sizeof g);
            for (size_t i = 0; i < K; i++)
                for (size_t c = 0; c < K; c++)
                    g[c] += j->net.query[(w * H + h) * K + i] * m[i * K + c];
            for (size_t c = 0; c < K; c++) seen += g[c] * g[c];
            j->seen[w * H + h] =
                (sqrt(seen) + turn + 1.1 * j->inverse_size[h] * off->q) * (1 + 1e-9);
        }
        const f2l_status status = f2l_task_poll(j->task, "norms", (double)h, (double)H, j->err);
        if (status != F2L_OK) return status;
    }
    return F2L_OK;
}

/* Sets j->image to A c + B; returns what this is off by in the scope. */
static double move_centre_by_letter(job *j, size_t state, size_t w, size_t h)
{
    const size_t H = j->out->heads;
    const double *c = j->centre + (state * H + h) * j->entries;
    const f2l_learned_off *off = &j->net.letter_off[w * H + h];
    f2l_learned_apply(j->image, c, &j->net, w, h, j->net.c->value_dim, true);
    return off->a * f2l_learned_length(c, j->entries) + off->b;
}

/* Adds the image of a centre to the next centres; sets *m to the margin after the letter. */
static void read_horizon_edge(job *j, f2l_learned_margin *m, size_t state, size_t w,
                              const double *radius)
{
    const size_t H = j->out->heads, K = j->out->key, V = j->net.c->value_dim;
    const size_t to = j->fsa->next[state * j->out->letters + w];
    const double root = sqrt((double)K);
    memset(j->o, 0, H * V * sizeof *j->o);
    for (size_t h = 0; h < H; h++) {
        const double *q = j->net.query + (w * H + h) * K;
        double *sum = j->next + (to * H + h) * j->entries, *o = j->o + h * V;
        const double off = move_centre_by_letter(j, state, w, h);
        for (size_t i = 0; i < K; i++)
            for (size_t c = 0; c < V; c++) o[c] += q[i] / root * j->image[i * V + c];
        for (size_t i = 0; i < j->entries; i++) sum[i] += j->image[i];
        j->ball[h] = (j->seen[w * H + h] * radius[h] + 1.01 * off +
                      j->net.letter_off[w * H + h].q * f2l_learned_length(j->image, j->entries)) /
                         root * (1 + 1e-9) +
                     1e-7;
    }
    j->edges[to]++;
    f2l_learned_answer(m, &j->net, w, to, j->o, j->ball);
}

static void need_edge_radius(job *j, size_t state, size_t w, const double *radius)
{
    const size_t H = j->out->heads, K = j->out->key, V = j->net.c->value_dim;
    const size_t to = j->fsa->next[state * j->out->letters + w];
    double apart[F2L_LEARNED_MAX_DIM * F2L_LEARNED_MAX_DIM];
    for (size_t h = 0; h < H; h++) {
        const double *r = j->out->form + h * K * K, *c = j->next + (to * H + h) * j->entries;
        const double off = move_centre_by_letter(j, state, w, h);
        for (size_t i = 0; i < j->entries; i++) j->image[i] -= c[i];
        memset(apart, 0, K * V * sizeof *apart);
        for (size_t i = 0; i < K; i++)
            for (size_t l = i; l < K; l++)
                for (size_t d = 0; d < V; d++)
                    apart[i * V + d] += r[i * K + l] * j->image[l * V + d];
        const double need = j->out->norm[w * H + h] * radius[h] + f2l_learned_norm(apart, K, V, 1) +
                            j->r_size[h] * off;
        if (!(need <= j->needed[h])) j->needed[h] = need;
    }
}

static f2l_status poll_lengths(const job *j, size_t at, size_t state)
{
    return f2l_task_poll(j->task, "lengths", (double)at + (double)state / (double)j->out->states, 0,
                         j->err);
}

/* Notes what limits the horizon. */
static void note_limit(const job *j, size_t state, size_t letter, const f2l_learned_margin *m)
{
    f2l_learned_horizon *out = j->out;
    memcpy(out->last, j->radius, out->heads * sizeof *out->last);
    out->limited = true;
    out->state = state;
    out->letter = letter;
    out->other = m->other;
    out->difference = m->difference;
    out->spread = m->spread;
}

static bool margin_is_enough(const f2l_learned_margin *m)
{
    return (m->difference - m->spread) * 0.999 >= F2L_LEARNED_UNIT;
}

/* Sets radii and margins number `at`; *right is false where a ball is not answered rightly. */
static f2l_status margins(job *j, size_t at, bool *right)
{
    f2l_learned_horizon *out = j->out;
    double *radius = j->radius;
    for (size_t h = 0; h < out->heads; h++) radius[h] = round_up(j->needed[h]);
    memset(j->next, 0, out->states * out->heads * j->entries * sizeof *j->next);
    memset(j->edges, 0, out->states * sizeof *j->edges);
    for (size_t q = 0; q < out->states; q++) {
        double least = j->here[q] ? 1000 : 0;
        for (size_t w = 0; j->here[q] && w < out->letters; w++) {
            f2l_learned_margin m;
            read_horizon_edge(j, &m, q, w, radius);
            *right = margin_is_enough(&m);
            if (!*right) note_limit(j, q, w, &m);
            if (!*right) return F2L_OK;
            least = fmin(least, m.difference - m.spread);
        }
        out->margin[at * out->states + q] =
            floor(least * 0.999 / F2L_LEARNED_UNIT) * F2L_LEARNED_UNIT;
        const f2l_status status = poll_lengths(j, at, q);
        if (status != F2L_OK) return status;
    }
    memcpy(out->radius + at * out->heads, radius, out->heads * sizeof *radius);
    return F2L_OK;
}

/* Makes the state after word number u the only centre; returns false where an answer to it may be
 * wrong. */
static bool begin_at_prefix(job *j, bool letter, size_t u)
{
    f2l_learned_horizon *out = j->out;
    const size_t H = out->heads, size = H * j->entries;
    size_t state = j->fsa->start, place = out->prefixes;
    memset(j->centre + state * size, 0, size * sizeof *j->centre);
    if (j->net.start) memcpy(j->centre + state * size, j->net.start, size * sizeof *j->centre);
    for (size_t h = 0; h < H; h++) {
        double *s = j->centre + state * size + h * j->entries;
        j->needed[h] = 0;
        if (letter) {
            j->needed[h] = j->r_size[h] * move_centre_by_letter(j, state, j->net.c->letters - 1, h);
            memcpy(s, j->image, j->entries * sizeof *s);
        }
    }
    for (size_t i = 0; i < out->prefix; i++) {
        f2l_learned_margin m;
        place /= out->letters;
        const size_t w = u / place % out->letters, to = j->fsa->next[state * out->letters + w];
        for (size_t h = 0; h < H; h++) j->radius[h] = round_up(j->needed[h]);
        read_horizon_edge(j, &m, state, w, j->radius);
        if (!margin_is_enough(&m)) note_limit(j, state, w, &m);
        if (!margin_is_enough(&m)) return false;
        for (size_t h = 0; h < H; h++) {
            const double grown = 1 + j->net.letter_off[w * H + h].a;
            j->needed[h] =
                j->needed[h] * grown + j->r_size[h] * move_centre_by_letter(j, state, w, h);
            memcpy(j->centre + to * size + h * j->entries, j->image, j->entries * sizeof *j->image);
        }
        state = to;
    }
    memset(j->here, 0, out->states);
    j->here[state] = 1;
    return true;
}

static f2l_status go_one_length_on(job *j, size_t at)
{
    const f2l_learned_horizon *out = j->out;
    const size_t size = out->heads * j->entries, pairs = out->states * out->letters;
    for (size_t h = 0; h < out->heads; h++) j->needed[h] = 0;
    for (size_t q = 0; q < out->states; q++) {
        j->next_here[q] = j->edges[q] > 0;
        for (size_t i = 0; j->edges[q] > 0 && i < size; i++)
            j->next[q * size + i] /= (double)j->edges[q];
    }
    for (size_t i = 0; i < pairs; i++) {
        if (j->here[i / out->letters])
            need_edge_radius(j, i / out->letters, i % out->letters, out->radius + at * out->heads);
        const f2l_status status =
            i % out->letters == 0 ? poll_lengths(j, at, i / out->letters) : F2L_OK;
        if (status != F2L_OK) return status;
    }
    double *centre = j->centre;
    j->centre = j->next;
    j->next = centre;
    unsigned char *here = j->here;
    j->here = j->next_here;
    j->next_here = here;
    return F2L_OK;
}

/* Sets *horizon to the horizon of the words which begin with word number u, at most `most`; 0: an
 * answer to the word itself may be wrong. */
static f2l_status run_prefix(size_t *horizon, job *j, bool letter, size_t u, size_t most)
{
    const size_t first = u * j->out->lengths, M = j->out->prefix;
    f2l_status status = F2L_OK;
    bool right = begin_at_prefix(j, letter, u);
    *horizon = right ? M : 0;
    while (status == F2L_OK && right && *horizon < most) {
        status = margins(j, first + *horizon - M, &right);
        if (status != F2L_OK || !right) break;
        ++*horizon;
        if (*horizon < most) status = go_one_length_on(j, first + *horizon - M - 1);
    }
    return status;
}

/* Makes room for the other prefixes, for the lengths of the first one. */
static bool make_prefix_room(f2l_learned_horizon *out)
{
    out->lengths = out->horizon - out->prefix;
    double *radius =
        f2l_realloc(out->radius, out->prefixes * out->lengths * out->heads, sizeof *radius);
    if (radius) out->radius = radius;
    double *margin =
        f2l_realloc(out->margin, out->prefixes * out->lengths * out->states, sizeof *margin);
    if (margin) out->margin = margin;
    return radius && margin;
}

static f2l_status run_horizon_job(job *j, bool letter, double kappa)
{
    f2l_learned_horizon *out = j->out;
    f2l_status status = set_job_bounds(j, kappa);
    out->horizon = j->most;
    for (size_t u = 0; status == F2L_OK && u < out->prefixes && out->horizon > 0; u++) {
        size_t found;
        status = run_prefix(&found, j, letter, u, out->horizon);
        out->horizon = status == F2L_OK && found > out->prefix ? found : 0;
        if (u == 0 && out->horizon > 0 && !make_prefix_room(out)) status = f2l_fail_memory(j->err);
    }
    return status;
}

static bool allocate_horizon(f2l_learned_horizon *out, const job *j)
{
    const size_t H = out->heads, K = out->key;
    out->form = f2l_calloc(H * K * K, sizeof *out->form);
    out->norm = f2l_calloc(out->letters * H, sizeof *out->norm);
    out->lengths = j->most;
    out->radius = f2l_calloc(j->most * H, sizeof *out->radius);
    out->margin = f2l_calloc(j->most * out->states, sizeof *out->margin);
    out->last = f2l_calloc(H, sizeof *out->last);
    return out->form && out->norm && out->radius && out->margin && out->last;
}

static bool allocate_job(job *j)
{
    const f2l_learned_horizon *out = j->out;
    const size_t H = out->heads, K = out->key, V = j->net.c->value_dim;
    const size_t count[] = {H * K * K,
                            out->letters * H,
                            out->states * H * j->entries,
                            out->states * H * j->entries,
                            j->entries,
                            H * V,
                            H,
                            H,
                            H,
                            H,
                            H};
    double **at[] = {&j->inverse, &j->seen,   &j->centre, &j->next,   &j->image,       &j->o,
                     &j->ball,    &j->needed, &j->radius, &j->r_size, &j->inverse_size};
    size_t all = 0;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) all += count[i];
    j->memory = f2l_calloc(all, sizeof *j->memory);
    j->here = f2l_calloc(out->states, 1);
    j->next_here = f2l_calloc(out->states, 1);
    j->edges = f2l_calloc(out->states, sizeof *j->edges);
    if (!j->memory || !j->here || !j->next_here || !j->edges) return false;
    double *next = j->memory;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        *at[i] = next;
        next += count[i];
    }
    return true;
}

/* Builds *out for one kappa. */
static f2l_status build_one(f2l_learned_horizon *out, const f2l_seq *model,
                            const double *parameters, job *j, bool letter, double kappa,
                            size_t prefix)
{
    const f2l_seq_config *c = &model->config;
    *out = (f2l_learned_horizon){.scope = j->scope,
                                 .prefix = prefix,
                                 .prefixes = 1,
                                 .letters = j->fsa->letters.count,
                                 .states = j->fsa->states.count,
                                 .heads = c->heads,
                                 .key = c->key_dim};
    for (size_t i = 0; i < prefix; i++) out->prefixes *= out->letters;
    j->out = out;
    j->entries = c->key_dim * c->value_dim;
    f2l_status status =
        f2l_learned_net_build(&j->net, model, parameters, j->scope, j->task, j->err);
    if (status == F2L_OK && !(allocate_horizon(out, j) && allocate_job(j)))
        status = f2l_fail_memory(j->err);
    if (status == F2L_OK) status = run_horizon_job(j, letter, kappa);
    f2l_free(j->memory);
    f2l_free(j->here);
    f2l_free(j->next_here);
    f2l_free(j->edges);
    j->memory = NULL;
    j->edges = NULL;
    j->here = j->next_here = NULL;
    f2l_learned_net_clear(&j->net);
    return status;
}

/* Returns the longest prefix, below `most`, whose balls are not too much work where `lengths` are
 * proved without a prefix. */
static size_t longest_prefix(const f2l_seq_config *c, const f2l_fsa *fsa, size_t most,
                             size_t lengths)
{
    const double bound = fmin(most_work, most_in_all / (double)(lengths + 1));
    const double letters = (double)fsa->letters.count;
    double work = (double)fsa->states.count * letters * (double)c->mlp * (double)c->width;
    size_t prefix = 0;
    for (; prefix + 1 < most && work * letters <= bound; prefix++) work *= letters;
    return prefix;
}

/* Builds a horizon and makes it *out where it is longer. */
static f2l_status try(f2l_learned_horizon *out, const f2l_seq *model, const double *parameters,
                      const job *what, bool letter, double kappa, size_t prefix)
{
    f2l_learned_horizon found;
    job j = *what;
    f2l_status status = build_one(&found, model, parameters, &j, letter, kappa, prefix);
    const bool better = status == F2L_OK && (!out->form || found.horizon > out->horizon);
    f2l_learned_horizon_clear(better ? out : &found);
    if (better) *out = found;
    return status;
}

f2l_status f2l_learned_horizon_build(f2l_learned_horizon *out, const f2l_seq *model,
                                     const double *parameters, const f2l_fsa *fsa, bool letter,
                                     const f2l_learned_scope *scope, size_t most,
                                     const f2l_task *task, f2l_error *err)
{
    const job j = {.fsa = fsa, .scope = scope, .most = most, .task = task, .err = err};
    f2l_status status = f2l_learned_horizon_applies(&model->config, fsa, letter, err);
    if (status != F2L_OK) return status;
    const bool many = fsa->states.count > MANY_PAIRS / fsa->letters.count;
    for (size_t i = 0; status == F2L_OK && (i == 0 || out->limited) && i < (many ? 1 : KAPPAS); i++)
        status = try(out, model, parameters, &j, letter, kappas[i], 0);
    for (size_t prefix = longest_prefix(&model->config, fsa, most, out->horizon);
         status == F2L_OK && out->limited && prefix > 0; prefix--) {
        const size_t before = out->horizon;
        status = try(out, model, parameters, &j, letter, out->kappa, prefix);
        if (out->horizon > before) break;
    }
    if (status != F2L_OK) f2l_learned_horizon_clear(out);
    return status;
}
