/* The check of an exported model: verdicts, limits, and memory that runs out at every allocation.
 * The model is the one of the fuzz corpus. */
#include "automata/family/family.h"
#include "numeric/base/mem.h"
#include "theory/certify/stock/stock.h"
#include <criterion/criterion.h>
#include <string.h>

typedef struct fixture {
    f2l_buf all;
    f2l_stock_files files; /* borrowed from `all` */
    f2l_fsa fsa;
    bool another; /* whether `fsa` may be another automaton than export.json names */
    f2l_stock_verdict verdict;
} fixture;

static size_t size_at(const char *data)
{
    const unsigned char *b = (const unsigned char *)data;
    return (size_t)b[0] | (size_t)b[1] << 8 | (size_t)b[2] << 16 | (size_t)b[3] << 24;
}

static void open_parity(fixture *f)
{
    f2l_error err = {0};
    memset(f, 0, sizeof *f);
    f2l_fsa_init(&f->fsa);
    f2l_stock_verdict_init(&f->verdict);
    cr_assert_eq(f2l_read_file(&f->all, "tests/fuzz/corpus/stock/fla-deltanet", 0, &err), F2L_OK,
                 "%s", err.text);
    cr_assert_eq(f2l_family_build(&f->fsa, "parity", NULL, 0, false, &err), F2L_OK, "%s", err.text);
    f2l_buf *const part[4] = {&f->files.config, &f->files.tensors, &f->files.prefix,
                              &f->files.about};
    char *at = f->all.data + 12;
    for (size_t i = 0; i < 4; i++) {
        part[i]->data = at;
        part[i]->size =
            i < 3 ? size_at(f->all.data + 4 * i) : (size_t)(f->all.data + f->all.size - at);
        at += part[i]->size;
    }
}

static void close_parity(fixture *f)
{
    f2l_stock_verdict_clear(&f->verdict);
    f2l_fsa_clear(&f->fsa);
    f2l_buf_clear(&f->all);
}

static f2l_status check(fixture *f, const f2l_task *task)
{
    f2l_stock_verdict_clear(&f->verdict);
    return f2l_stock_check(&f->verdict, &f->files, &f->fsa, f->another, task, NULL);
}

Test(stock_check, verified)
{
    fixture f;
    open_parity(&f);
    cr_assert_eq(check(&f, NULL), F2L_OK);
    cr_assert_eq(f.verdict.verdict, F2L_OK);
    cr_assert_str_eq(f.verdict.format, "bf16");
    cr_assert(f.verdict.joint_states == 2 && f.verdict.layers == 1 && f.verdict.heads == 1);
    for (size_t p = 0; p < F2L_STOCK_CHECK_PATHS; p++)
        cr_assert(f.verdict.path[p].claimed && f.verdict.path[p].verdict == F2L_OK);
    close_parity(&f);
}

/* The line has the hashes of the four files and of the automaton. */
Test(stock_check, line)
{
    fixture f;
    f2l_buf line, wanted;
    char hex[65];
    const char *const word[4] = {"config", "model", "prefix", "export"};
    open_parity(&f);
    cr_assert_eq(check(&f, NULL), F2L_OK);
    const f2l_buf *const file[4] = {&f.files.config, &f.files.tensors, &f.files.prefix,
                                    &f.files.about};
    f2l_buf_init(&line);
    f2l_buf_init(&wanted);
    f2l_stock_line(&line, &f.verdict, 1);
    cr_assert_eq(f2l_fsa_sha256(&f.fsa, hex, NULL), F2L_OK);
    f2l_buf_printf(&wanted,
                   "s VERIFIED export fla-deltanet path recurrent format bf16 label states letters "
                   "2 labels 2 states 2 fsa %s",
                   hex);
    for (size_t i = 0; i < 4; i++) {
        f2l_sha256_hex(file[i]->data, file[i]->size, hex);
        f2l_buf_printf(&wanted, " %s %s", word[i], hex);
    }
    cr_assert_str_eq(line.data, wanted.data);
    f2l_buf_clear(&line);
    f2l_buf_clear(&wanted);
    close_parity(&f);
}

Test(stock_check, refuted_by_the_shortest_word)
{
    fixture f;
    open_parity(&f);
    f.fsa.next[1 * 2 + 1] = 1; /* odd 1 odd */
    cr_assert_eq(check(&f, NULL), F2L_EDOMAIN, "export.json names another automaton");
    f.another = true;
    cr_assert_eq(check(&f, NULL), F2L_OK);
    cr_assert_eq(f.verdict.verdict, F2L_REFUTED);
    cr_assert(f.verdict.length == 2 && f.verdict.word[0] == 1 && f.verdict.word[1] == 1);
    cr_assert_str_eq(f.verdict.expected, "odd");
    cr_assert_str_eq(f.verdict.answer, "even");
    close_parity(&f);
}

Test(stock_check, every_limit_is_unknown)
{
    fixture f;
    open_parity(&f);
    size_t unknown = 0;
    f2l_effort whole = {.limit = 0};
    const f2l_task all = {.effort = &whole};
    cr_assert_eq(check(&f, &all), F2L_OK);
    for (uint64_t limit = 1; limit < whole.spent; limit += 1 + whole.spent / 50) {
        f2l_effort effort = {.limit = limit};
        const f2l_task task = {.effort = &effort};
        cr_assert_eq(check(&f, &task), F2L_OK);
        cr_assert_eq(f.verdict.verdict, F2L_UNKNOWN);
        cr_assert(strstr(f.verdict.path[0].reason, "effort") ||
                  strstr(f.verdict.path[1].reason, "effort"));
        unknown++;
    }
    cr_assert_gt(unknown, 20);
    close_parity(&f);
}

#ifdef F2L_MEM_FAILURES
Test(stock_check, memory)
{
    fixture f;
    open_parity(&f);
    size_t n = 1;
    for (f2l_status status = F2L_ENOMEM; status == F2L_ENOMEM; n++) {
        f2l_mem_fail_after(n, true);
        status = check(&f, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_ENOMEM || (status == F2L_OK && f.verdict.verdict == F2L_OK));
    }
    cr_assert_gt(n, 100);
    close_parity(&f);
}
#endif
