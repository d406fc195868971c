/* Checkpoints; tests/cli/doors/t_inject.py has what is refused. Every test works in a new folder.
 */
#include "models/doors/inject/tokens.h"
#include "numeric/base/mem.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[] = "/tmp/f2l-checkpoint-XXXXXX";

static void put(const char *name, const char *text, size_t zeros)
{
    f2l_buf bytes;
    f2l_buf_init(&bytes);
    if (zeros > 0) {
        const unsigned char size[8] = {(unsigned char)strlen(text),
                                       (unsigned char)(strlen(text) >> 8)};
        f2l_buf_bytes(&bytes, size, 8);
    }
    f2l_buf_text(&bytes, text);
    for (size_t i = 0; i < zeros; i++) f2l_buf_bytes(&bytes, "", 1);
    cr_assert_eq(f2l_write_file(name, bytes.data, bytes.size, NULL), F2L_OK);
    f2l_buf_clear(&bytes);
}

static void enter(void)
{
    cr_assert_not_null(mkdtemp(home));
    cr_assert_eq(chdir(home), 0);
    cr_assert(mkdir("m", 0777) == 0 && mkdir("m/sub", 0777) == 0);
    put("m/config.json",
        "{\"model_type\": \"gpt2\", \"n_embd\": 2, \"vocab_size\": 3, \"n_layer\": 1}", 0);
    put("m/vocab.json", "{\"a\": 2, \"b\": 1}", 0);
    put("m/.hidden", "", 0);
    put("m/old.pt", "", 0);
}

static void leave(void)
{
    cr_assert_eq(chdir("/"), 0);
    cr_assert_eq(setenv("HOME_OF_TEST", home, 1), 0);
    cr_assert_eq(system("rm -r \"$HOME_OF_TEST\""), 0);
}

TestSuite(base_model, .init = enter, .fini = leave);

#define TENSOR(name, shape, begin, end) \
    "\"" name "\":{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":[" begin "," end "]}"

/* The input embedding is the best name, not the first or a part of a longer one. */
static void put_tensors(void)
{
    put("m/model.safetensors",
        "{" TENSOR("position_embeddings.weight", "[2]", "0",
                   "8") "," TENSOR("h.0.embedding.weight", "[3,2]", "8",
                                   "32") "," TENSOR("wte.weight", "[4,2]", "32", "64") "}",
        64);
}

Test(base_model, what_is_read)
{
    f2l_base_model c;
    f2l_error err;
    put_tensors();
    f2l_base_model_init(&c);
    cr_assert_eq(f2l_base_model_open(&c, "m", &err), F2L_OK, "%s", err.text);
    cr_assert(c.hidden == 2 && c.vocab == 3 && c.layers == 1 && c.tensors.count == 3);
    cr_assert_str_eq(c.type.data, "gpt2");
    cr_assert_eq(c.transformers.size, 0);
    cr_assert_str_eq(f2l_names_get(&c.tensors, c.embedding), "wte.weight");
    cr_assert_eq(c.files.count, 3);
    cr_assert_str_eq(f2l_names_get(&c.files, 0), "config.json");
    cr_assert_str_eq(f2l_names_get(&c.files, 2), "vocab.json");
    cr_assert_eq(c.skipped.count, 2);
    f2l_base_model_clear(&c);
    f2l_base_model_clear(&c);
}

Test(base_model, one_pickle)
{
    f2l_base_model c;
    f2l_error err;
    f2l_base_model_init(&c);
    cr_assert_eq(f2l_base_model_open(&c, "m", &err), F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "'old.pt' has weights as a pickle"));
    f2l_base_model_clear(&c);
}

#ifdef F2L_MEM_FAILURES
Test(base_model, survives_without_memory)
{
    f2l_status status = F2L_ENOMEM;
    size_t index;
    f2l_names letters;
    put_tensors();
    f2l_names_init(&letters);
    cr_assert_eq(f2l_names_add(&letters, "b", 1, &index, NULL), F2L_OK);
    for (size_t n = 1; status != F2L_OK; n++) {
        f2l_base_model c;
        f2l_letter_tokens t;
        f2l_base_model_init(&c);
        f2l_letter_tokens_init(&t);
        f2l_mem_fail_after(n, false);
        status = f2l_base_model_open(&c, "m", NULL);
        if (status == F2L_OK) status = f2l_letter_tokens_find(&t, &letters, &c, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "%zu: %d", n, (int)status);
        if (status == F2L_OK) cr_assert(t.pairs == 1 && t.pair[0].token == 1);
        f2l_letter_tokens_clear(&t);
        f2l_base_model_clear(&c);
    }
    f2l_names_clear(&letters);
}
#endif
