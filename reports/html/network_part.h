/* The transitions of a constructed network as a section of a page. */
#ifndef F2L_NETWORK_PART_H
#define F2L_NETWORK_PART_H

#include "models/network/net/net.h"
#include "reports/page/page.h"

/* Appends the section: for each layer and head the matrices of its letters, of letters that act
 * alike once. Large networks are drawn in part, and lines say what is left out. */
f2l_status f2l_network_part(f2l_page *page, const f2l_net *net, f2l_error *err);

#endif
