"""What runs inside the sandbox to judge: standard library only, no import from other rooms.

``posttrain.verify.bundle`` makes one self-contained file of a program and the modules that it
imports from here; the driver imports the same modules, so both ends speak by the same code.
"""
