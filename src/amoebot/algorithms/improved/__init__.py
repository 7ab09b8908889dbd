"""Improved leader election (Daymude, Gmyr, Richa, Scheideler, Strothmann): the paper.

The memory of an agent, one module for each phase of Section 2 and for the variants of the
appendix, one activation; and what others need to know of them.
"""
