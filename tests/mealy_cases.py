"""Mealy machines that tests and benches share: an end of a transport protocol, and random ones. A
machine is {(state, letter): (next state, output)}; its first state is the start."""

import random

LETTERS = "open listen send close abort syn synack ack data fin rst timeout probe".split()
AGAIN = 3  # timeouts before an end gives up
WINDOW = 5  # segments that may wait for an acknowledgement
START = ("closed", 0, 0)
# What is done once more after a timeout; a state that is not here waits, or counts in silence.
REPEATED = {
    "syn_sent": "syn",
    "syn_rcvd": "syn+ack",
    "established": "data",
    "fin_wait1": "fin",
    "closing": "fin",
    "last_ack": "fin",
}
# (phase, letter): (next phase, output). What is not here and below leaves the state, with `-`.
MOVES = {
    ("closed", "open"): ("syn_sent", "syn"),
    ("closed", "listen"): ("listen", "ok"),
    ("listen", "open"): ("syn_sent", "syn"),
    ("listen", "close"): ("closed", "ok"),
    ("listen", "syn"): ("syn_rcvd", "syn+ack"),
    ("syn_sent", "synack"): ("established", "ack"),
    ("syn_sent", "syn"): ("syn_rcvd", "syn+ack"),
    ("syn_sent", "close"): ("closed", "ok"),
    ("syn_rcvd", "ack"): ("established", "ok"),
    ("syn_rcvd", "close"): ("fin_wait1", "fin"),
    ("established", "fin"): ("close_wait", "ack"),
    ("fin_wait1", "ack"): ("fin_wait2", "-"),
    ("fin_wait1", "fin"): ("closing", "ack"),
    ("fin_wait2", "fin"): ("time_wait", "ack"),
    ("fin_wait2", "data"): ("fin_wait2", "deliver"),
    ("closing", "ack"): ("time_wait", "-"),
    ("last_ack", "ack"): ("closed", "-"),
    ("time_wait", "fin"): ("time_wait", "ack"),
}
SAYS = {
    **{(phase, "open"): "error" for phase in ("syn_sent", "syn_rcvd", "established")},
    **{(phase, "synack"): "rst" for phase in ("closed", "listen")},
    **{(phase, "send"): "error" for phase in ("closed", "listen", "syn_sent", "syn_rcvd")},
    **{(phase, "send"): "error" for phase in ("fin_wait1", "fin_wait2", "closing", "last_ack")},
    **{(phase, "probe"): "ack" for phase in ("established", "close_wait", "fin_wait1")},
    ("established", "data"): "deliver",
    ("fin_wait1", "data"): "deliver",
    ("syn_rcvd", "syn"): "syn+ack",
}


def after_timeout(state):
    phase, waiting, tries = state
    if phase in ("closed", "listen", "close_wait") or phase == "established" and not waiting:
        return state, "data" if waiting else "-"
    if tries == AGAIN:
        return START, "reset" if phase in REPEATED else "-"
    return (phase, waiting, tries + 1), REPEATED.get(phase, "-")


def windowed(state, letter):
    """Returns what an end that may send does with its window, or None."""
    phase, waiting, tries = state
    if letter == "send" and waiting < WINDOW:
        return (phase, waiting + 1, tries), "data"
    if letter == "ack" and waiting:
        return (phase, waiting - 1, 0), "-"
    if letter == "close" and not waiting:
        return ("fin_wait1" if phase == "established" else "last_ack", 0, 0), "fin"
    if letter == "fin":
        return ("close_wait", waiting, 0), "ack"
    refused = {"send": "full", "close": "busy"}
    return (state, refused[letter]) if letter in refused else None


def protocol_step(state, letter):
    phase = state[0]
    if letter == "timeout":
        return after_timeout(state)
    if letter in ("abort", "rst") and phase not in ("closed", "listen"):
        return START, "rst" if letter == "abort" else "reset"
    may_send = phase in ("established", "close_wait")
    done = windowed(state, letter) if may_send else None
    if done:
        return done
    if (phase, letter) in MOVES:
        to, output = MOVES[phase, letter]
        return (to, 0, 0), output
    return state, SAYS.get((phase, letter), "-")


def protocol():
    """Returns one end of a transport protocol, with requests of its user, segments of the other
    end, and timeouts: 57 states and 13 letters."""
    machine, states = {}, [START]
    for state in states:
        for letter in LETTERS:
            after, output = protocol_step(state, letter)
            states += [after] if after not in states else []
            machine[spelled(state), letter] = spelled(after), output
    return machine


def spelled(state):
    return "{}.{}.{}".format(*state)


def random_machine(seed):
    """Returns a machine of 5 to 60 states, not all of which need be reached, by 1 to 8 letters.
    Letters lead to states at random, or most of them leave a state; outputs are drawn for each
    transition, or belong to the states that it leads to."""
    r = random.Random(seed)
    states, letters, outputs = r.randint(5, 60), r.randint(1, 8), r.randint(2, 8)
    by_state, calm = r.random() < 0.25, r.random() < 0.5
    machine = {}
    for q in range(states):
        for letter in "abcdefgh"[:letters]:
            to = r.randrange(states)
            if calm:
                to = (q + 1) % states if letter == "a" else q if r.random() < 0.6 else to
            output = to * 7 % outputs if by_state else r.randrange(outputs)
            machine[f"q{q}", letter] = f"q{to}", f"o{output}"
    return machine


def text(machine):
    """Returns the machine as a .fsa file."""
    start = next(iter(machine))[0]
    lines = [f"{q} {a} {to} {output}\n" for (q, a), (to, output) in machine.items()]
    return f"start {start}\n{''.join(lines)}"


def outputs_of(machine, word):
    state, out = next(iter(machine))[0], []
    for letter in word:
        state, output = machine[state, letter]
        out.append(output)
    return out
