#include "reports/training/inventory_report.h"
#include "numeric/base/path.h"
#include "numeric/facts/layout.h"
#include "reports/training/impl.h"
#include <stdio.h>
#include <string.h>

static void say_tensor(f2l_fact list, const f2l_inventory_tensor *tensor)
{
    f2l_fact row = f2l_say_object(list, NULL);
    f2l_say_text(row, "name", tensor->name);
    f2l_say_text(row, "dtype", tensor->type);
    f2l_say_json(row, "shape", json_deep_copy(tensor->shape));
    f2l_say_text(row, "use", tensor->use.size > 0 ? tensor->use.data : NULL);
    f2l_say_text(row, "unused", tensor->unused);
}

static void describe_inventory(f2l_fact out, const void *report)
{
    const f2l_inventory_report *r = report;
    const f2l_inventory *i = r->inventory;
    f2l_say_text(out, "weights_file", f2l_path_base(r->weights));
    f2l_say_text(out, "model_class", i->class[0] ? i->class : NULL);
    f2l_say_reason(out, "refused", i->refused.text);
    f2l_fact tensors = f2l_say_list(out, "tensors");
    for (size_t t = 0; t < i->tensors; t++) say_tensor(tensors, &i->tensor[t]);
    f2l_fact absent = f2l_say_list(out, "absent");
    for (size_t a = 0; a < i->absent.count; a++)
        f2l_say_text(absent, NULL, f2l_names_get(&i->absent, a));
}

static void lay_inventory(f2l_buf *out, f2l_fact from)
{
    f2l_layout(out, from,
               "model        {weights_file}{model_class?: {model_class}|}\n"
               "import       {refused?refused: {refused}|reads it}\n");
    f2l_layout_items(out, f2l_get(from, "tensors"), 0, SIZE_MAX,
                     "{name}  {dtype} [{shape*{.}|, }]  {use?{use}|unused: {unused}}\n", "");
    f2l_layout(out, from, "{absent*missing      {.}\n|}");
}

const f2l_report_kind f2l_inventory_report_kind = {.name = "import-list",
                                                   .describe = describe_inventory,
                                                   .lay = lay_inventory,
                                                   .style = {.indent = true, .digits = 15}};
