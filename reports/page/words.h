/* Words of the glossary on a page. */
#ifndef F2L_PAGE_WORDS_H
#define F2L_PAGE_WORDS_H

#include "reports/page/page.h"

/* How links to words and their meanings look: a part of the page's style. */
extern const char f2l_words_style[];

/* Links the first occurrence of each word of docs/glossary.md, in what the page's HTML says around
 * its data, to a section of their meanings, which it appends. The page has no open section. */
void f2l_page_link_words(f2l_page *page);

#endif
