"""Leader election by erosion (Di Luna et al.; this form: Briones, Chhabra, Daymude, Richa, 2022).

Candidates on the rim of what is left withdraw one after another, until one is left. It needs no
coins, no tokens and no common orientation, and no boundary: interior particles act as well. On a
shape with a hole it never ends.
"""
