#include "cli/version.h"
#include "library/version.h"
#include "numeric/facts/layout.h"
#include <gmp.h>
#include <jansson.h>
#include <mpfr.h>
#ifdef F2L_HAVE_LIBXML2
#include <libxml/xmlversion.h>
#endif

/* Returns libxml2's version from the headers it was built with; libfa has no version to ask for. */
static const char *libxml2(void)
{
#ifdef F2L_HAVE_LIBXML2
    return LIBXML_DOTTED_VERSION;
#else
    return "absent (no import of JFLAP and SCXML)";
#endif
}

static const char *libfa(void)
{
#ifdef F2L_HAVE_LIBFA
    return "present";
#else
    return "absent (no --regex)";
#endif
}

static void describe(f2l_fact out, const void *unused)
{
    (void)unused;
    f2l_say_tool(out, f2l_version(), f2l_commit());
    f2l_fact libraries = f2l_say_object(out, "libraries");
    f2l_say_text(libraries, "GMP", gmp_version);
    f2l_say_text(libraries, "MPFR", mpfr_get_version());
    f2l_say_text(libraries, "jansson", JANSSON_VERSION);
    f2l_say_text(libraries, "libxml2", libxml2());
    f2l_say_text(libraries, "libfa", libfa());
}

static void lay(f2l_buf *out, f2l_fact from)
{
    f2l_layout(out, from,
               "fsa2lrnn {tool.version} (commit {tool.commit})\n"
               "GMP {libraries.GMP}, MPFR {libraries.MPFR}, jansson {libraries.jansson}, libxml2 "
               "{libraries.libxml2}, libfa {libraries.libfa}\n");
}

const f2l_report_kind f2l_version_kind = {
    .name = "version", .describe = describe, .lay = lay, .style = {.digits = 17}};
