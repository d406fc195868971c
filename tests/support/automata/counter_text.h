/* The automaton of wired_counter (hand_wired.h). */
#ifndef TESTS_COUNTER_TEXT_H
#define TESTS_COUNTER_TEXT_H

static const char wired_counter_text[] =
    "letters inc reset hold\nstates 0 1 2 3 4 5 6 7\nstart 5\n"
    "0 inc 1\n1 inc 2\n2 inc 3\n3 inc 4\n4 inc 5\n5 inc 6\n6 inc 7\n7 inc 0\n"
    "0 reset 0\n1 reset 0\n2 reset 0\n3 reset 0\n4 reset 0\n5 reset 0\n6 reset 0\n7 reset 0\n"
    "0 hold 0\n1 hold 1\n2 hold 2\n3 hold 3\n4 hold 4\n5 hold 5\n6 hold 6\n7 hold 7\n";

#endif
