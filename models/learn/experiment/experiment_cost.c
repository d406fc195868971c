/* About how long a run takes: a rough rate of each mixer, from recorded runs on H100s and H200s
 * (reports/results/training), for plans. */
#include "models/learn/experiment/experiment.h"
#include "models/learn/seq/mixer.h"
#include <math.h>
#include <string.h>

/* Seconds of a step and layer beside its letters. */
static const double layer_seconds = 0.35e-3;

/* Seconds of a letter and a layer of 256 numbers over all heads: of forward and backward. */
static const struct {
    const char *mixer;
    double plain, factor; /* factor: for each factor of a letter's product */
} rates[] = {{"delta-product", 14e-9, 2e-9}, {"diagonal", 58e-9, 0}, {"gla", 115e-9, 0},
             {"rwkv7", 115e-9, 0},           {"mlstm", 107e-9, 0},   {"attention", 21e-9, 0}};

static double letter_seconds(const f2l_seq_config *c)
{
    const double size = fmax((double)(c->heads * c->key_dim), 128) / 256;
    double seconds = 115e-9;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (strcmp(c->mixer->name, rates[i].mixer) == 0)
            seconds = rates[i].plain + rates[i].factor * (double)c->householders;
    if (c->forget_gate) seconds = fmax(seconds, 57e-9);
    if (c->key_dim > 64) seconds *= 2.8;
    return seconds * fmax(size, 1);
}

double f2l_experiment_seconds(const f2l_experiment *e, f2l_backend backend)
{
    const f2l_seq_config *c = &e->model;
    const double length = (double)e->curriculum.limit * (e->curriculum.shorter_too ? 0.5 : 1);
    const double letters = (double)e->batch * length, steps = (double)e->train.steps;
    const double width = (double)c->width, layers = (double)c->layers;
    /* of a letter: projections of all heads, the MLP, embedding and labels; a core makes some 5
     * billion of its three products of matrices a second */
    const double parameters =
        layers * width * (4.0 * (double)(c->heads * c->key_dim) + 3.0 * (double)c->mlp) +
        width * (double)c->labels;
    if (backend == F2L_BACKEND_CPU) return steps * letters * parameters * 6 / 10e9;
    const double slower = backend == F2L_BACKEND_CUDA ? 1 : 2.6;
    return steps * layers * (layer_seconds + letters * letter_seconds(c) * slower);
}

void f2l_experiment_seconds_text(f2l_buf *out, double seconds)
{
    if (seconds < 90)
        f2l_buf_printf(out, "about %.0f s", fmax(seconds, 1));
    else if (seconds < 5400)
        f2l_buf_printf(out, "about %.1f min", seconds / 60);
    else
        f2l_buf_printf(out, "about %.1f h", seconds / 3600);
}
