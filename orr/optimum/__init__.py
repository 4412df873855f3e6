"""How the best law is found and proved. Chapters certificate, shape, any-size, path and price explain it.

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
    The threshold, in the units of the weights: what the flips in a ball may weigh.
x
    How far inside a flip set is: the threshold less the weight of its flips.
ball, edge
    The flip sets with ``x > 0``; the edge is where ``x`` is about 0, and may be soft.
supply
    What a mass gives of a kind's level: 1 is all of it, more is re-randomized away.
mass
    Probability above the uniform part, in units of that part.
column
    A ball in the linear program that mixes balls, the master.
width
    Of a soft edge: the unit of the weights along the path.

Which file does what: ``bound`` proves, ``cell_program`` lists cells, ``central_path`` chooses weights with
what ``laplace`` counts, ``column_generation`` makes balls of them and keeps these in a ``pool``,
``hamming_ball`` is a closed form. ``certificate``, ``verify`` and ``integrity`` say and check what was
proved.
The room ``caps`` does the same under caps.
"""
