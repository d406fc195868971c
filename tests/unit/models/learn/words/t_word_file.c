/* Readers of other people's words: what they take, and the place of what they refuse. */
#include "automata/family/family.h"
#include "models/learn/data/npz.h"
#include "models/learn/words/word_file.h"
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include "numeric/base/task.h"
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t format(const char *name)
{
    size_t i = 0;
    while (strcmp(f2l_word_file_format(i), name) != 0) i++;
    return i;
}

static f2l_status parse(f2l_word_list *out, const char *name, const char *text,
                        const f2l_word_file_options *options, f2l_error *err)
{
    static const f2l_word_file_options none;
    f2l_word_list_init(out);
    *err = (f2l_error){0};
    return f2l_word_file_parse(out, format(name), text, strlen(text), options ? options : &none,
                               err);
}

/* Checks that the words are these: "letters>labels;..", '-' where there is no label. */
static void holds(const f2l_word_list *words, const char *wanted)
{
    f2l_buf text;
    uint32_t label;
    f2l_buf_init(&text);
    for (size_t i = 0; i < words->count; i++) {
        for (size_t t = 0; t < f2l_word_list_length(words, i); t++)
            f2l_buf_printf(&text, "%s%s", t ? " " : "",
                           f2l_names_get(&words->letters, f2l_word_list_letter_at(words, i, t)));
        f2l_buf_text(&text, ">");
        for (size_t t = 0; t < f2l_word_list_length(words, i); t++) {
            const bool there = f2l_word_list_label_at(&label, words, i, t);
            f2l_buf_printf(&text, "%s%s", t ? "," : "",
                           there ? f2l_names_get(&words->labels, label) : "-");
        }
        f2l_buf_text(&text, ";");
    }
    cr_assert_str_eq(text.data, wanted);
    f2l_buf_clear(&text);
}

static void takes(const char *name, const char *text, const char *wanted)
{
    f2l_error err;
    f2l_word_list words;
    cr_assert(parse(&words, name, text, NULL, &err) == F2L_OK, "%zu:%zu: %s", err.line, err.column,
              err.text);
    holds(&words, wanted);
    f2l_word_list_clear(&words);
}

static void refuses(const char *name, const char *text, size_t line, size_t column, const char *why)
{
    f2l_error err;
    f2l_word_list words;
    const f2l_status status = parse(&words, name, text, NULL, &err);
    cr_assert(status == F2L_EFORMAT || status == F2L_EDOMAIN, "%s", text);
    cr_assert(err.line == line && err.column == column, "%s\n%zu:%zu: %s", text, err.line,
              err.column, err.text);
    cr_assert(strstr(err.text, why) != NULL, "%s", err.text);
    cr_assert_eq(words.count, 0);
}

Test(word_file, csv)
{
    takes("csv", "seed,input,target\n7,0 1 1,0 1 0\n7,1,1\n", "0 1 1>0,1,0;1>1;");
    takes("csv", "target,length,input\r\n2,3,2 10 9\r\n10,1,10", "2 10 9>-,-,2;10>10;");
    takes("csv", "input,target\n\"a b\",\"x y\"\n\n\"a \"\"q\",x y\n", "a b>x,y;a \"q>x,y;");
    takes("csv", "\xef\xbb\xbfinput,target\n  a\t b , c \n", "a b>-,c;");
    takes("csv", "input,target\n,\na,b\n", "a>b;");
    refuses("csv", "", 1, 1, "empty");
    refuses("csv", "input,output\n", 1, 1, "input and target");
    refuses("csv", "input,target,input\na,b,c\n", 1, 14, "twice");
    refuses("csv", "input,target\n", 0, 0, "no words");
    refuses("csv", "input,target\na b,c\na,b,c\n", 3, 1, "3 fields");
    refuses("csv", "input,target\na b c,d e\n", 2, 7, "2 labels for 3 letters");
    refuses("csv", "input,target\na b c,\n", 2, 7, "0 labels for 3 letters");
    refuses("csv", "input,target\n,a b\n", 2, 2, "2 labels for 0 letters");
    refuses("csv", "input,target\n\"a b,c\n", 2, 1, "not closed");
    refuses("csv", "input,target\n\"a\"b,c\n", 2, 4, "a comma");
    refuses("csv", "input,target\na,\xff\n", 2, 3, "UTF-8");
    refuses("csv", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", 1, 1, "git lfs");
}

Test(word_file, flare)
{
    takes("flare", "a b\n\na\n---\n1\n0\n0", "a b>-,accept;a>reject;");
    takes("flare-prefix",
          "a b\nb\n---\n1\n0\n---\n"
          "[{\"s\":\"a\",\"e\":true},{\"s\":\"b\",\"e\":false},{\"s\":\"a b\",\"e\":true}]\n",
          "a b>reject,accept;b>reject;");
    takes("flare-next",
          "a b\nb\n---\n1\n0\n---\n"
          "[{\"s\":\"a\",\"e\":true},{\"s\":\"b\",\"e\":false},{\"s\":\"\",\"e\":true}]\n",
          "a b>b,$;");
    refuses("flare", "a\nb\n---\n1\n", 2, 1, "label of word 2");
    refuses("flare", "a\n---\n1\n0\n", 2, 1, "more lines");
    refuses("flare", "a\n---\n2\n", 1, 1, "0 or 1");
    refuses("flare", "a\n---\n \n", 1, 2, "0 or 1");
    refuses("flare-next", "a\n---\n1\n---\n", 1, 1, "next symbols of word 1");
    refuses("flare-next", "a\n---\n1\n---\n[]\n", 1, 1, "2 sets");
    refuses("flare-next", "a\n---\n1\n---\n[1,2]\n", 1, 1, "\"s\"");
    refuses("flare-next", "a\n---\n1\n---\n[}\n", 1, 2, "JSON");
    refuses("flare-prefix",
            "a\n---\n1\n---\n[{\"s\":\"a\",\"e\":true},{\"s\":\"\",\"e\":true}]\n[]\n", 2, 1,
            "more lines");
}

Test(word_file, jsonl)
{
    takes("jsonl",
          "{\"word\": [\"a\", 2], \"labels\": [\"x y\", \"z\"], \"label\": \"z\"}\n\n"
          "{\"word\": [\"a\", \"a\"], \"label\": 7}",
          "a 2>x y,z;a a>-,7;");
    takes("jsonl", "{\"word\": [1, 2, 3], \"labels\": [null, \"x\", null]}\n", "1 2 3>-,x,-;");
    refuses("jsonl",
            "{\"word\": [1], \"label\": 2}\n{\"word\": [1, 2], \"labels\": [null, null]}\n", 2, 1,
            "all labels of this word are null");
    refuses("jsonl", "{\"word\": [1, null], \"labels\": [3, null]}\n", 1, 1, "letter 2");
    refuses("jsonl", "{\"word\": [1, 2], \"labels\": [3, true]}\n", 1, 1, "nor null");
    refuses("jsonl", "{\"word\": [\"a\"]}\n", 1, 1, "expected");
    refuses("jsonl", "{\"word\": [\"a\"], \"label\": null}\n", 1, 1, "neither a text");
    refuses("jsonl", "{\"word\": [[]], \"label\": 1}\n", 1, 1, "letter 1");
    refuses("jsonl", "{\"word\": [\"a\"], \"label\": 1}\n{\"word\": [1], \"labels\": []}\n", 2, 1,
            "0 labels for 1 letters");
    refuses("jsonl", "{\"word\": [\"a\"]\n", 1, 14, "JSON");
}

Test(word_file, names_that_are_not_known_have_a_place)
{
    f2l_error err;
    f2l_word_list train, test;
    cr_assert(parse(&train, "csv", "input,target\n0 1,0 1\n", NULL, &err) == F2L_OK);
    const f2l_word_file_options o = {.letters = &train.letters, .labels = &train.labels};
    cr_assert(parse(&test, "csv", "input,target\n1 1,1 0\n", &o, &err) == F2L_OK);
    holds(&test, "1 1>1,0;");
    f2l_word_list_clear(&test);
    cr_assert(parse(&test, "csv", "input,target\n1 1,1 0\n1 2,1 0\n", &o, &err) == F2L_EFORMAT);
    cr_assert(err.line == 3 && err.column == 3 && strstr(err.text, "2 letters"), "%s", err.text);
    cr_assert(parse(&test, "csv", "input,target\n1 1,1 5\n", &o, &err) == F2L_EFORMAT);
    cr_assert(err.line == 2 && err.column == 7 && strstr(err.text, "'5' is none of the 2 labels"));
    f2l_word_list_clear(&train);
}

Test(word_file, labels_are_compared_with_the_automaton)
{
    f2l_error err;
    f2l_fsa fsa;
    f2l_word_list words;
    f2l_fsa_init(&fsa);
    cr_assert(f2l_family_build(&fsa, "parity", NULL, 0, false, &err) == F2L_OK);
    const char *even = f2l_names_get(&fsa.states, 0), *odd = f2l_names_get(&fsa.states, 1);
    char text[200];
    const f2l_word_file_options o = {
        .letters = &fsa.letters, .labels = &fsa.states, .fsa = &fsa, .label = F2L_LABEL_STATES};
    snprintf(text, sizeof text, "input,target\n0 1 1,%s %s %s\n1 0 0,%s\n", even, odd, even, odd);
    cr_assert(parse(&words, "csv", text, &o, &err) == F2L_OK, "%s", err.text);
    cr_assert_eq(words.count, 2);
    f2l_word_list_clear(&words);
    snprintf(text, sizeof text, "input,target\n0 1 1,%s %s %s\n1 0 0,%s\n", even, odd, even, even);
    cr_assert(parse(&words, "csv", text, &o, &err) == F2L_EFORMAT);
    cr_assert(err.line == 3 && err.column == 7 && strstr(err.text, "after the 3 letters"), "%s",
              err.text);
    snprintf(text, sizeof text, "input,target\n0 1,%s %s\n1 1 1,%s %s %s\n", even, odd, odd, odd,
             odd);
    cr_assert(parse(&words, "csv", text, &o, &err) == F2L_EFORMAT);
    cr_assert(err.line == 3 && err.column == 7 + strlen(odd) + 1, "%zu:%zu: %s", err.line,
              err.column, err.text);
    f2l_fsa_clear(&fsa);
}

/* --- arrays --- */

/* Appends an array of NumPy to an archive that has no directory yet. */
typedef struct zip {
    f2l_buf out, directory;
    size_t files;
} zip;

static void put(f2l_buf *out, size_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const char byte = (char)(i < sizeof value ? value >> 8 * i & 255 : 0);
        f2l_buf_bytes(out, &byte, 1);
    }
}

static void add(zip *z, const char *name, const char *descr, const char *shape, const void *data,
                size_t size, size_t method)
{
    f2l_buf npy;
    char head[200];
    f2l_buf_init(&npy);
    const int n =
        snprintf(head, sizeof head, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n",
                 descr, shape);
    f2l_buf_bytes(&npy, "\x93NUMPY\x01\x00", 8);
    put(&npy, (size_t)n, 2);
    f2l_buf_bytes(&npy, head, (size_t)n);
    f2l_buf_bytes(&npy, data, size);
    const size_t offset = z->out.size;
    f2l_buf_bytes(&z->out, "PK\3\4", 4);
    put(&z->out, 0, 22);
    put(&z->out, strlen(name), 2);
    put(&z->out, 0, 2);
    f2l_buf_text(&z->out, name);
    f2l_buf_bytes(&z->out, npy.data, npy.size);
    f2l_buf_bytes(&z->directory, "PK\1\2", 4);
    put(&z->directory, 0, 6);
    put(&z->directory, method, 2);
    put(&z->directory, 0, 4);
    put(&z->directory, f2l_npz_checksum(0, npy.data, npy.size), 4);
    put(&z->directory, npy.size, 4);
    put(&z->directory, npy.size, 4);
    put(&z->directory, strlen(name), 2);
    put(&z->directory, 0, 12);
    put(&z->directory, offset, 4);
    f2l_buf_text(&z->directory, name);
    f2l_buf_clear(&npy);
    z->files++;
}

static void end(zip *z)
{
    const size_t at = z->out.size;
    f2l_buf_bytes(&z->out, z->directory.data, z->directory.size);
    f2l_buf_bytes(&z->out, "PK\5\6", 4);
    put(&z->out, 0, 6);
    put(&z->out, z->files, 2);
    put(&z->out, z->directory.size, 4);
    put(&z->out, at, 4);
    put(&z->out, 0, 2);
    f2l_buf_clear(&z->directory);
}

static f2l_status parse_zip_as(f2l_word_list *words, zip *z, const char *name, f2l_error *err)
{
    const f2l_word_file_options none = {0};
    end(z);
    f2l_word_list_init(words);
    *err = (f2l_error){0};
    const f2l_status status =
        f2l_word_file_parse(words, format(name), z->out.data, z->out.size, &none, err);
    f2l_buf_clear(&z->out);
    return status;
}

static f2l_status parse_zip(f2l_word_list *words, zip *z, f2l_error *err)
{
    return parse_zip_as(words, z, "npz", err);
}

static const float input[] = {1, 0, 0, 1, 0, 1, 0, 1}; /* 0 1; 1 1 */

Test(word_file, npz)
{
    f2l_error err;
    f2l_word_list words;
    zip one = {.files = 0}, many = {.files = 0}, plain = {.files = 0};
    static const float output[] = {0, 0, 1, 1, 0, 0};
    add(&one, "input.npy", "<f4", "(2, 2, 2)", input, sizeof input, 0);
    add(&one, "output.npy", "<f4", "(2, 3)", output, sizeof output, 0);
    cr_assert(parse_zip(&words, &one, &err) == F2L_OK, "%s", err.text);
    holds(&words, "0 1>-,2;1 1>-,0;");
    f2l_word_list_clear(&words);
    static const int32_t answers[] = {1, 0, 0, 1};
    static const unsigned char mask[] = {1, 1, 1, 0};
    add(&many, "output.npy", "<i4", "(2, 2)", answers, sizeof answers, 0);
    add(&many, "mask.npy", "|b1", "(2, 2)", mask, sizeof mask, 0);
    add(&many, "input.npy", "<f4", "(2, 2, 2)", input, sizeof input, 0);
    cr_assert(parse_zip(&words, &many, &err) == F2L_OK, "%s", err.text);
    holds(&words, "0 1 2 2>-,-,1,0;1 1 2 2>-,-,0,-;");
    f2l_word_list_clear(&words);
    static const int64_t letters[] = {0, 11, 2};
    add(&plain, "input.npy", "<i8", "(1, 3)", letters, sizeof letters, 0);
    add(&plain, "output.npy", "<i4", "(1,)", answers, 4, 0);
    cr_assert(parse_zip(&words, &plain, &err) == F2L_OK, "%s", err.text);
    holds(&words, "0 11 2>-,-,1;");
    f2l_word_list_clear(&words);
}

/* Makes an archive of `words` words 0 1 with outputs of the type, [words][2], whose row i has a 1
 * in column i & 1, and also in the other one if i < twice. */
static zip make_bits(size_t words, const char *type, size_t twice)
{
    const size_t width = (size_t)(type[2] - '0');
    unsigned char bits[16 * 2 * 8] = {0};
    int32_t letters[16 * 2];
    char shape[32];
    zip z = {.files = 0};
    for (size_t i = 0; i < 2 * words; i++) {
        letters[i] = i & 1;
        bits[i * width] = (i / 2 & 1) == (i & 1) || i / 2 < twice;
    }
    snprintf(shape, sizeof shape, "(%zu, 2)", words);
    add(&z, "input.npy", "<i4", shape, letters, 2 * words * sizeof *letters, 0);
    add(&z, "output.npy", type, shape, bits, 2 * words * width, 0);
    return z;
}

/* One-hot outputs of whole numbers and truths are labels, where they cannot be answers. */
Test(word_file, npz_one_hot_of_whole_numbers)
{
    static const char *const type[] = {"<i8", "<i4", "|u1", "|i1", "|b1"};
    f2l_error err;
    f2l_word_list words;
    for (size_t k = 0; k < sizeof type / sizeof *type; k++) {
        zip z = make_bits(8, type[k], 0);
        cr_assert(parse_zip(&words, &z, &err) == F2L_OK, "%s: %s", type[k], err.text);
        cr_assert(words.letters.count == 2 && words.labels.count == 2 && words.longest == 2);
        f2l_word_list_clear(&words);
        z = make_bits(7, type[k], 0);
        cr_assert(parse_zip(&words, &z, &err) == F2L_EFORMAT && strstr(err.text, "npz-answers:"),
                  "%s", err.text);
        z = make_bits(7, type[k], 0);
        cr_assert(parse_zip_as(&words, &z, "npz-labels", &err) == F2L_OK, "%s", err.text);
        cr_assert(words.longest == 2 && words.labels.count == 2);
        f2l_word_list_clear(&words);
        z = make_bits(16, type[k], 1);
        cr_assert(parse_zip(&words, &z, &err) == F2L_EFORMAT && strstr(err.text, "15 of the words"),
                  "%s", err.text);
    }
}

static void refuses_zip(zip *z, const char *why)
{
    f2l_error err;
    f2l_word_list words;
    cr_assert_eq(parse_zip(&words, z, &err), F2L_EFORMAT);
    cr_assert(strstr(err.text, why), "%s", err.text);
}

/* Adds words 0 1 1; 1 0 1 with these labels. */
static zip make_labelled(const int16_t labels[6])
{
    static const unsigned char letters[] = {0, 1, 1, 1, 0, 1};
    zip z = {.files = 0};
    add(&z, "input.npy", "|u1", "(2, 3)", letters, sizeof letters, 0);
    add(&z, "labels.npy", "<i2", "(2, 3)", labels, 6 * sizeof *labels, 0);
    return z;
}

/* Labels of letters, of which some do not count. */
Test(word_file, npz_labels_of_letters)
{
    f2l_error err;
    f2l_word_list words;
    zip z = make_labelled((const int16_t[]){-100, 5, -1, 0, -100, 7});
    cr_assert(parse_zip(&words, &z, &err) == F2L_OK, "%s", err.text);
    holds(&words, "0 1 1>-,5,-;1 0 1>0,-,7;");
    cr_assert(!words.every && !words.last_only);
    f2l_word_list_clear(&words);
    z = make_labelled((const int16_t[]){-100, 5, -1, -1, -100, -1});
    refuses_zip(&z, "word 2: no label of this word counts");
    z = make_labelled((const int16_t[]){-100, 5, -2, 0, -100, 7});
    refuses_zip(&z, "word 1, place 3");
    z = make_labelled((const int16_t[]){1, 1, 1, 1, 1, 1});
    add(&z, "mask.npy", "|u1", "(2, 3)", "\1\1\1\1\1\1", 6, 0);
    refuses_zip(&z, "beside an output or a mask");
    z = (zip){.files = 0};
    add(&z, "input.npy", "|u1", "(2, 3)", "\1\1\1\1\1\1", 6, 0);
    add(&z, "labels.npy", "|u1", "(3, 2)", "\1\1\1\1\1\1", 6, 0);
    refuses_zip(&z, "the shapes must be");
}

Test(word_file, npz_refused)
{
    static const float two[] = {1, 1, 0, 0, 1, 0};
    zip z = {.files = 0};
    add(&z, "input.npy", "<f4", "(2, 2, 2)", input, sizeof input, 0);
    refuses_zip(&z, "input and output");
    z = (zip){.files = 0};
    add(&z, "input.npy", "<f4", "(2, 2, 2)", input, sizeof input, 8);
    refuses_zip(&z, "compressed");
    z = (zip){.files = 0};
    add(&z, "input.npy", "<f4", "(2, 2, 3)", input, sizeof input, 0);
    refuses_zip(&z, "shorter than its shape");
    z = (zip){.files = 0};
    add(&z, "input.npy", ">f4", "(2, 2, 2)", input, sizeof input, 0);
    refuses_zip(&z, "no type that is read");
    z = (zip){.files = 0};
    add(&z, "input.npy", "<f4", "(2, 2, 2)", input, sizeof input, 0);
    add(&z, "output.npy", "<f4", "(2, 3)", two, sizeof two, 0);
    refuses_zip(&z, "output, word 1, place 1");
    z = (zip){.files = 0};
    add(&z, "input.npy", "<f4", "(2, 2, 2)", input, sizeof input, 0);
    add(&z, "output.npy", "<f4", "(3, 2)", two, sizeof two, 0);
    refuses_zip(&z, "the shapes");
    z = (zip){.files = 0};
    add(&z, "input.npy", "<f4", "(2, 2, 1)", input, sizeof input, 0);
    refuses_zip(&z, "longer than its shape");
    z = (zip){.files = 0};
    add(&z, "input.npy", "<f4", "(2, 0, 2)", input, sizeof input, 0);
    refuses_zip(&z, "longer than its shape");
    z = (zip){.files = 0};
    add(&z, "input.npy", "<f4", "(2, 2, 2)", input, sizeof input, 0);
    add(&z, "input.npy", "<f4", "(2, 2, 2)", input, sizeof input, 0);
    refuses_zip(&z, "has the array input twice");
    z = (zip){.files = 0};
    add(&z, "outputs.npy", "<f4", "(2, 3)", two, sizeof two, 0);
    refuses_zip(&z, "'outputs', which is not read: only input, output, mask and labels are");
    z = (zip){.files = 0};
    add(&z, "input.npy", "<f4", "(2, 2, 2)", input, sizeof input, 0);
    z.out.data[z.out.size - 1] ^= 4;
    refuses_zip(&z, "checksum of input");
}

/* The checksum of "123456789" is known, also in parts. */
Test(word_file, checksum)
{
    cr_assert_eq(f2l_npz_checksum(0, "123456789", 9), 0xcbf43926);
    cr_assert_eq(f2l_npz_checksum(f2l_npz_checksum(0, "1234", 4), "56789", 5), 0xcbf43926);
}

/* --- files --- */

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[300];
    f2l_error err;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    cr_assert(f2l_write_file(path, text, strlen(text), &err) == F2L_OK, "%s", err.text);
}

static f2l_status read_source(f2l_word_list *words, f2l_buf *file, const char *name,
                              const char *folder, const char *rest,
                              const f2l_word_file_options *options, f2l_error *err)
{
    char source[400];
    snprintf(source, sizeof source, "%s%s%s", name, folder, rest);
    f2l_word_list_init(words);
    return f2l_word_file_read(words, file, source, options, err);
}

static char *make_folder(char *name)
{
    strcpy(name, "/tmp/t_word_file.XXXXXX");
    cr_assert(mkdtemp(name) != NULL);
    return name;
}

static void remove_folder(const char *folder)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

Test(word_file, a_source_is_a_file_or_a_folder)
{
    char folder[64], path[300], hex[65], all[300];
    f2l_error err = {0};
    f2l_word_list words;
    f2l_buf file;
    const f2l_word_file_options none = {0};
    static const char one[] = "input,target\na,b\n", two[] = "input,target\nc c,d\n";
    f2l_buf_init(&file);
    make_folder(folder);
    write_file(folder, "1.csv", one);
    write_file(folder, "2.csv", two);
    cr_assert(read_source(&words, &file, "", folder, "/1.csv", &none, &err) == F2L_OK);
    holds(&words, "a>b;");
    f2l_sha256_hex(one, strlen(one), hex);
    cr_assert_str_eq(words.sha256, hex);
    f2l_word_list_clear(&words);
    cr_assert(read_source(&words, &file, "csv:", folder, "", &none, &err) == F2L_OK, "%s",
              err.text);
    holds(&words, "a>b;c c>-,d;");
    snprintf(all, sizeof all, "%s  1.csv\n", hex);
    f2l_sha256_hex(two, strlen(two), hex);
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s  2.csv\n", hex);
    f2l_sha256_hex(all, strlen(all), hex);
    cr_assert_str_eq(words.sha256, hex);
    f2l_word_list_clear(&words);
    write_file(folder, "3.csv", "input,target\na b,c d e\n");
    cr_assert(read_source(&words, &file, "", folder, "", &none, &err) == F2L_EFORMAT);
    snprintf(path, sizeof path, "%s/3.csv", folder);
    cr_assert_str_eq(file.data, path);
    cr_assert(err.line == 2 && err.column == 5);
    cr_assert(read_source(&words, &file, "npz:", folder, "", &none, &err) == F2L_EDOMAIN);
    cr_assert(read_source(&words, &file, "flare:", folder, "", &none, &err) == F2L_EIO);
    cr_assert(read_source(&words, &file, "", folder, "/none.csv", &none, &err) == F2L_EIO);
    cr_assert(read_source(&words, &file, "", folder, "/none.xyz", &none, &err) == F2L_EDOMAIN);
    cr_assert(strstr(err.text, "csv, flare"), "%s", err.text);
    f2l_buf_clear(&file);
    remove_folder(folder);
}

Test(word_file, flare_has_its_test_words_in_a_place)
{
    char folder[64], path[300];
    f2l_buf test;
    f2l_buf_init(&test);
    make_folder(folder);
    cr_assert_eq(f2l_word_file_test_of(&test, folder, NULL), F2L_OK);
    cr_assert_eq(test.size, 0);
    write_file(folder, "main.tok", "a\n");
    snprintf(path, sizeof path, "%s/datasets", folder);
    cr_assert_eq(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/datasets/test", folder);
    cr_assert_eq(mkdir(path, 0777), 0);
    cr_assert_eq(f2l_word_file_test_of(&test, folder, NULL), F2L_OK);
    cr_assert_eq(test.size, 0);
    write_file(path, "main.tok", "a\n");
    cr_assert_eq(f2l_word_file_test_of(&test, folder, NULL), F2L_OK);
    cr_assert(strncmp(test.data, "flare:", 6) == 0 && strcmp(test.data + 6, path) == 0);
#ifdef F2L_MEM_FAILURES
    for (size_t n = 1; n <= 2; n++) {
        f2l_buf_clear(&test);
        f2l_mem_fail_after(n, false);
        cr_assert_eq(f2l_word_file_test_of(&test, folder, NULL), F2L_ENOMEM);
        f2l_mem_fail_after(0, false);
    }
#endif
    f2l_buf_clear(&test);
    remove_folder(folder);
}

/* Lines that are in several blocks of the file, and the end of a block at every place of a line
 * end: the same words come out. */
Test(word_file, blocks_end_anywhere)
{
    f2l_error err = {0};
    for (size_t pad = 0; pad < 12; pad++) {
        f2l_buf text;
        f2l_word_list words;
        const f2l_word_file_options none = {0};
        f2l_buf_init(&text);
        for (size_t k = 0; k < pad; k++) f2l_buf_text(&text, ",");
        f2l_buf_text(&text, "input,target\r\n");
        for (size_t i = 0; i < 40000; i++) {
            for (size_t k = 0; k < pad; k++) f2l_buf_text(&text, ",");
            f2l_buf_printf(&text, "%zu %zu,%zu\r\n", i % 7, i % 5, i % 3);
        }
        f2l_word_list_init(&words);
        cr_assert(f2l_word_file_parse(&words, format("csv"), text.data, text.size, &none, &err) ==
                      F2L_OK,
                  "%zu: %zu:%zu %s", pad, err.line, err.column, err.text);
        cr_assert_eq(words.count, 40000);
        for (size_t i = 0; i < words.count; i++) {
            uint32_t label;
            cr_assert(f2l_word_list_letter_at(&words, i, 0) == i % 7 &&
                      f2l_word_list_letter_at(&words, i, 1) == i % 5 &&
                      f2l_word_list_label_at(&label, &words, i, 1) && label == i % 3);
        }
        f2l_word_list_clear(&words);
        f2l_buf_clear(&text);
    }
}

Test(word_file, a_task_stops_it)
{
    f2l_error err;
    f2l_word_list words;
    volatile sig_atomic_t cancel = SIGINT;
    const f2l_task task = {.cancel = &cancel};
    const f2l_word_file_options o = {.task = &task};
    cr_assert_eq(parse(&words, "csv", "input,target\na,b\n", &o, &err), F2L_UNKNOWN);
    cr_assert(words.count == 0 && strstr(err.text, "reading words"), "%s", err.text);
}
