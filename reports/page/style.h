/* The style sheet and the script of a page, which has no other files: pieces, NULL past the last.
 */
#ifndef F2L_STYLE_H
#define F2L_STYLE_H

extern const char *const f2l_page_style[], *const f2l_page_script[];

#endif
