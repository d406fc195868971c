#include "tests/support/automata/import_support.h"

f2l_status read_any(f2l_fsa *out, const char *text, const f2l_import_options *options,
                    f2l_error *err)
{
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    f2l_status status = f2l_import(&nfa, text, strlen(text), options, NULL, err);
    f2l_total_report report;
    f2l_total_options total = {.sink = true};
    if (status == F2L_OK) status = f2l_nfa_total(out, &report, &nfa, &total, NULL, err);
    f2l_nfa_clear(&nfa);
    return status;
}

size_t run_word(const f2l_fsa *fsa, const char *word)
{
    size_t state = fsa->start;
    for (; *word != '\0'; word++) {
        size_t letter = f2l_names_find(&fsa->letters, word, 1);
        cr_assert_neq(letter, F2L_NO_INDEX, "no letter %c", *word);
        state = fsa->next[state * fsa->letters.count + letter];
    }
    return state;
}

bool accepts(const f2l_fsa *fsa, const char *word)
{
    return fsa->accept[run_word(fsa, word)] != 0;
}

bool isomorphic(const f2l_fsa *a, const f2l_fsa *b)
{
    size_t n = a->states.count, k = a->letters.count, done = 0, found = 1;
    if (b->states.count != n || b->letters.count != k) return false;
    size_t *queue = calloc(n, sizeof *queue), *image = calloc(n, sizeof *image);
    bool *hit = calloc(n, sizeof *hit), same = true;
    cr_assert(queue != NULL && image != NULL && hit != NULL);
    for (size_t i = 0; i < n; i++) image[i] = F2L_NO_INDEX;
    image[a->start] = b->start;
    queue[0] = a->start;
    for (; done < found && same; done++) {
        size_t p = queue[done], q = image[p];
        if (a->has_accept && b->has_accept && a->accept[p] != b->accept[q]) same = false;
        if (a->output != NULL && b->output != NULL)
            same &= strcmp(f2l_fsa_label(a, F2L_LABEL_OUTPUTS, p),
                           f2l_fsa_label(b, F2L_LABEL_OUTPUTS, q)) == 0;
        for (size_t x = 0; x < k && same; x++) {
            size_t target = a->next[p * k + x];
            if (image[target] == F2L_NO_INDEX) {
                image[target] = b->next[q * k + x];
                queue[found++] = target;
            }
            same = image[target] == b->next[q * k + x];
        }
    }
    same &= found == n;
    for (size_t i = 0; i < n && same; i++) {
        same = !hit[image[i]];
        hit[image[i]] = true;
    }
    free(queue);
    free(image);
    free(hit);
    return same;
}

/* Reads `text`, which must be right. */
static void read_right(f2l_fsa *out, const char *text)
{
    f2l_error err = {0};
    f2l_fsa_init(out);
    cr_assert_eq(read_any(out, text, NULL, &err), F2L_OK, "%s: %s", text, err.text);
}

void accepts_one(const char *text, const char *yes, const char *no)
{
    f2l_fsa fsa;
    read_right(&fsa, text);
    cr_assert(accepts(&fsa, yes), "%s: %s", text, yes);
    cr_assert(!accepts(&fsa, no), "%s: %s", text, no);
    f2l_fsa_clear(&fsa);
}

void leads_to(const char *text, const char *word, const char *expected)
{
    f2l_fsa fsa;
    read_right(&fsa, text);
    size_t state = fsa.start, size = 0;
    for (; *word; word += size + strspn(word + size, " ")) {
        size = strcspn(word, " ");
        const size_t letter = f2l_names_find(&fsa.letters, word, size);
        cr_assert_neq(letter, F2L_NO_INDEX, "%s", word);
        state = fsa.next[state * fsa.letters.count + letter];
    }
    cr_assert_str_eq(f2l_names_get(&fsa.states, state), expected);
    f2l_fsa_clear(&fsa);
}

void refused_with(const char *text, const f2l_import_options *options, f2l_status status,
                  size_t line, size_t column, const char *message)
{
    f2l_error err = {0};
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    f2l_status got = read_any(&fsa, text, options, &err);
    cr_assert_eq(got, status, "%s: status %s, text %s", text, f2l_status_name(got), err.text);
    cr_assert_eq(err.line, line, "%s: line %zu, text %s", text, err.line, err.text);
    cr_assert_eq(err.column, column, "%s: column %zu, text %s", text, err.column, err.text);
    cr_assert_not_null(strstr(err.text, message), "%s: text %s", text, err.text);
    f2l_fsa_clear(&fsa);
}

void refused(const char *text, size_t line, size_t column, const char *message)
{
    refused_with(text, NULL, F2L_EFORMAT, line, column, message);
}

void survives_memory_failures(const char *text)
{
#ifdef F2L_MEM_FAILURES
    for (size_t n = 1;; n++) {
        f2l_nfa nfa;
        f2l_nfa_init(&nfa);
        f2l_mem_fail_after(n, true);
        f2l_status status = f2l_import(&nfa, text, strlen(text), NULL, NULL, NULL);
        f2l_mem_fail_after(0, false);
        f2l_nfa_clear(&nfa);
        if (status == F2L_OK) {
            cr_assert_gt(n, 5);
            break;
        }
        cr_assert_eq(status, F2L_ENOMEM, "allocation %zu of %s: %s", n, text,
                     f2l_status_name(status));
    }
#else
    f2l_fsa fsa;
    f2l_fsa_init(&fsa);
    cr_assert_eq(read_any(&fsa, text, NULL, NULL), F2L_OK);
    f2l_fsa_clear(&fsa);
#endif
}
