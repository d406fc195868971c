/* The recursion of balls behind each word of a length (theory/pages/learned.md, LH.3 - LH.6). */
#include "numeric/base/mem.h"
#include "theory/beside/horizon/impl.h"
#include <math.h>
#include <string.h>

enum { LANES = F2L_LEARNED_LANES };

/* A state of the network after a word: near `at`, as far as `off` in the Frobenius norm by head. */
typedef struct spot {
    size_t state;
    double *at, *off; /* [heads][entries], [heads] */
} spot;

typedef struct job {
    f2l_learned_net *net;
    const f2l_fsa *fsa;
    f2l_learned_horizon *out;
    size_t entries;                             /* of a head's state */
    size_t most, from;                          /* lengths: tried now, and proved before */
    double done, words;                         /* words of the prefix's length */
    double answers, answer_seconds, first_done; /* the time when the first word was done */
    double *memory, *inverse, *seen, *centre, *next, *image, *radius, *needed, *sizes;
    double *r_size, *inverse_size; /* [heads] of form and inverse */
    double *aq, *bq, *b_size;      /* [letters][heads] A^T q [key], B^T q [value], |B| */
    uint32_t *edges, *here;        /* [states] that lead to each at the next length, at this one */
    spot *word;                    /* [prefix + 1] */
    uint32_t path[F2L_LEARNED_MOST_PREFIX]; /* its letters */
    size_t depth, length; /* of the word that is looked at, and of the words that are asked about */
    f2l_learned_question asked[LANES];
    size_t waiting;
    const f2l_task *task;
    f2l_error *err;
} job;

/* Rounds up to the unit, with room for the checker's bounds of its own errors. */
static double round_up(double x)
{
    return (ceil(x * (1 + 1e-9) / F2L_LEARNED_UNIT) + 64) * F2L_LEARNED_UNIT;
}

/* Returns more than underflows change in the scope, and than the checker adds to its sums. */
static double with_room(const job *j, double x)
{
    return x * (1 + 1e-7) + (j->out->scope->unit > 0x1p-40 ? 1e-7 : 0x1p-100);
}

/* Sets what an answer reads of a state before the letter: q^T (A S + B) = (A^T q)^T S + q^T B. */
static void read_through_letter(job *j, size_t w, size_t h)
{
    const size_t H = j->out->heads, K = j->out->key, V = j->net->c->value_dim, at = w * H + h;
    double m[F2L_LEARNED_MAX_DIM * F2L_LEARNED_MAX_DIM];
    double one[F2L_LEARNED_MAX_DIM * F2L_LEARNED_MAX_DIM] = {0};
    const double *q = j->net->query + at * K;
    f2l_learned_apply(m, one, j->net, w, h, V, true);
    j->b_size[at] = f2l_learned_length(m, K * V);
    for (size_t i = 0; i < K; i++)
        for (size_t c = 0; c < V; c++) j->bq[at * V + c] += q[i] * m[i * V + c];
    for (size_t i = 0; i < K; i++) one[i * K + i] = 1;
    f2l_learned_apply(m, one, j->net, w, h, K, false);
    for (size_t i = 0; i < K; i++)
        for (size_t c = 0; c < K; c++) j->aq[at * K + c] += q[i] * m[i * K + c];
}

/* Sets the norm of a letter, and how much of an error its query sees. */
static void set_letter_bounds(job *j, size_t w, size_t h)
{
    const size_t H = j->out->heads, K = j->out->key;
    double m[F2L_LEARNED_MAX_DIM * F2L_LEARNED_MAX_DIM], g[F2L_LEARNED_MAX_DIM] = {0};
    double ra[F2L_LEARNED_MAX_DIM * F2L_LEARNED_MAX_DIM] = {0}, seen = 0;
    const double *r = j->out->form + h * K * K, *inverse = j->inverse + h * K * K;
    f2l_learned_apply(m, inverse, j->net, w, h, K, false);
    for (size_t i = 0; i < K; i++)
        for (size_t l = i; l < K; l++)
            for (size_t c = 0; c < K; c++) ra[i * K + c] += r[i * K + l] * m[l * K + c];
    const f2l_learned_off *off = &j->net->letter_off[w * H + h];
    const double defect = f2l_learned_slack(j->net, K) * j->r_size[h] * j->inverse_size[h];
    const double turn = 1.1 * j->inverse_size[h] * (off->a + defect);
    j->out->norm[w * H + h] = round_up(f2l_learned_norm(ra, K, K, 10) + j->r_size[h] * turn);
    /* R^-T A^T q = (A R^-1)^T q */
    for (size_t i = 0; i < K; i++)
        for (size_t c = 0; c < K; c++) g[c] += j->net->query[(w * H + h) * K + i] * m[i * K + c];
    for (size_t c = 0; c < K; c++) seen += g[c] * g[c];
    j->seen[w * H + h] = (sqrt(seen) + turn + 1.1 * j->inverse_size[h] * off->q) * (1 + 1e-9);
}

static f2l_status set_job_bounds(job *j, double kappa)
{
    const size_t H = j->out->heads, K = j->out->key;
    f2l_status status = F2L_OK;
    j->out->kappa = kappa;
    for (size_t h = 0; status == F2L_OK && h < H; h++) {
        double *r = j->out->form + h * K * K, *inverse = j->inverse + h * K * K;
        if (!f2l_learned_form(r, j->net, h, j->out->letters, kappa))
            return f2l_fail(j->err, F2L_EDOMAIN, "the queries of head %zu are not finite", h + 1);
        f2l_learned_inverse(inverse, r, K);
        j->r_size[h] = f2l_learned_norm(r, K, K, 10);
        j->inverse_size[h] = f2l_learned_norm(inverse, K, K, 10);
        for (size_t w = 0; w < j->out->letters; w++) {
            set_letter_bounds(j, w, h);
            read_through_letter(j, w, h);
        }
        status = f2l_task_poll(j->task, "norms", (double)h, (double)H, j->err);
    }
    return status;
}

/* Sets j->image to A c + B; returns what this is off by in the scope. */
static double move_by_letter(job *j, const double *c, size_t w, size_t h)
{
    const f2l_learned_off *off = &j->net->letter_off[w * j->out->heads + h];
    f2l_learned_apply(j->image, c, j->net, w, h, j->net->c->value_dim, true);
    return off->a * f2l_learned_length(c, j->entries) + off->b;
}

/* Writes down a word that leads to the question, where it has at most one letter between the words
 * that are looked at and the question's. */
static void note_word(const job *j, const f2l_learned_question *q)
{
    f2l_learned_horizon *out = j->out;
    const size_t between = j->length - j->depth - 1;
    memcpy(out->word, j->path, j->depth * sizeof *out->word);
    out->word_length = 0;
    if (between > 1) return;
    for (size_t i = 0; between == 1 && i < out->group; i++)
        if (j->fsa->next[j->word[j->depth].state * out->letters + out->letter[i]] == q->state)
            out->word[j->depth] = out->letter[i];
    out->word[j->length - 1] = (uint32_t)q->letter;
    out->word_length = j->length;
}

/* Notes what limits the horizon. */
static void note_limit(const job *j, const f2l_learned_question *q, const f2l_learned_margin *m)
{
    f2l_learned_horizon *out = j->out;
    memcpy(out->last, j->radius, out->heads * sizeof *out->last);
    out->limited = true;
    out->state = q->state;
    out->letter_at = q->letter;
    out->other = m->other;
    out->difference = m->difference;
    out->spread = m->spread;
    note_word(j, q);
}

/* Answers what was asked; returns false, and notes it, where an answer may be wrong. */
static bool answer_waiting(job *j)
{
    bool right[LANES];
    const double begin = f2l_now();
    f2l_learned_answer_lanes(right, j->net, j->asked, j->waiting);
    j->answer_seconds += f2l_now() - begin;
    j->answers += (double)j->waiting;
    for (size_t i = 0; i < j->waiting; i++) {
        f2l_learned_margin m;
        if (right[i]) continue;
        f2l_learned_answer(&m, j->net, &j->asked[i]);
        if (f2l_learned_margin_is_enough(&m)) continue;
        note_limit(j, &j->asked[i], &m);
        j->waiting = 0;
        return false;
    }
    j->waiting = 0;
    return true;
}

/* Asks for the answer after a letter where states lie in the ball of j->radius around c. */
static bool ask_letter(job *j, const double *c, size_t state, size_t w)
{
    const size_t H = j->out->heads, K = j->out->key, V = j->net->c->value_dim;
    f2l_learned_question *q = &j->asked[j->waiting];
    const double root = sqrt((double)K);
    q->letter = w;
    q->state = state;
    q->right = j->fsa->next[state * j->out->letters + w];
    for (size_t h = 0; h < H; h++) {
        const size_t at = w * H + h;
        const f2l_learned_off *off = &j->net->letter_off[at];
        const double *s = c + h * j->entries, *aq = j->aq + at * K;
        const double image = 1.01 * j->sizes[h] + j->b_size[at];
        double *o = q->centre + h * V;
        memcpy(o, j->bq + at * V, V * sizeof *o);
        for (size_t i = 0; i < K; i++)
            for (size_t v = 0; v < V; v++) o[v] += aq[i] * s[i * V + v];
        for (size_t v = 0; v < V; v++) o[v] /= root;
        q->radius[h] =
            with_room(j, (j->seen[at] * j->radius[h] + 1.01 * (off->a * j->sizes[h] + off->b) +
                          (off->q + 0x1p-34) * image) /
                             root);
    }
    return ++j->waiting < LANES || answer_waiting(j);
}

/* Returns false where an answer after one of the letters may be wrong. */
static bool ask_letters(job *j, const double *c, size_t state)
{
    bool right = true;
    for (size_t h = 0; h < j->out->heads; h++)
        j->sizes[h] = f2l_learned_length(c + h * j->entries, j->entries);
    for (size_t i = 0; right && i < j->out->group; i++)
        right = ask_letter(j, c, state, j->out->letter[i]);
    return right;
}

/* Adds the images of a state's centre to the next centres. */
static void add_letter_images(job *j, size_t state, size_t w)
{
    const size_t size = j->out->heads * j->entries;
    const size_t to = j->fsa->next[state * j->out->letters + w];
    double *sum = j->next + to * size;
    if (j->edges[to]++ == 0) memset(sum, 0, size * sizeof *sum);
    for (size_t h = 0; h < j->out->heads; h++, sum += j->entries) {
        (void)move_by_letter(j, j->centre + state * size + h * j->entries, w, h);
        for (size_t i = 0; i < j->entries; i++) sum[i] += j->image[i];
    }
}

static void need_edge_radius(job *j, size_t state, size_t w)
{
    const size_t H = j->out->heads, K = j->out->key, V = j->net->c->value_dim;
    const size_t to = j->fsa->next[state * j->out->letters + w], size = H * j->entries;
    double apart[F2L_LEARNED_MAX_DIM * F2L_LEARNED_MAX_DIM];
    for (size_t h = 0; h < H; h++) {
        const double *r = j->out->form + h * K * K, *c = j->next + to * size + h * j->entries;
        const double off = move_by_letter(j, j->centre + state * size + h * j->entries, w, h);
        const double sizes =
            f2l_learned_length(j->image, j->entries) + f2l_learned_length(c, j->entries);
        double drift = 0; /* of a mean of one image */
        if (j->edges[to] > 1) {
            for (size_t i = 0; i < j->entries; i++) j->image[i] -= c[i];
            memset(apart, 0, K * V * sizeof *apart);
            for (size_t i = 0; i < K; i++)
                for (size_t l = i; l < K; l++)
                    for (size_t v = 0; v < V; v++)
                        apart[i * V + v] += r[i * K + l] * j->image[l * V + v];
            drift = f2l_learned_norm(apart, K, V, 1);
        }
        const double need = with_room(j, j->out->norm[w * H + h] * j->radius[h] + drift +
                                             j->r_size[h] * (off + 0x1p-36 * sizes));
        if (!(need <= j->needed[h])) j->needed[h] = need;
    }
}

/* Makes the states after one letter more the centres. */
static void go_one_length_on(job *j)
{
    const f2l_learned_horizon *out = j->out;
    const size_t size = out->heads * j->entries;
    memset(j->edges, 0, out->states * sizeof *j->edges);
    for (size_t h = 0; h < out->heads; h++) j->needed[h] = 0;
    for (size_t q = 0; q < out->states; q++)
        for (size_t i = 0; j->here[q] > 0 && i < out->group; i++)
            add_letter_images(j, q, out->letter[i]);
    for (size_t q = 0; q < out->states; q++)
        for (size_t i = 0; j->edges[q] > 1 && i < size; i++)
            j->next[q * size + i] /= (double)j->edges[q];
    for (size_t q = 0; q < out->states; q++)
        for (size_t i = 0; j->here[q] > 0 && i < out->group; i++)
            need_edge_radius(j, q, out->letter[i]);
    double *centre = j->centre;
    j->centre = j->next;
    j->next = centre;
    uint32_t *here = j->here;
    j->here = j->edges;
    j->edges = here;
    memcpy(j->radius, j->needed, out->heads * sizeof *j->radius);
}

static void set_spot_radius(job *j, const spot *p)
{
    for (size_t h = 0; h < j->out->heads; h++)
        j->radius[h] = with_room(j, j->r_size[h] * p->off[h]);
}

/* Lowers j->most to the length up to which the words are right that begin with this one, of
 * out->prefix letters. */
static f2l_status run_balls(job *j, const spot *p)
{
    const size_t size = j->out->heads * j->entries;
    f2l_status status = F2L_OK;
    memset(j->here, 0, j->out->states * sizeof *j->here);
    j->here[p->state] = 1;
    memcpy(j->centre + p->state * size, p->at, size * sizeof *p->at);
    set_spot_radius(j, p);
    for (size_t s = j->out->prefix + 1; status == F2L_OK && s <= j->most; s++) {
        bool right = true;
        j->length = s;
        for (size_t q = 0; status == F2L_OK && right && q < j->out->states; q++) {
            if (j->here[q] == 0) continue;
            right = ask_letters(j, j->centre + q * size, q);
            status = f2l_task_poll(j->task, "words", j->done, j->words, j->err);
        }
        right = right && (j->waiting == 0 || answer_waiting(j));
        if (!right) j->most = s - 1;
        if (right && s < j->most) go_one_length_on(j);
    }
    if (j->done == 0) j->first_done = f2l_now();
    j->done += 1;
    return status;
}

/* Sets *to to what the letter makes of a spot. */
static void step_spot(job *j, spot *to, const spot *from, size_t w)
{
    for (size_t h = 0; h < j->out->heads; h++) {
        const double grown = 1 + j->net->letter_off[w * j->out->heads + h].a;
        const double off = move_by_letter(j, from->at + h * j->entries, w, h);
        to->off[h] = from->off[h] * grown + off;
        memcpy(to->at + h * j->entries, j->image, j->entries * sizeof *to->at);
    }
    to->state = w < j->out->letters ? j->fsa->next[from->state * j->out->letters + w] : from->state;
}

/* Lowers j->most to the length up to which all words are right that begin with the one of `depth`
 * letters in j->word; ends early where that is not above j->from. */
static f2l_status run_word(job *j, size_t depth)
{
    spot *p = &j->word[depth];
    j->depth = depth;
    if (depth == j->out->prefix) return run_balls(j, p);
    j->length = depth + 1;
    set_spot_radius(j, p);
    if (!ask_letters(j, p->at, p->state) || (j->waiting > 0 && !answer_waiting(j))) j->most = depth;
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < j->out->group; i++) {
        if (j->most <= j->from || j->most <= j->out->prefix) return F2L_OK;
        step_spot(j, p + 1, p, j->out->letter[i]);
        j->path[depth] = j->out->letter[i];
        status = run_word(j, depth + 1);
    }
    return status;
}

static f2l_status run_words(job *j, bool begin)
{
    spot *p = j->word;
    const size_t size = j->out->heads * j->entries;
    p->state = j->fsa->start;
    if (j->net->start) memcpy(p->at, j->net->start, size * sizeof *p->at);
    if (begin) step_spot(j, p, p, j->net->c->letters - 1);
    j->words = pow((double)j->out->group, (double)j->out->prefix);
    return run_word(j, 0);
}

/* Gives the arrays their places in j->memory; with memory NULL it only returns the count. */
static size_t place_walk_arrays(job *j)
{
    const f2l_learned_horizon *out = j->out;
    const size_t H = out->heads, K = out->key, V = j->net->c->value_dim, LH = out->letters * H;
    const size_t state = H * j->entries;
    const struct {
        double **at;
        size_t count;
    } part[] = {{&j->inverse, H * K * K},
                {&j->seen, LH},
                {&j->centre, out->states * state},
                {&j->next, out->states * state},
                {&j->image, j->entries},
                {&j->radius, H},
                {&j->needed, H},
                {&j->sizes, H},
                {&j->r_size, H},
                {&j->inverse_size, H},
                {&j->aq, LH * K},
                {&j->bq, LH * V},
                {&j->b_size, LH}};
    size_t all = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        if (j->memory) *part[i].at = j->memory + all;
        all += part[i].count;
    }
    for (size_t i = 0; i < LANES; i++) {
        if (j->memory) j->asked[i].centre = j->memory + all;
        if (j->memory) j->asked[i].radius = j->memory + all + H * V;
        all += H * V + H;
    }
    for (size_t i = 0; i <= out->prefix; i++) {
        if (j->memory) j->word[i].at = j->memory + all;
        if (j->memory) j->word[i].off = j->memory + all + state;
        all += state + H;
    }
    return all;
}

static f2l_status allocate_walk(job *j)
{
    const f2l_learned_horizon *out = j->out;
    j->memory = f2l_calloc(place_walk_arrays(j), sizeof *j->memory);
    j->here = f2l_calloc(out->states, sizeof *j->here);
    j->edges = f2l_calloc(out->states, sizeof *j->edges);
    j->word = f2l_calloc(out->prefix + 1, sizeof *j->word);
    if (!j->memory || !j->here || !j->edges || !j->word) return f2l_fail_memory(j->err);
    (void)place_walk_arrays(j);
    return F2L_OK;
}

f2l_status f2l_learned_walk_run(f2l_learned_horizon *out, f2l_learned_pace *pace,
                                f2l_learned_net *net, const f2l_fsa *fsa, bool begin,
                                const f2l_learned_ask *ask, double kappa, size_t from,
                                const f2l_task *task, f2l_error *err)
{
    job j = {.net = net, .fsa = fsa, .out = out, .task = task, .err = err};
    j.entries = net->c->key_dim * net->c->value_dim;
    j.most = ask->most;
    j.from = from;
    f2l_status status = allocate_walk(&j);
    if (status == F2L_OK) status = set_job_bounds(&j, kappa);
    if (status == F2L_OK) status = run_words(&j, begin);
    *pace = (f2l_learned_pace){.answer = j.answer_seconds / fmax(j.answers, 1)};
    if (j.done > 1) pace->word = (f2l_now() - j.first_done) / (j.done - 1);
    out->horizon = j.most;
    f2l_free(j.memory);
    f2l_free(j.here);
    f2l_free(j.edges);
    f2l_free(j.word);
    return status;
}
