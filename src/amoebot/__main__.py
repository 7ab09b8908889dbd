"""``python -m amoebot`` is the command ``amoebot``."""

from amoebot.cli import main

main()
