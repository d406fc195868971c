/* The request of a folder of `reproduce`, stored in its reproduce.json, from which the work is
 * resumed. */
#ifndef F2L_REPRODUCE_REQUEST_H
#define F2L_REPRODUCE_REQUEST_H

#include "models/learn/experiment/experiment.h"
#include "models/learn/experiment/preset.h"

#define F2L_REPRODUCE_SOURCE 1024 /* room for a source of words */
#define F2L_REPRODUCE_RATES 16    /* largest number of rates */

typedef struct f2l_reproduce_request {
    const f2l_preset *preset;
    f2l_preset_setting setting;
    const f2l_preset_model *model[F2L_PRESET_MODELS]; /* [models] */
    size_t models;
    double scale;                     /* factor of the steps, as in f2l_preset_choice */
    double rate[F2L_REPRODUCE_RATES]; /* [rates] learning rates to try; 0: the rate of the recipe */
    size_t rates;
    uint32_t seed; /* the first seed */
    size_t seeds;  /* number of seeds, which are consecutive */
    f2l_backend backend;
    /* Words in place of the preset's data (models/learn/words/word_file.h), with their hashes; "":
     * none */
    char words[F2L_REPRODUCE_SOURCE], test[F2L_REPRODUCE_SOURCE];
    char words_sha256[65], test_sha256[65];
    double held_out;
} f2l_reproduce_request;

/* Appends the request as one line:
 *   {"schema":1,"kind":"reproduce-request","preset":"s3","setting":"best","models":["nh2"],
 *    "scale":1,"rate":0,"seed":1,"seeds":3,"backend":"cpu"}
 * Several rates are a list: "rate":[0.01,0.001]. Words in place of the preset's data are one more
 * member, "data":{"words":"csv:/s3.csv","sha256":"..","test":null,"test_sha256":null,
 * "held_out":0.1}. */
f2l_status f2l_reproduce_request_write(f2l_buf *out, const f2l_reproduce_request *request,
                                       f2l_error *err);

/* Returns whether the rate can be added to the rates of the request: its name of six digits differs
 * from the names of the others. */
bool f2l_reproduce_request_takes(const f2l_reproduce_request *request, double rate);

/* Parses the line; F2L_EFORMAT for any other text, and for a preset that is not known. */
f2l_status f2l_reproduce_request_parse(f2l_reproduce_request *request, const char *text,
                                       size_t size, f2l_error *err);

#endif
