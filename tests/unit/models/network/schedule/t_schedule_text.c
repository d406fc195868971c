#include "models/network/schedule/float_net.h"
#include "numeric/format/format.h"
#include "tests/support/models/net_samples.h"
#include <math.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

Test(schedule_text, the_table)
{
    static const char *const names[] = {"every",   "fma",     "acc32",   "recurrent",
                                        "cast",    "chunk64", "serving", "state16",
                                        "store64", "tf32",    "state8"};
    for (size_t i = 0; i < COUNT(names); i++) {
        const f2l_schedule *s = f2l_schedule_find(names[i]);
        cr_assert(s == &f2l_schedules[i] && s->eps < 0 && s->what[0] != '\0');
        cr_assert_eq(f2l_schedule_steps(s), strcmp(s->name, "chunk64") != 0);
        const bool kept = i < 6 ? i != 2 : strcmp(names[i], "tf32") == 0;
        cr_assert_eq(f2l_schedule_stores(s), !kept, "%s", names[i]);
        cr_assert_eq(f2l_schedule_is_usual(s), i < F2L_USUAL_SCHEDULES, "%s", names[i]);
        cr_assert_eq(f2l_schedule_is_plain(s), i < F2L_USUAL_SCHEDULES, "%s", names[i]);
    }
    for (size_t i = 0; f2l_schedules[i].name; i++) {
        char name[F2L_SCHEDULE_NAME];
        f2l_schedule s;
        cr_assert_eq(f2l_schedule_parse(&s, name, f2l_schedules[i].name, NULL), F2L_OK);
        cr_assert(s.row == f2l_schedules[i].row && strcmp(s.row, f2l_schedules[i].name) == 0);
        cr_assert_eq(f2l_schedule_check(&s, f2l_format_find("bf16"), NULL), F2L_OK, "%s", name);
    }
    cr_assert(f2l_schedule_find("everyx") == NULL);
}

Test(schedule_text, is_read_and_spelled_in_one_way)
{
    static const struct {
        const char *text, *canonical;
        double eps, raw;
    } rows[] = {
        {"every", "every", -1, 1},
        {"chunk64", "chunk64", -1, 1},
        {"cast", "cast", -1, 1},
        {"recurrent,eps=1e-6,raw=16", "recurrent,eps=1e-06,raw=16", 1e-6, 16},
        {"recurrent,raw=16,eps=1e-6", "recurrent,eps=1e-06,raw=16", 1e-6, 16},
        {"acc32,eps=0", "acc32,eps=0,raw=1", 0, 1},
        {"fma,eps=0.1,raw=0.30000000000000004", "fma,eps=0.1,raw=0.30000000000000004", 0.1,
         0.30000000000000004},
        {"chunk64,eps=1e-40,raw=1.5E2", NULL, 0, 0},
        {"every,work=fp32", "every,work=fp32", -1, 1},
        {"acc32,work=fp32,sum=left", "acc32", -1, 1},
        {"acc32,fuse=update,sum=halves,state=int8:stochastic,scale=amax,block=head,letters=64",
         "acc32,sum=halves,fuse=update,state=int8:stochastic,letters=64,scale=amax,block=head", -1,
         1},
        {"every,block=row,letters=1,keys=format,read=stored", "every", -1, 1},
        {"recurrent,read=unstored", "recurrent,read=unstored", -1, 1},
        {"every,decode=nearest", "every", -1, 1},
        {"acc32,decay=fp32,beta=fp32", "acc32,beta=fp32,decay=fp32", -1, 1},
        {"recurrent,eps=0,decode=linear", "recurrent,decode=linear,eps=0,raw=1", 0, 1},
        {"chunk64,decode=linear", "chunk64,decode=linear", -1, 1},
        {"chunk64,raw=8,squares=halves,norm=rsqrt,eps=0",
         "chunk64,norm=rsqrt,squares=halves,eps=0,raw=8", 0, 8},
        {"fma,sum=halves", NULL, 0, 0},
        {"fma,sum=halves,fuse=update", "fma,sum=halves,fuse=update", -1, 1},
        {"recurrent,state=fp32", "recurrent", -1, 1},
        {"recurrent,state=fp32:stochastic", "recurrent,state=fp32:stochastic", -1, 1},
        {"serving,read=stored,keys=format,eps=0", "serving,read=stored,keys=format,eps=0,raw=1", 0,
         1},
        {"state8,residual=load:fp32", "state8,residual=load", -1, 1},
        {"state8,scale=amax:fp32", "state8,scale=amax:fp32", -1, 1},
        {"state8,eps=1e-6,residual=feedback:e5m2,operands=tf32",
         "state8,operands=tf32,residual=feedback:e5m2,eps=1e-06,raw=1", 1e-6, 1},
        {"chunk64,eps=1e-40,raw=1.50e2", "chunk64,eps=1e-40,raw=1.5e+02", 1e-40, 150},
        {"every,eps=0.0", "every,eps=0,raw=1", 0, 1},
        {"every,state=int8:stochastic,draw=top:1,pair=reversed",
         "every,state=int8:stochastic,draw=top:1,pair=reversed", -1, 1},
        {"acc32,pair=reversed,draw=top:1,block=group:2,scale=amax,state=int8:stochastic",
         "acc32,state=int8:stochastic,scale=amax,block=group:2,draw=top:1,pair=reversed", -1, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char name[F2L_SCHEDULE_NAME], again[F2L_SCHEDULE_NAME];
        f2l_schedule s, t;
        f2l_error err = {0};
        const f2l_status status = f2l_schedule_parse(&s, name, rows[i].text, &err);
        if (!rows[i].canonical) {
            cr_assert_eq(status, F2L_EFORMAT);
            continue;
        }
        cr_assert_eq(status, F2L_OK, "%s: %s", rows[i].text, err.text);
        cr_assert_str_eq(name, rows[i].canonical);
        cr_assert(s.name == name && s.eps == rows[i].eps && s.raw == rows[i].raw);
        cr_assert_eq(f2l_schedule_parse(&t, again, name, &err), F2L_OK, "%s", err.text);
        cr_assert_str_eq(again, name);
        cr_assert(t.row == s.row && t.eps == s.eps && t.raw == s.raw);
    }
}

Test(schedule_text, is_refused_with_the_column)
{
    static const struct {
        const char *text;
        size_t column;
    } rows[] = {
        {"", 1},
        {"Every", 1},
        {"every ", 1},
        {",eps=1", 1},
        {"every,", 7},
        {"every,eps=1,", 13},
        {"every,,eps=1", 7},
        {"every, eps=1", 7},
        {"every,eps", 7},
        {"every,eps=", 11},
        {"every,eps=-1", 11},
        {"every,eps=+1", 11},
        {"every,eps=.5", 11},
        {"every,eps=nan", 11},
        {"every,eps=inf", 11},
        {"every,eps=0x1", 11},
        {"every,eps=1e99", 11},
        {"every,eps=1e-60", 11},
        {"acc32,state=int8:stochastic,scale=amax,block=group:3,draw=top:1,pair=reversed", 65},
        {"acc32,state=int8:stochastic,scale=amax,block=tile:1,draw=top:1,pair=reversed", 64},
        {"acc32,state=int8:stochastic,scale=amax,block=head,draw=top:1,pair=reversed", 62},
        {"every,eps=1e", 11},
        {"every,eps=1.2.3", 11},
        {"every,eps=1 ", 11},
        {"every,eps=00000000000000000000000000000000001", 11},
        {"every,eps=1,raw=0", 17},
        {"every,eps=1,raw=1e-60", 17},
        {"every,eps=1,raw=2,raw=2", 19},
        {"every,eps=1,eps=1", 13},
        {"every,raw=1", 7},
        {"every,sum=left,raw=2", 16},
        {"cast,eps=1", 5},
        {"cast,sum=left", 5},
        {"chunk64,sum=left", 9},
        {"every,sums=left", 7},
        {"every,sum", 7},
        {"every,sum=", 11},
        {"every,sum=right", 11},
        {"every,sum=left,sum=left", 16},
        {"every,fuse=all", 12},
        {"every,work=fp16", 12},
        {"every,operands=fp64", 16},
        {"every,state=none", 13},
        {"every,state=:stochastic", 13},
        {"every,state=format:stochastic", 13},
        {"every,state=fp16:random", 13},
        {"every,state=a-name-longer-than-any-format-has", 13},
        {"every,letters=0", 15},
        {"every,letters=4097", 15},
        {"every,letters=99999999999999999999", 15},
        {"every,letters=", 15},
        {"every,letters=1x", 15},
        {"every,scale=max", 13},
        {"state8,scale=amax:int8", 14},
        {"state8,scale=pow2:bf16", 14},
        {"state8,scale=none:bf16", 14},
        {"state8,scale=amax:", 14},
        {"every,block=tile", 13},
        {"every,residual=none:fp16", 16},
        {"every,residual=load:", 16},
        {"every,residual=load:fp64", 16},
        {"every,read=late", 12},
        {"every,keys=bf16", 12},
        {"every,decode=cosine", 14},
        {"every,norm=rsqrt", 7},
        {"every,squares=halves", 7},
        {"every,eps=1,norm=root", 18},
        {"cast,decode=linear", 5},
        {"every,keys=fp32", 7},
        {"serving,read=stored,keys=format", 21},
        {"chunk64,raw=2", 9},
        {"every,block=head", 7},
        {"state8,block=head,scale=none", 8},
        {"every,letters=2", 7},
        {"recurrent,letters=64,read=unstored", 11},
        {"every,read=unstored", 7},
        {"acc32,sum=halves,fuse=sum", 18},
        {"acc32,fuse=both,sum=halves", 7},
        {"serving,state=int8,scale=amax,residual=load:int4", 31},
        {"state8,residual=feedback:int16", 8},
        {"recurrent,operands=fp32", 11},
        {"state8,scale=amax:fp32,quotient=two", 8},
        {"state8,quotient=divide,scale=amax:fp32", 24}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char name[F2L_SCHEDULE_NAME];
        f2l_schedule s;
        f2l_error err = {0};
        cr_assert_eq(f2l_schedule_parse(&s, name, rows[i].text, &err), F2L_EFORMAT, "%s",
                     rows[i].text);
        cr_assert(err.line == 1 && err.column == rows[i].column, "%s: column %zu", rows[i].text,
                  err.column);
    }
}

Test(schedule_text, formats_that_fp32_has_not_are_refused)
{
    static const struct {
        const char *schedule, *format;
        bool good;
    } rows[] = {{"every", "fp64", true},
                {"fma", "fp64", true},
                {"cast", "fp64", true},
                {"acc32", "fp64", false},
                {"recurrent", "fp64", false},
                {"chunk64", "fp64", false},
                {"acc32", "p=8,emin=-126,emax=200", false},
                {"acc32", "p=8,emin=-200,emax=127", false},
                {"acc32", "p=25,emin=-10,emax=10", false},
                {"acc32", "p=24,emin=-10,emax=10", true},
                {"recurrent", "e4m3", true},
                {"chunk64", "tf32", true},
                {"every,eps=1", "fp64", false},
                {"every,eps=1", "fp32", true},
                {"cast", "p=52,emin=-100,emax=100,round=up", false},
                {"cast", "p=51,emin=-100,emax=100,round=up", true}};
    f2l_net net;
    sample_read(&net, SAMPLE_PARITY);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char name[F2L_SCHEDULE_NAME], format_name[F2L_FORMAT_NAME];
        f2l_schedule s;
        f2l_format format;
        f2l_error err = {0};
        f2l_float_net *fast;
        cr_assert_eq(f2l_schedule_parse(&s, name, rows[i].schedule, NULL), F2L_OK);
        cr_assert_eq(f2l_format_parse(&format, format_name, rows[i].format, &err), F2L_OK, "%s",
                     err.text);
        const f2l_status expected = rows[i].good ? F2L_OK : F2L_EDOMAIN;
        cr_assert_eq(f2l_schedule_check(&s, &format, &err), expected, "%s in %s", name,
                     format_name);
        cr_assert_eq(f2l_float_net_new(&fast, &net, &format, &s, &err), expected);
        f2l_float_net_free(fast);
        const bool wide = strcmp(s.row, "recurrent") == 0 || strcmp(s.row, "chunk64") == 0;
        cr_assert_eq(f2l_schedule_state_format(&s, &format),
                     wide ? f2l_format_find("fp32") : &format);
    }
    f2l_net_clear(&net);
}
