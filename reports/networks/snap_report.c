#include "reports/networks/snap_report.h"
#include "numeric/base/path.h"
#include "numeric/facts/layout.h"
#include "reports/model/shared_facts.h"
#include "reports/training/train_report_parts.h"
#include <math.h>
#include <string.h>

static const char *verdict_name(f2l_snap_verdict verdict)
{
    static const char *const name[] = {"SNAPPED", "NOT SNAPPED", "UNKNOWN"};
    return name[verdict];
}

/* The group with signs, and the letters that change each of them. */
static void say_cover(f2l_fact out, const f2l_snap_report *r)
{
    const f2l_snap *s = r->snap;
    if (s->cover.signs == 0) {
        f2l_say_null(out, "sign_cover");
        return;
    }
    const f2l_fact cover = f2l_say_object(out, "sign_cover");
    f2l_say_count(cover, "acting_order", s->r1.tables.group.order);
    const f2l_fact list = f2l_say_list(cover, "signs");
    for (size_t i = 0; i < s->cover.signs; i++) {
        const f2l_fact letters = f2l_say_list(f2l_say_object(list, NULL), "minus_letters");
        for (size_t a = 0; a < s->letters; a++)
            if (s->cover.minus[i * s->letters + a])
                f2l_say_text(letters, NULL, f2l_names_get(&r->data->letters, a));
    }
}

static void say_irreps(f2l_fact out, const f2l_snap *s)
{
    const f2l_fact list = f2l_say_list(out, "possible_irreps");
    for (size_t i = 0; i < s->irreps; i++) {
        const f2l_snap_irrep *r = &s->irrep[i];
        const f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_count(one, "character", r->character + 1);
        f2l_say_count(one, "dimension", s->r1.tables.householders.irrep[r->irrep].dimension);
        f2l_say_truth(one, "matrices_found", r->known);
        f2l_say_number(one, "nearest_defect", r->nearest);
        f2l_say_known(one, "nearest_head", isfinite(r->nearest), r->nearest_head + 1);
    }
}

static void say_parts(f2l_fact out, const f2l_snap_report *r)
{
    const f2l_snap *s = r->snap;
    const f2l_fact list = f2l_say_list(out, "learned_parts");
    for (size_t i = 0; i < s->parts; i++) {
        const f2l_snap_part *p = &s->part[i];
        const f2l_snap_irrep *irrep = &s->irrep[p->irrep];
        const f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_count(one, "in_head", p->head + 1);
        f2l_say_count(one, "character", irrep->character + 1);
        f2l_say_count(one, "dimension", irrep->value.dimension);
        f2l_say_count(one, "field_degree", irrep->field_degree);
        f2l_say_number(one, "defect", p->defect);
        f2l_say_number(one, "next_defect", p->next);
        f2l_say_number(one, "leads_out", p->leaves);
        f2l_say_number(one, "start_share", p->share);
        f2l_say_number(one, "value_drift", p->drift);
        f2l_say_number(one, "largest_distance", p->distance[p->worst]);
        f2l_say_text(one, "farthest_letter", f2l_names_get(&r->data->letters, p->worst));
        f2l_say_numbers(one, "letter_distances", p->distance, s->letters);
    }
}

static void say_network(f2l_fact out, const f2l_snap *s)
{
    if (s->verdict != F2L_SNAP_SNAPPED) {
        f2l_say_null(out, "exact_network");
        return;
    }
    const f2l_fact one = f2l_say_object(out, "exact_network");
    f2l_say_count(one, "heads", s->report.heads);
    f2l_say_count(one, "householders", s->report.householders);
    f2l_say_count(one, "codes", s->report.codes);
    f2l_say_count(one, "least_householders", s->r1.tables.householders.minimum);
    f2l_say_count(one, "least_total_dimension", s->r1.tables.householders.dimension);
    f2l_say_count(one, "total_dimension", s->report.dimension);
    f2l_fact exact = f2l_say_object(one, "exact");
    f2l_say_verdict(exact, &(f2l_verdict){.verdict = s->closure.verdict,
                                          .how = "closure",
                                          .counted = true,
                                          .joint_states = s->closure.rows});
    f2l_say_decoder(exact, false);
}

static void say_put(f2l_fact out, const f2l_snap_report *r)
{
    f2l_say_text(out, "not_put_back", r->why_no_put && r->why_no_put[0] ? r->why_no_put : NULL);
    if (r->put == NULL) {
        f2l_say_null(out, "put_back");
        return;
    }
    const f2l_fact one = f2l_say_object(out, "put_back");
    f2l_say_number(one, "beta_logit", r->put->logit);
    f2l_say_number(one, "beta_distance", r->put->beta);
    f2l_say_number(one, "largest_distance", r->put->largest);
    f2l_say_number(one, "value_drift", r->put->drift);
    f2l_say_number(one, "same_answers", r->put->same);
    f2l_say_truth(one, "read_out_refitted", r->put->refitted);
    f2l_say_number(one, "weight_change", r->put->change);
}

static void describe_snap(f2l_fact out, const void *report)
{
    const f2l_snap_report *r = report;
    const f2l_snap *s = r->snap;
    f2l_say_tool(out, r->version, r->commit);
    f2l_say_text(out, "weights_file", f2l_path_base(r->weights));
    f2l_say_model(out, r->model);
    f2l_say_data(out, r->data);
    f2l_say_text(out, "snapped", verdict_name(s->verdict));
    f2l_say_reason(out, "reason", s->reason);
    f2l_say_number(out, "within", s->within);
    f2l_say_known(out, "group_order", s->has_group,
                  s->cover.signs > 0 ? s->cover.order : s->r1.tables.group.order);
    say_cover(out, r);
    say_irreps(out, s);
    say_parts(out, r);
    f2l_say_truth(out, "determines_element", s->faithful);
    say_network(out, s);
    say_put(out, r);
    f2l_say_text(out, "out", r->out ? f2l_path_base(r->out) : NULL);
    f2l_say_files(out, r->file, r->files);
}

/* --- the text --- */

static void lay_parts(f2l_buf *out, f2l_fact from)
{
    f2l_layout(
        out, from,
        "{learned_parts*"
        "head {in_head%-8s} chi{character} of dimension {dimension}: defect {defect%.4f}"
        "{next_defect?, the next {next_defect%.3f}|}; largest distance {largest_distance%.4f}, "
        "for letter {farthest_letter}; {start_share%.3f} of the start"
        "{value_drift?; values drift by {value_drift%.3f} of it|}\n|}");
}

static void lay_network(f2l_buf *out, f2l_fact from)
{
    f2l_layout(
        out, from,
        "{exact_network?exact net     {exact_network.heads head}, n_h = "
        "{exact_network.householders} (least: {exact_network.least_householders}), "
        "{exact_network.total_dimension dimension} (least: "
        "{exact_network.least_total_dimension}), {exact_network.codes code}; "
        "{exact_network.exact.verdict} for all lengths, {exact_network.exact.joint_states joint "
        "state}\n}");
    f2l_layout(out, from,
               "{put_back?put back      betas 2 sigmoid(+-{put_back.beta_logit}), at most "
               "{put_back.beta_distance%.2g} from 0 or 2; matrices at most "
               "{put_back.largest_distance%.2g} from the exact ones; the weights changed by "
               "{put_back.weight_change%.3f} of their size; the read-out "
               "{put_back.read_out_refitted?refitted|kept}, {put_back.same_answers%.4f} of the "
               "answers to 64 letters as before\n}"
               "{not_put_back?put back      nothing: {not_put_back}\n}");
}

static void lay_snap(f2l_buf *out, f2l_fact from)
{
    f2l_layout(
        out, from,
        "network       {weights_file}: {model_text}\n"
        "{data_text?data          {data_text}\n}"
        "{group_order?group         of order {group_order}{sign_cover?, learned with signs of the "
        "letters as a group of order {sign_cover.acting_order}: {sign_cover.signs*- for "
        "{minus_letters*{.}|, }|; and }|}; those that n_h factors can express:{possible_irreps* "
        "chi{character} (dimension {dimension})|,}\n}");
    lay_parts(out, from);
    lay_network(out, from);
    f2l_layout(out, from,
               "{files?files         {out}: {files*{name}|, }\n}"
               "{snapped}{reason?: {reason}|: the exact network is proved, about the trained one "
               "there are only the distances}\n");
}

/* Nine digits determine a float: the weights are floats. */
const f2l_report_kind f2l_snap_report_kind = {
    .name = "snap", .describe = describe_snap, .lay = lay_snap, .style = {.digits = 9}};
