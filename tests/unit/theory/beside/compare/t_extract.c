#include "tests/support/train/learned_support.h"
#include "theory/beside/compare/extract.h"

static void extract(f2l_extract *x, learned_case *c)
{
    f2l_extract_init(x);
    cr_assert(f2l_extract_build(x, &c->reader, &c->sample, NULL, &c->err) == F2L_OK, "%s",
              c->err.text);
}

/* Returns the state of the automaton after the word. */
static size_t walk(const f2l_fsa *fsa, const uint32_t *word, size_t letters)
{
    size_t q = fsa->start;
    for (size_t i = 0; i < letters; i++) q = fsa->next[q * fsa->letters.count + word[i]];
    return q;
}

/* The answers of the machine are those of the network on all words of up to three letters, which
 * the network reads from the start, without clusters. */
static void answers_are_the_network_s(const f2l_extract *x, learned_case *c)
{
    const size_t k = x->machine.letters.count;
    for (size_t letters = 1, words = k; letters <= 3; letters++, words *= k)
        for (size_t w = 0; w < words; w++) {
            uint32_t word[3], answer = 0;
            for (size_t i = 0, left = w; i < letters; i++, left /= k)
                word[i] = (uint32_t)(left % k);
            cr_assert(f2l_learned_run(&answer, &c->reader, word, letters, &c->err) == F2L_OK);
            const size_t from = walk(&x->machine, word, letters - 1);
            cr_assert_eq(x->machine.edge_output[from * k + word[letters - 1]], answer);
        }
}

Test(extract, a_network_that_has_learned_s3)
{
    learned_case c;
    f2l_extract x;
    learned_s3(&c);
    learned_read(&c);
    extract(&x, &c);
    cr_assert(x.fits && x.view == F2L_VIEW_STATES && x.wrong == 0);
    cr_assert(x.clusters == 6 && x.pairs == 6 && x.moore.states.count == 6);
    cr_assert(x.gap.between >= F2L_GAP_RATIO * x.gap.within);
    cr_assert(!x.difference.found && x.with_starts == 1);
    answers_are_the_network_s(&x, &c);
    f2l_extract_clear(&x);
    learned_clear(&c);
}

/* Exchanges what the read-out says of two labels. */
static void exchange_labels(learned_case *c, size_t one, size_t other)
{
    const f2l_seq *m = &c->trained.model;
    const size_t width = m->config.width;
    float *head = c->trained.parameters + m->tensor[m->head].offset;
    for (size_t i = 0; i < width; i++) {
        const float old = head[one * width + i];
        head[one * width + i] = head[other * width + i];
        head[other * width + i] = old;
    }
}

/* A changed read-out gives a shortest word on which the network really errs, and it errs on no
 * shorter one. */
Test(extract, a_network_that_errs)
{
    learned_case c;
    f2l_extract x;
    uint32_t answer = 0;
    learned_s3(&c);
    exchange_labels(&c, 2, 5);
    learned_read(&c);
    extract(&x, &c);
    cr_assert(x.fits && x.difference.found && x.confirmed && x.difference.letters == 1);
    cr_assert(f2l_learned_run(&answer, &c.reader, x.difference.word, 1, &c.err) == F2L_OK);
    const size_t right = walk(c.data.fsa, x.difference.word, 1);
    cr_assert(answer == x.answer && answer != c.data.answer[right]);
    cr_assert_str_eq(x.difference.label[0], f2l_names_get(&c.data.labels, c.data.answer[right]));
    cr_assert_str_eq(x.difference.label[1], f2l_names_get(&c.data.labels, answer));
    cr_assert(x.wrong > 0 && x.wrong_letters == 1);
    cr_assert(f2l_learned_run(&answer, &c.reader, x.wrong_word, 1, &c.err) == F2L_OK);
    cr_assert(answer != c.data.answer[walk(c.data.fsa, x.wrong_word, 1)]);
    f2l_extract_clear(&x);
    learned_clear(&c);
}

/* Exact matrices whose start has a column for every point: all elements are clusters. With one
 * column that is 0 but for one point, the clusters are the points, a quotient. */
Test(extract, clusters_of_exact_matrices)
{
    learned_case c;
    f2l_extract x;
    double every[16] = {0};
    const double one[4] = {0, 0, 1, 0};
    for (size_t i = 0; i < 4; i++) every[i * 5] = 1;
    learned_symmetric(&c, 4, 1, 4, every);
    learned_read(&c);
    extract(&x, &c);
    cr_assert(x.clusters == 24 && x.pairs == 24 && x.other_state == 0 && x.with_starts == 1);
    cr_assert(x.fits && x.moore.states.count == 1 && x.difference.found && x.confirmed);
    f2l_extract_clear(&x);
    learned_clear(&c);
    learned_symmetric(&c, 4, 1, 1, one);
    learned_read(&c);
    extract(&x, &c);
    cr_assert(x.clusters == 4 && x.pairs == 24 && x.with_starts == 6);
    f2l_extract_clear(&x);
    learned_clear(&c);
}

/* Where clusters do not give the answers, a word is sought on which the network errs: here the
 * betas are moved until nothing fits. */
Test(extract, a_network_that_fits_nothing)
{
    learned_case c;
    f2l_extract x;
    uint32_t answer = 0;
    learned_s3(&c);
    const f2l_seq_tensor *t = f2l_seq_find(&c.trained.model, "layers.0.mixer.b_proj.weight");
    for (size_t i = 0; i < t->count; i++) c.trained.parameters[t->offset + i] *= 0.1F;
    learned_read(&c);
    extract(&x, &c);
    cr_assert(!x.fits && x.wrong_letters > 0);
    cr_assert(f2l_learned_run(&answer, &c.reader, x.wrong_word, x.wrong_letters, &c.err) == F2L_OK);
    cr_assert(answer != c.data.answer[walk(c.data.fsa, x.wrong_word, x.wrong_letters)]);
    f2l_extract_clear(&x);
    learned_clear(&c);
}

/* A network that does not move its states has one cluster. */
Test(extract, one_state)
{
    learned_case c;
    f2l_extract x;
    const double none[3] = {0};
    learned_symmetric(&c, 3, 1, 1, none);
    learned_read(&c);
    extract(&x, &c);
    cr_assert(x.clusters == 1 && x.pairs == 6 && x.with_starts == 6);
    f2l_extract_clear(&x);
    learned_clear(&c);
}

Test(extract, logits_that_are_no_numbers_are_refused)
{
    learned_case c;
    f2l_extract x;
    learned_s3(&c);
    const f2l_seq *m = &c.trained.model;
    learned_read(&c);
    c.trained.parameters[m->tensor[m->head].offset] = NAN;
    f2l_extract_init(&x);
    cr_assert_eq(f2l_extract_build(&x, &c.reader, &c.sample, NULL, &c.err), F2L_EDOMAIN);
    cr_assert_not_null(strstr(c.err.text, "not a number"));
    learned_clear(&c);
}
