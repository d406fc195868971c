/* The parts of lrnn-check, compared with the library's where both have one. tests/prop/mutate.py
 * judges whole files. */
#include "tests/support/check/check_support.h"

static void read_fsa(text *t)
{
    automaton a = {0};
    read_automaton(&a, t);
}

Test(check, automata)
{
    static const char begin[] = "fsa 1\nletters x\nstates a b\nstart a\n";
    static const struct {
        int status;
        const char *text;
    } cases[] = {
        {0, "a x b\nb x a\n"},
        {0, "accept\na x b\nb x a\n"},
        {0, "accept a b\noutput a 1\noutput b 1\na x b\nb x a\n"},
        {NOT_VERIFIED, ""},
        {NOT_VERIFIED, "a x b\n"},
        {NOT_VERIFIED, "a x b\nb x a"},
        {NOT_VERIFIED, "a x b\na x a\nb x a\n"},
        {NOT_VERIFIED, "b x a\na x b\n"},
        {NOT_VERIFIED, "a x b\nb x c\n"},
        {NOT_VERIFIED, "a x b\nb eps a\n"},
        {NOT_VERIFIED, "a x b\nb x a\n\n"},
        {NOT_VERIFIED, "a x b # comment\nb x a\n"},
        {NOT_VERIFIED, "a  x b\nb x a\n"},
        {NOT_VERIFIED, "a x b\r\nb x a\r\n"},
        {NOT_VERIFIED, "accept b a\na x b\nb x a\n"},
        {NOT_VERIFIED, "accept c\na x b\nb x a\n"},
        {NOT_VERIFIED, "output a 1\na x b\nb x a\n"},
        {0, "a x b 1\nb x a 1\n"},
        {0, "a x b \"states\"\nb x a \"\"\n"},
        {NOT_VERIFIED, "a x b 1\nb x a\n"},
        {NOT_VERIFIED, "a x b\nb x a 1\n"},
        {NOT_VERIFIED, "a x b 1 1\nb x a 1 1\n"},
        {NOT_VERIFIED, "a x b states\nb x a 1\n"},
    };
    char whole[200];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(whole, sizeof whole, "%s%s", begin, cases[i].text);
        cr_assert(status_of(read_fsa, whole) == cases[i].status, "`%s`", cases[i].text);
    }
    cr_assert(status_of(read_fsa, "fsa 1\npoints 2\ntrack points 2\npermute a (1 2)\n") == 0);
    cr_assert(status_of(read_fsa, "fsa 1\n"
                                  "points 2\n"
                                  "track points 3\n"
                                  "permute a (1 2)\n") == NOT_VERIFIED);
    cr_assert(status_of(read_fsa, "fsa 1\npoints 2\ntrack elements\n") == NOT_VERIFIED);
    cr_assert(status_of(read_fsa, "fsa 1\npoints 2\ntrack elements\nstart a\npermute a ()\n") ==
              NOT_VERIFIED);
}

/* Automata of 5,040 states, and one permutation that is larger than the memory. */
Test(check, automata_within_budgets)
{
    static const char large[] = "fsa 1\npoints 1000000000\ntrack elements\npermute a ()\n",
                      many[] = "fsa 1\n"
                               "points 7\n"
                               "track elements\n"
                               "permute a (1 2 3 4 5 6 7)\n"
                               "permute b (1 2)\n";
    cr_assert(status_within((budget){1000000, (size_t)1 << 30}, read_fsa, large) == UNKNOWN);
    cr_assert(status_within((budget){1000000, (size_t)1 << 30}, read_fsa, many) == 0);
    cr_assert(status_within((budget){10000, (size_t)1 << 30}, read_fsa, many) == UNKNOWN);
    cr_assert(status_within((budget){1000000, 100000}, read_fsa, many) == UNKNOWN);
}

static void read_one_factor(text *t)
{
    head h = {.n = 3, .d = 2};
    factor f = {0};
    read_factor(&f, t, &h);
}

/* One factor on a 3 x 2 state equals S - (beta / u^T u) u (u^T S - c^T), written out. */
Test(check, factors)
{
    static const char *const bad[] = {
        "factor 2 u\n",           "factor 2 u 4:1\n",        "factor 2 u 1:1 c\n",
        "factor 2 u 1:1 c 3:1\n", "factor 2 u 1:1  c 1:1\n", "factor 3 u 1:1\n",
        "factor -1 u 1:1\n",      "factor 2 u 2:1 1:1\n",    "factor 2 u 1:0\n",
        "factor 2 u 1:1",         "factor 2 u 1:1 \n",       "factor 2 c 1:1\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert(status_of(read_one_factor, bad[i]) == NOT_VERIFIED, "`%s`", bad[i]);
    static const long u[] = {1, -2, 0}, c[] = {0, 3};
    head h = {.n = 3, .d = 2};
    factor *f = grab(1, sizeof *f);
    mpq_t *state = zeros(6), *number = zeros(2);
    text t = text_of("factor 3/2 u 1:1/7 2:-2/7 c 2:3/7\n");
    read_factor(f, &t, &h);
    mpq_inits(sums[0], sums[1], NULL);
    for (size_t i = 0; i < 6; i++) mpq_set_si(state[i], (long)(i * i) - 5, 1);
    apply(state, 2, f);
    for (long i = 0; i < 6; i++) {
        const long j = i % 2, r = u[0] * (j * j - 5) + u[1] * ((j + 2) * (j + 2) - 5) - c[j];
        mpq_set_si(number[0], 3 * u[i / 2] * r, 10); /* 3/2 over u^T u = 5 */
        mpq_canonicalize(number[0]);
        mpq_set_si(number[1], i * i - 5, 1);
        mpq_sub(number[1], number[1], number[0]);
        cr_assert(mpq_equal(state[i], number[1]), "entry %ld", i);
    }
}

/* Sets x to a small number, every second time a whole one. */
static void draw(mpq_t x, unsigned long *dice)
{
    *dice = *dice * 6364136223846793005UL + 1442695040888963407UL;
    const unsigned long die = *dice >> 40;
    mpq_set_si(x, (long)(die % 9) - 4, die & 512 ? 1 : 1 + die / 1024 % 4);
    mpq_canonicalize(x);
}

/* Makes the vector of so many entries, zeros among them. */
static vector draw_vector(size_t count, unsigned long *dice)
{
    vector v = {grab(count, sizeof *v.entry), count};
    for (size_t i = 0; i < count; i++) {
        v.entry[i].index = i;
        mpq_init(v.entry[i].value);
        draw(v.entry[i].value, dice);
    }
    return v;
}

static void clear_numbers(vector *v)
{
    for (size_t i = 0; i < v->count; i++) mpq_clear(v->entry[i].value);
}

/* Sets out to S - scale u (w^T S - c^T) by its definition, in products of fractions. */
static void apply_plainly(mpq_t *out, mpq_t *s, size_t n, size_t d, const factor *f)
{
    mpq_t sum, product;
    mpq_inits(sum, product, NULL);
    for (size_t j = 0; j < d; j++) {
        mpq_neg(sum, f->c.entry[j].value);
        for (size_t i = 0; i < n; i++) {
            mpq_mul(product, f->w.entry[i].value, s[i * d + j]);
            mpq_add(sum, sum, product);
        }
        for (size_t i = 0; i < n; i++) {
            mpq_mul(product, f->u.entry[i].value, f->scale);
            mpq_mul(product, product, sum);
            mpq_sub(out[i * d + j], s[i * d + j], product);
        }
    }
    mpq_clears(sum, product, NULL);
}

/* Whole numbers go another way than fractions: all mixtures give the same numbers as products of
 * fractions, in lowest terms. */
Test(check, factors_of_whole_numbers_and_fractions)
{
    enum { N = 3, D = 2 };
    unsigned long dice = 1;
    size_t fractions = 0;
    mpq_t *s = zeros(N * D), *want = zeros(N * D);
    mpq_inits(sums[0], sums[1], NULL);
    for (size_t run = 0; run < 1000; run++) {
        factor f = {.u = draw_vector(N, &dice), .w = draw_vector(N, &dice)};
        f.c = draw_vector(D, &dice);
        mpq_init(f.scale);
        draw(f.scale, &dice);
        for (size_t i = 0; i < N * D; i++) draw(s[i], &dice);
        apply_plainly(want, s, N, D, &f);
        apply(s, D, &f);
        for (size_t i = 0; i < N * D; i++) {
            cr_assert(mpq_equal(s[i], want[i]), "run %zu, entry %zu", run, i);
            fractions += mpz_cmp_ui(mpq_denref(s[i]), 1) != 0;
        }
        mpq_clear(f.scale);
        clear_numbers(&f.u);
        clear_numbers(&f.w);
        clear_numbers(&f.c);
    }
    cr_assert(fractions > 1000 && fractions < 5000, "%zu", fractions);
    for (size_t i = 0; i < N * D; i++) mpq_clears(s[i], want[i], NULL);
}

/* Each change of this network must be refused, even where no word would tell the difference. */
Test(check, networks)
{
    static const char good[] = "lrnn 2\n"
                               "fsa 0\n"
                               "field Q\n"
                               "label states\n"
                               "letters 1\n"
                               "letter x\n"
                               "labels 2\n"
                               "symbol a\n"
                               "symbol b\n"
                               "start 1\n"
                               "layers 1\n"
                               "layer 1 letters 1 heads 1 codes 2 symbols 2 decode step\n"
                               "head 1 key 1 value 1\n"
                               "initial 1.1:1\n"
                               "on 1 gate 1 factors 1\n"
                               "factor 2 u 1:1\n"
                               "code 1 * 1.1:1\n"
                               "code 2 * 1.1:-1\n"
                               "yield 1 1 1\n"
                               "yield 1 2 2\n"
                               "end\n";
    static const char *const change[][2] = {
        {"lrnn 2", "lrnn 1"},
        {"lrnn 2", "lrnn 3"},
        {"label states", "label outputs"},
        {"label states", "label edges"},
        {"label states", "label accept"},
        {"label states", "label"},
        {"letters 1\n", "letters 2\n"},
        {"letter x", "letter y"},
        {"symbol b", "symbol a"},
        {"labels 2", "labels 99999"},
        {"start 1", "start 2"},
        {"start 1", "start 3"},
        {"start 1", "start -"},
        {"letter x\n", "letter x\nletter-classes 1 1\n"},
        {"layers 1", "layers 2"},
        {"layers 1", "layers 0"},
        {"heads 1", "heads 2"},
        {"heads 1", "heads 400000000"},
        {"codes 2", "codes 3"},
        {"codes 2", "codes 1"},
        {"symbols 2", "symbols 3"},
        {"symbols 2", "symbols 1"},
        {"step", "state"},
        {"key 1", "key 0"},
        {"key 1", "key 01"},
        {"gate 1", "gate 3/2"},
        {"gate 1", "gate -1"},
        {"factors 1", "factors 0"},
        {"factors 1", "factors 2"},
        {"code 2 * 1.1:-1", "code 2 * 1.1:1"},
        {"code 2", "code 3"},
        {"code 1 *", "code 1 1"},
        {"code 1 * 1.1:1", "code 1 * 1.1:1 ;"},
        {"yield 1 1 1\nyield 1 2 2\n", "yield 1 2 2\nyield 1 1 1\n"},
        {"yield 1 1 1\n", "yield 1 1 1\nyield 1 1 1\n"},
        {"yield 1 2", "yield 2 1"},
        {"yield 1 2 2", "yield 1 3 2"},
        {"yield 1 2 2", "yield 1 2 3"},
        {"end\n", ""},
        {"end\n", "end"},
        {"end\n", "end\n\n"},
    };
    refuses_each(good, change, sizeof change / sizeof *change);
}

#ifdef CHECK_HAS_WIRED
/* A wired network: two stages that share a block with two heads, and a circuit. */
Test(check, wired_networks)
{
    static const char good[] = "lrnn-wired 2\n"
                               "fsa 0\n"
                               "label states\n"
                               "letters 1\n"
                               "letter x\n"
                               "labels 2\n"
                               "symbol a\n"
                               "symbol b\n"
                               "start 1\n"
                               "tables 3\n"
                               "table 1 inputs values 3 entries 2\n"
                               "table 2 inputs 3 2 values 1 entries 1 1 1 1 1 1\n"
                               "table 3 inputs 1 values 2 entries 2\n"
                               "blocks 2\n"
                               "block 1 inputs 1\n"
                               "pre 1\n"
                               "gate 1\n"
                               "heads 2\n"
                               "head 1 key 3 value 1 slots 2\n"
                               "slot 1 wire 1\n"
                               "on 1 gate 1 factors 1\n"
                               "factor 2 u 1:1\n"
                               "slot 2 wire 2\n"
                               "on 1 gate 1 factors 0\n"
                               "on 2 gate 1/2 factors 0\n"
                               "on 3 gate 1 factors 0\n"
                               "head 2 key 1 value 2 slots 1\n"
                               "slot 1 wire 1\n"
                               "on 1 gate 0 factors 0\n"
                               "readouts 3\n"
                               "readout 1 head 1 rows 1 1 codes 2\n"
                               "code 1 1.1:1\n"
                               "code 2 1.1:-1\n"
                               "readout 2 head 1 rows 2 3 codes 1\n"
                               "code 1 2.1:7\n"
                               "readout 3 head 2 rows 1 1 codes 2\n"
                               "code 1\n"
                               "code 2 1.2:1\n"
                               "post 1\n"
                               "gate 2 2 3\n"
                               "outputs 6\n"
                               "block 2 inputs 1\n"
                               "pre 1\n"
                               "gate 3 1\n"
                               "heads 0\n"
                               "readouts 0\n"
                               "post 0\n"
                               "outputs 2\n"
                               "stages 3\n"
                               "stage 1 block 1\n"
                               "initial 1.1:1\n"
                               "initial\n"
                               "stage 2 block 1\n"
                               "initial\n"
                               "initial 1.2:1\n"
                               "stage 3 block 2\n"
                               "end\n";
    static const char *const change[][2] = {
        {"lrnn-wired 2", "lrnn-wired 1"},
        {"lrnn-wired 2", "lrnn-wired 3"},
        {"lrnn-wired 2", "lrnn 2"},
        {"fsa 0\n", "fsa 0\nfield Q\n"},
        {"value 1 slots 2\n", "value 1 slots 2\nfield -2 0 1 interval 1 2\n"},
        {"value 1 slots 2\n", "value 1\nfield -2 0 1 interval 1 2\nslots 2\n"},
        {"value 1 slots 2\n", "value 1 slots 2\nform 1.1:2 2.2:1 3.3:1\n"},
        {"code 1 1.1:1\n", "code 1 1.1:1,1\n"},
        {"start 1", "start 2"},
        {"tables 3", "tables 2"},
        {"tables 3", "tables 400000000"},
        {"table 1 inputs ", "table 1 inputs  "},
        {"values 3 entries 2", "values 1 entries 2"},
        {"values 3 entries 2", "values 4 entries 2"},
        {"values 3 entries 2", "values 3 entries 2 2"},
        {"values 3 entries 2", "values 3 entries"},
        {"values 3 entries 2", "values 3 entries 0"},
        {"inputs 3 2 values", "inputs 2 3 values"},
        {"inputs 3 2 values", "inputs 3 0 values"},
        {"inputs 3 2 values", "inputs 300000 200000 values"},
        {"entries 1 1 1 1 1 1", "entries 1 1 1 1 1"},
        {"blocks 2", "blocks 1"},
        {"blocks 2", "blocks 99999"},
        {"block 1 inputs 1", "block 1 inputs 2"},
        {"block 1 inputs 1", "block 1 inputs"},
        {"block 1 inputs 1", "block 1 inputs 1 1"},
        {"block 2 inputs", "block 1 inputs"},
        {"pre 1", "pre 0"},
        {"pre 1", "pre 77777777"},
        {"gate 1\n", "gate 4\n"},
        {"gate 1\n", "gate 1 1\n"},
        {"gate 1\n", "gate 3 2\n"},
        {"gate 1\n", "gate 0\n"},
        {"heads 2", "heads 1"},
        {"heads 2", "heads 3"},
        {"head 2 key", "head 3 key"},
        {"key 3", "key 2"},
        {"key 3", "key 4"},
        {"slots 2", "slots 1"},
        {"slots 2", "slots 0"},
        {"slot 2 wire 2", "slot 2 wire 1"},
        {"slot 2 wire 2", "slot 2 wire 3"},
        {"slot 2 wire 2", "slot 1 wire 2"},
        {"on 3 gate 1 factors 0\n", ""},
        {"gate 1/2", "gate 3/2"},
        {"gate 1/2", "gate -1"},
        {"factor 2", "factor 5/2"},
        {"factor 2 u 1:1", "factor 2 u"},
        {"factor 2 u 1:1", "factor 2 u 4:1"},
        {"readouts 3", "readouts 2"},
        {"readouts 3", "readouts 4"},
        {"rows 1 1 codes 2", "rows 1 2 codes 2"},
        {"rows 1 1 codes 2", "rows 1 3 codes 2"},
        {"rows 1 1 codes 2", "rows 2 2 codes 2"},
        {"rows 2 3", "rows 1 3"},
        {"rows 2 3", "rows 3 3"},
        {"rows 2 3", "rows 2 2"},
        {"rows 2 3", "rows 2 4"},
        {"readout 3 head 2", "readout 3 head 1"},
        {"codes 2\ncode 1 1.1:1", "codes 3\ncode 1 1.1:1"},
        {"code 2 1.1:-1", "code 2 1.1:1"},
        {"code 2 1.1:-1", "code 2 2.1:1"},
        {"code 2 1.2:1", "code 2"},
        {"code 2 1.2:1", "code 2 1.3:1"},
        {"code 1 2.1:7", "code 1 3.1:7"},
        {"post 1", "post 0"},
        {"gate 2 2 3", "gate 2 2 4"},
        {"gate 2 2 3", "gate 2 3 2"},
        {"gate 2 2 3", "gate 2 2 6"},
        {"gate 2 2 3", "gate 2 2"},
        {"outputs 6", "outputs 7"},
        {"outputs 6", "outputs 5"},
        {"outputs 6", "outputs"},
        {"outputs 6", "outputs 6 6"},
        {"heads 0\nreadouts 0", "heads 0\nreadouts 1\nreadout 1 head 1 rows 1 1 codes 1\ncode 1"},
        {"stages 3", "stages 2"},
        {"stages 3", "stages 4"},
        {"stage 1 block 1\ninitial 1.1:1\ninitial\n", ""},
        {"stage 2 block 1\ninitial\ninitial 1.2:1\n", "stage 2 block 2\n"},
        {"stage 3 block 2", "stage 3 block 3"},
        {"initial 1.1:1", "initial 4.1:1"},
        {"initial 1.1:1\n", ""},
        {"initial 1.2:1", "initial 1.2:0"},
        {"end\n", "end\n\n"},
    };
    refuses_each(good, change, sizeof change / sizeof *change);
}

/* One transition acts on copies 1 and 3 of a state with eight rows, as in the rule form. */
Test(check, actions)
{
    static const char swap[] = "factor 2 u 1:1 2:1 5:-1 6:-1\n", odd[] = "factor 2 u 1:1 2:-1\n";
    static const struct {
        int right;
        const char *gate, *first, *second, *does;
    } cases[] = {
        {1, "1 factors 0", "", "", "pq"},
        {0, "1/2 factors 0", "", "", "pq"},
        {0, "1 factors 0", "", "", "qp"},
        {1, "1 factors 1", swap, "", "qp"},
        {1, "1 factors 1", "factor 2 u 1:-2/3 2:-2/3 5:2/3 6:2/3\n", "", "qp"},
        {0, "1 factors 1", swap, "", "pq"},
        {0, "1 factors 1", "factor 2 u 1:1 2:1 5:1 6:-1\n", "", "qp"},
        {0, "1 factors 1", "factor 1 u 1:1 2:1 5:-1 6:-1\n", "", "qp"},
        {0, "1 factors 1", "factor 2 u 1:1 2:1 5:-1 6:-1 c 1:1\n", "", "qp"},
        {0, "1 factors 1", "factor 2 u 1:1 2:1 3:-1 4:-1\n", "", "qp"},
        {1, "1 factors 2", swap, swap, "pq"},
        {1, "1 factors 2", "factor 2 u 1:1 5:-1\n", "factor 2 u 2:1 6:-1\n", "qp"},
        {1, "1 factors 1", odd, "", "pq"}, /* equal copies would hide this */
        {1, "1 factors 2", "factor 1 u 5:1\n", "factor 1 u 6:1\n", "p0"},
        {0, "1 factors 1", "factor 1 u 5:1\n", "", "p0"},
        {1, "1 factors 2", "factor 1 u 1:1\n", "factor 1 u 2:5\n", "0q"},
        {1, "1 factors 2", "factor 1 u 1:1 c 1:1\n", "factor 1 u 2:-5 c 1:-5\n", "1q"},
        {0, "1 factors 2", "factor 1 u 1:1 c 1:1\n", "factor 1 u 2:5 c 1:-5\n", "1q"},
        {0, "1 factors 1", "factor 0 u 3:1\n", "", "pq"}, /* another row */
        {0, "1 factors 1", "factor 0 u 8:1\n", "", "pq"},
    };
    head h = {.n = 8, .d = 1};
    problem x = {.state = zeros(8), .net = {.wired = true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char bytes[200];
        struct slot s;
        snprintf(bytes, sizeof bytes,
                 "on 1 gate %s\n"
                 "%s%s",
                 cases[i].gate, cases[i].first, cases[i].second);
        text t = text_of(bytes);
        read_slot(&s, &t, &h, 1, &x.net);
        cr_assert(left(&t) == 0);
        cr_assert(acts(&x, &h, s.on, 0, 2, cases[i].does) == cases[i].right, "%s as %s", bytes,
                  cases[i].does);
    }
}

#endif
