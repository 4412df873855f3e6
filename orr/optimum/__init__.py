"""How the best law is found and proved.

Chapters linear-program, certificate, when-optimal, shape, any-size and path explain it.

Throughout this room:

kind
    Attributes of one size and level, which are treated alike.
cell
    How many attributes of each kind flip; where all kinds differ, a flip set.
weights
    ``y``, one number of at least 0 for each attribute or kind. They prove a lower bound, and shape a ball.
load, need
    ``q`` and ``d`` of a kind, times its number of attributes: ``y.load`` is the threshold.
radius
    The threshold, in the units of the weights: a ball holds the flip sets that weigh less.
x
    The threshold less the weight of the flips of a flip set: its distance from the edge.
ball, edge
    The flip sets with ``x > 0``; the edge is where ``x`` is about 0, and may be soft.
excess
    Density over the uniform part, less 1: at most ``exp(level) - 1``. Bounds are often its logarithms.
mass
    Probability above the uniform part, in units of that part.
capacity
    The largest mass of a cell at a given excess.
supply
    The share of a kind's level that a mass gives: 1 is all of it, more is re-randomized away.
relaxed
    Levels raised by more than rounding can lower them: laws are made for these, bounds for those asked.
column
    A ball in the linear program that mixes balls, the *master*.
width
    The scale of a soft edge, and the unit of the weights along the path.

Which file does what: ``search`` tries one method after another. ``single_flip`` and ``hamming_ball`` are
closed forms, ``cell_program`` lists cells, and ``column_generation`` mixes balls, with weights of the
``central_path`` and expectations of ``laplace``. ``bound`` proves lower bounds. ``certificate`` holds what
was proved; ``verify`` and ``integrity`` check it. The room ``caps`` finds and proves the optimum under caps.
"""
