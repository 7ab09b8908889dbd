"""Reports: the figures and tables of any sweep, as a page.

>>> from amoebot import reports, sweeps
>>> table = sweeps.sweep({"shapes": "hexagon:2..4", "seeds": 10}, "results")
>>> reports.report("results").as_posix()
'results/report/index.html'
"""

from amoebot.reports.reporting import report

__all__ = ["report"]
