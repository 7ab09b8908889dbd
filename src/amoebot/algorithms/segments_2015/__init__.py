"""Leader election by comparing segments (Derakhshandeh et al., 2015): what the paper improves on.

The first paper describes it on a global scale. The rules here are those of tokens, as they were
published as code, in two forms: as first published, in which the last two candidates can demote
themselves, and with the repair that followed. Solitude verification and boundary identification are
the modules that the improved election has.
"""
