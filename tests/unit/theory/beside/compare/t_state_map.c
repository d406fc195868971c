#include "tests/support/train/learned_support.h"
#include "theory/beside/compare/irreps.h"
#include "theory/beside/compare/least_squares.h"
#include "theory/compile/compile.h"

enum { ROWS = 60, FITTED = 40, FROM = 7, TO = 3 };

static double number(f2l_rng *rng)
{
    return (double)f2l_rng_below(rng, 2000001) / 1000000 - 1;
}

/* Fills y = x M + c for a known M and c. */
static void transform(double *x, double *y)
{
    double m[FROM * TO];
    f2l_rng rng;
    f2l_rng_init(&rng, 7, 1);
    for (size_t i = 0; i < FROM * TO; i++) m[i] = number(&rng);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t k = 0; k < FROM; k++) x[i * FROM + k] = 5 + number(&rng);
        for (size_t j = 0; j < TO; j++) {
            y[i * TO + j] = 10 * (double)j;
            for (size_t k = 0; k < FROM; k++) y[i * TO + j] += x[i * FROM + k] * m[k * TO + j];
        }
    }
}

/* A known map is recovered; a known error that is put into the other rows is what is reported. */
Test(least_squares, a_known_map)
{
    double x[ROWS * FROM], y[ROWS * TO], mean = 0, square = 0;
    const f2l_learned_part part[2] = {{.first = 0, .count = 1}, {.first = 1, .count = 2}};
    f2l_state_map map[2];
    size_t rank;
    f2l_error err;
    transform(x, y);
    for (int wrong = 0; wrong < 2; wrong++) {
        for (size_t i = 0; i < ROWS && wrong; i++) {
            if (i < FITTED) mean += y[i * TO] / FITTED;
            if (i >= FITTED) y[i * TO] += 0.25;
        }
        cr_assert(f2l_least_squares(map, &rank, (f2l_columns){x, FROM, FROM},
                                    (f2l_columns){y, TO, TO}, part, 2, FITTED, ROWS, 1e-9,
                                    &err) == F2L_OK);
        cr_assert_eq(rank, FROM);
        cr_assert(map[0].fitted < 1e-12 && map[1].fitted < 1e-12 && map[1].held_out < 1e-12);
        cr_assert(wrong || map[0].held_out < 1e-12);
    }
    for (size_t i = FITTED; i < ROWS; i++) square += (y[i * TO] - mean) * (y[i * TO] - mean);
    cr_assert(fabs(map[0].held_out - 0.25 * sqrt((ROWS - FITTED) / square)) < 1e-12);
}

/* Columns that do not vary have no error, and numbers that are not finite are refused. */
Test(least_squares, what_cannot_be_fitted)
{
    double x[ROWS * FROM], y[ROWS * TO];
    const f2l_learned_part part = {.first = 0, .count = TO};
    f2l_state_map map;
    size_t rank;
    f2l_error err;
    transform(x, y);
    for (size_t i = 0; i < ROWS * TO; i++) y[i] = 3;
    cr_assert(f2l_least_squares(&map, &rank, (f2l_columns){x, FROM, FROM}, (f2l_columns){y, TO, TO},
                                &part, 1, FITTED, ROWS, 1e-9, &err) == F2L_OK);
    cr_assert(isnan(map.fitted) && isnan(map.held_out));
    x[3] = NAN;
    cr_assert_eq(f2l_least_squares(&map, &rank, (f2l_columns){x, FROM, FROM},
                                   (f2l_columns){y, TO, TO}, &part, 1, FITTED, ROWS, 1e-9, &err),
                 F2L_EDOMAIN);
}

typedef struct pair {
    f2l_compile_result compiled;
    f2l_net model;
    f2l_constructed constructed;
    f2l_state_maps maps;
} pair;

static void compare(pair *p, learned_case *c)
{
    const f2l_compile_options options = {.label = F2L_LABEL_STATES, .merge_letters = true};
    f2l_compile_result_init(&p->compiled);
    cr_assert(f2l_compile(&p->compiled, c->data.fsa, &options, NULL, &c->err) == F2L_OK, "%s",
              c->err.text);
    f2l_compile_model(&p->model, &p->compiled, c->data.fsa);
    cr_assert(f2l_constructed_init(&p->constructed, &p->model, &c->data, NULL, &c->err) == F2L_OK,
              "%s", c->err.text);
    cr_assert(f2l_state_maps_build(&p->maps, &c->reader, &c->sample, &p->constructed,
                                   F2L_STATE_MAP_THRESHOLD, NULL, &c->err) == F2L_OK,
              "%s", c->err.text);
}

static void pair_clear(pair *p)
{
    f2l_state_maps_clear(&p->maps);
    f2l_constructed_clear(&p->constructed);
    f2l_compile_result_clear(&p->compiled);
}

/* The constructed network permutes four numbers, A(g) x. Head 1 of the learned one has all of the
 * matrix A(g), which determines them, but not the other way round; head 2 has A(g) y for a
 * vector y that no matrix that commutes with all A(g) takes to x. */
Test(state_map, permutation_matrices)
{
    learned_case c;
    pair p;
    double start[32] = {0};
    for (size_t i = 0; i < 4; i++) start[i * 5] = 1;
    start[16] = 1;
    learned_symmetric(&c, 4, 2, 4, start);
    learned_read(&c);
    compare(&p, &c);
    const size_t columns = p.maps.constructed, all = columns - 1;
    const f2l_state_map *to = p.maps.to_constructed;
    cr_assert(p.maps.learned == 3 && p.maps.held_out > 0);
    cr_assert(to[all].fitted < 1e-5 && to[all].held_out < 1e-5);
    cr_assert(to[columns + all].held_out > 0.3);
    cr_assert(to[2 * columns + all].held_out < 1e-5);
    cr_assert(p.maps.to_learned[all * 3].held_out > 0.3);
    cr_assert(p.maps.learned_rank[0] == 9 && p.maps.learned_rank[1] == 3);
    pair_clear(&p);
    learned_clear(&c);
}

/* The constructed network has all answers right, as the automaton gives them. */
Test(constructed, answers_and_states)
{
    learned_case c;
    pair p;
    f2l_train_score score[2] = {{.length = 5}, {.length = 40}};
    f2l_data_wrong wrong = {.length = 1};
    learned_s3(&c);
    learned_read(&c);
    compare(&p, &c);
    cr_assert(f2l_constructed_evaluate(score, 2, &wrong, 50, &p.constructed, &c.data, NULL,
                                       &c.err) == F2L_OK);
    cr_assert(wrong.length == 0 && score[1].sequences == 50 && score[1].right_ones == 50 &&
              score[1].right == 2000 && score[1].supervised == 2000);
    pair_clear(&p);
    learned_clear(&c);
}

/* The states of the constructed network after the sample's words have one representation alone,
 * which tells all elements apart. */
Test(constructed, representations)
{
    learned_case c;
    pair p;
    f2l_learned_sample sample;
    f2l_learned_irreps x;
    learned_s3(&c);
    learned_read(&c);
    compare(&p, &c);
    cr_assert(f2l_constructed_sample(&sample, &p.constructed, &c.sample, &c.err) == F2L_OK);
    const f2l_learned_states states = {&sample, p.constructed.part, p.constructed.parts};
    f2l_learned_irreps_init(&x);
    cr_assert(f2l_learned_irreps_build(&x, &states, c.data.fsa, NULL, &c.err) == F2L_OK);
    cr_assert(x.why_none == NULL && x.is_least && x.kernel == 1 && x.dimension == 2);
    for (size_t i = 0; i < x.irreps; i++)
        cr_assert(fabs(x.share[i] - (x.least.irrep[i].dimension == 2)) < 1e-9);
    for (size_t i = 0; i < sample.states; i++)
        for (size_t k = 0; k < i; k++)
            cr_assert_eq(sample.given[i] == sample.given[k],
                         memcmp(sample.state + i * sample.numbers,
                                sample.state + k * sample.numbers,
                                sample.numbers * sizeof *sample.state) == 0);
    f2l_learned_irreps_clear(&x);
    f2l_free(sample.state);
    pair_clear(&p);
    learned_clear(&c);
}

/* A network that lacks a letter of the data is refused. */
Test(constructed, another_alphabet)
{
    learned_case c, other;
    pair p;
    f2l_constructed constructed;
    const double none[3] = {0};
    learned_s3(&c);
    learned_read(&c);
    compare(&p, &c);
    learned_symmetric(&other, 3, 1, 1, none);
    f2l_names_clear(&other.fsa.letters);
    size_t index;
    for (size_t i = 0; i < 6; i++) {
        const char name[2] = {(char)('a' + i), 0};
        cr_assert(f2l_names_add(&other.fsa.letters, name, 1, &index, &c.err) == F2L_OK);
    }
    cr_assert_eq(f2l_constructed_init(&constructed, &p.model, &other.data, NULL, &c.err),
                 F2L_EDOMAIN);
    cr_assert_not_null(strstr(c.err.text, "does not read the letter 'a'"));
    f2l_constructed_clear(&constructed);
    pair_clear(&p);
    learned_clear(&other);
    learned_clear(&c);
}
