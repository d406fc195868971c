/* Tree automata of Timbuk whose trees are words. */
#include "tests/support/automata/import_support.h"

#define OPS "Ops a:1 b:1 x:0\n\nAutomaton A\nStates p q \nFinal States q\nTransitions\n"

static const char *const plain = OPS "x -> p\na(p) -> q\nb(q) -> p % a comment\nb(p) -> p\n";

Test(import_timbuk, reads)
{
    accepts_one(plain, "bba", "ab");
    accepts_one(plain, "aba", "");
    accepts_one("Ops\na:1\nx:0\nAutomaton A\nStates\np:0\nq:0\nFinal States q:0\nTransitions\n"
                "x() -> p\nx() -> q\na(p) -> p\n",
                "", "a");
    accepts_one("Ops x:0 a:1\r\nAutomaton A\r\nStates p q\r\nFinal States q\r\nTransitions\r\n"
                "x -> p\r\na(p) -> q\r\n",
                "a", "");
    accepts_one("% a comment\n\n%% Ops\nOps x:0 a:1\nAutomaton A\nStates p q\nFinal States q\n"
                "Transitions\nx -> p\na(p) -> q\n",
                "a", "");
}

Test(import_timbuk, refuses)
{
    refused("Ops a:2 x:0\n", 1, 5, "one argument or none");
    refused("Ops a:1 :1\n", 1, 9, "one argument or none");
    refused("Ops a:1 x:0 a:0\n", 1, 13, "is there twice");
    refused("Ops a:1\nAutomaton A\n", 2, 1, "not one alone");
    refused("Ops a:1 x:0 y:0\nAutomaton A\n", 2, 1, "not one alone");
    refused("Ops a:1 x:0\nAutomaton", 0, 0, "ends too early");
    refused("Ops a:1 x:0\nAutomaton A\nFinal States p\n", 3, 1, "is not States");
    refused("Ops a:1 x:0\nAutomaton A\nStates p\nFinal p\n", 4, 7, "is not States");
    refused("Ops a:1 x:0\nAutomaton A\nStates p\nFinal States q\n", 4, 14, "is no state of");
    refused("Ops a:1 x:0\nAutomaton A\nStates p\n", 0, 0, "ends too early");
    refused(OPS "a(p) -> q\n", 0, 0, "no start state; expected a line x -> STATE");
    refused(OPS "x -> r\n", 7, 6, "is no state of");
    refused(OPS "x -> p\na(r) -> p\n", 8, 3, "is no state of");
    refused(OPS "x -> p\na(p,p) -> p\n", 8, 3, "is no state of");
    refused(OPS "x -> p\na(p) -> r\n", 8, 9, "is no state of");
    refused(OPS "x -> p\nc(p) -> p\n", 8, 1, "is no symbol of Ops");
    refused(OPS "x -> p\np -> q\n", 8, 1, "is not the symbol without an argument");
    refused(OPS "x -> p\na(p -> q\n", 8, 1, "is not SYMBOL(STATE)");
    refused(OPS "x -> p\na(p) q\n", 8, 1, "expected a transition");
    refused(OPS "x -> p\na(p) ->\nq\n", 8, 1, "expected a transition");
    refused(OPS "x -> p\nAutomaton B\n", 8, 1, "expected a transition");
}

Test(import_timbuk, memory_failures)
{
    survives_memory_failures(plain);
}
