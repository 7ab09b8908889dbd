"""Binds engine and explorer to one election, or to one with replaced rules."""

from amoebot.linking.link import Link, explorer, link
from amoebot.linking.rules import PAPER, Rules, RulesError, explaining

__all__ = ["PAPER", "Link", "Rules", "RulesError", "explaining", "explorer", "link"]
