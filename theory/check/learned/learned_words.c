/* Numbers of a certificate; the network's state after a word, and what it is off by
 * (theory/pages/learned.md, LH.2, LH.9). */
#include "theory/check/learned/learned.h"
#include <string.h>

spot new_place(const proof *p)
{
    const size_t entries = p->net.key * p->net.value;
    return (spot){NONE, grab(product_of(p->net.heads, entries), sizeof(double)),
                  grab(p->net.heads, sizeof(double))};
}

void step_place(const proof *p, spot *to, const spot *from, size_t w)
{
    const size_t H = p->net.heads, entries = p->net.key * p->net.value;
    for (size_t h = 0; h < H; h++) {
        const letter_head *l = &p->letter[w * H + h];
        const double off = move_state(to->at + h * entries, &p->net, l, from->at + h * entries);
        to->off[h] = (from->off[h] * (1 + l->a_off) + off) * (1 + SLACK);
    }
    to->state = w < p->a.kinds ? p->a.next[from->state * p->a.kinds + w] : from->state;
}

void begin_place(const proof *p, spot *to)
{
    const size_t H = p->net.heads, entries = p->net.key * p->net.value;
    spot start = p->net.begin ? new_place(p) : *to;
    start.state = p->a.start;
    memset(start.off, 0, H * sizeof *start.off);
    memset(start.at, 0, H * entries * sizeof *start.at);
    if (p->net.starts) memcpy(start.at, p->net.start, H * entries * sizeof *start.at);
    if (p->net.begin)
        step_place(p, to, &start, p->net.letters - 1);
    else
        to->state = start.state;
}

void end_proof(text *t)
{
    whole_line(t, "end");
    if (left(t) > 0) reject(t, "expected the end of the file");
}

double whole(text *t, double most)
{
    expect(t, " ");
    const bool minus = comes(t, "-");
    expect(t, minus ? "-" : "");
    const char *from = t->at;
    double x = 0;
    for (; *t->at >= '0' && *t->at <= '9' && x <= most; t->at++) x = 10 * x + (*t->at - '0');
    if (t->at == from || (*from == '0' && (minus || t->at > from + 1)) || !(x <= most))
        reject(t, "expected a whole number of at most %.0f", most);
    return minus ? -x : x;
}
