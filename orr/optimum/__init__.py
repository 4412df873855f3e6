"""How the best law is found and proved.

Its words
---------
kind
    Attributes of one size and level, which are treated alike.
cell
    How many attributes of each kind lie; where all kinds differ, a flip set.
ball
    The flip sets whose lies weigh less than a radius.
weights
    One number an attribute. They prove a lower bound, and they shape a ball.
mass
    Probability above the uniform part, in units of that part.
"""
