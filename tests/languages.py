"""Automata of languages, made from words: for tests and benchmarks."""


def automaton(start, letters, step, accepts):
    """Returns the text of an automaton whose states are what `step` leads to from `start`."""
    states, edges = [start], []
    for at, state in enumerate(states):
        for letter in letters:
            following = step(state, letter)
            if following not in states:
                states.append(following)
            edges.append(f"q{at} {letter} q{states.index(following)}")
    accepting = " ".join(f"q{at}" for at, state in enumerate(states) if accepts(state))
    return f"fsa 1\nstart q0\naccept {accepting}\n" + "\n".join(edges) + "\n"


def without_subwords(letters, *words):
    """Returns the automaton of the words that have none of these words as a subword: the minimal
    one, in which all that has one is one state."""

    def step(state, letter):
        if state is None:
            return None
        met = tuple(n + (word[n] == letter) for n, word in zip(state, words))
        return None if any(n == len(word) for n, word in zip(met, words)) else met

    return automaton((0,) * len(words), letters, step, lambda state: state is not None)


def with_factors(letters, *words):
    """Returns the automaton of the words that have each of these words as a factor."""

    def after(text, word, letter):
        if text == word:
            return word
        text += letter
        while not word.startswith(text):
            text = text[1:]
        return text

    def step(state, letter):
        return tuple(after(text, word, letter) for text, word in zip(state, words))

    return automaton(("",) * len(words), letters, step, lambda state: state == words)
