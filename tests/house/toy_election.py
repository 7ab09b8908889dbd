"""On a line: the ends flip coins and send them to each other until they differ; heads wins."""

from typing import Annotated

from amoebot.algorithms import interface
from amoebot.algorithms.description import Course, Milestone, Outcome, Phase, Property
from amoebot.algorithms.expressions import choose, me
from amoebot.algorithms.interface import DECLARED, NO_COIN
from amoebot.algorithms.pictures import Layer, Mark, Pictures
from amoebot.algorithms.records import BYTE, Record
from amoebot.jit import compiled, rule

TITLE, COIN_LANES = "Two ends", 1
END, OTHER = 1, 2  # role
HEADS = 2  # coins are 1 for tails, 2 for heads
STARTED, FLIPPED, MOVED, WITHDREW = (interface.FIRST_OWN_EVENT << place for place in range(4))

first = Milestone("first_coin", "First coin", is_end=False)
COURSE = Course((first,), (Phase("Coins", "", "leader_declared"),))
STUCK = interface.FIRST_OWN_OUTCOME
OUTCOMES = {STUCK: Outcome("no-line", "nobody is at the end of a line")}
PROPERTIES = {1: Property("at most two coins travel")}
coins = Mark("disc", 0.1, me.coin > 0, choose(me.coin, ["paper", "ink", "candidate"]))
PICTURES = Pictures((Layer("coins", "Coins", (coins,)),))


class Memory(Record):
    role: Annotated[int, BYTE, "end of the line, or other; none before the first activation"]
    mine: Annotated[int, BYTE, "the coin that this end has flipped"]
    sent: Annotated[int, BYTE, "it is on its way to the other end"]
    coin: Annotated[int, BYTE, "a coin that travels with the cycle"]
    leader: Annotated[int, BYTE, "has told its particle to be the leader"]


class Watch(interface.Watch):
    first_coin: Annotated[int, interface.COUNT, "round in which it was flipped"]


@rule
def sides_of_coins(me, options):
    return (2 if me.role == END and me.mine == 0 else 1), 1


@rule
def activate(me, pred, succ, view, coins, options):
    if me.role == 0:
        me.role = END if view.empty == 5 else OTHER
        return STARTED
    events = 0
    if coins[0] != NO_COIN:
        me.mine = coins[0] + 1
        events |= FLIPPED
    if me.role == END and me.sent and me.coin:
        events |= compare(me)
    travelling = me.coin if me.role == OTHER else 0 if me.sent else me.mine
    if travelling and succ.role and not succ.coin:
        succ.coin = travelling
        events |= MOVED
        if me.role == END:
            me.sent = 1
        else:
            me.coin = 0
    return events


@rule
def compare(me):
    event = FLIPPED
    if me.mine != me.coin:
        event = DECLARED if me.mine == HEADS else WITHDREW
        me.leader, me.role = event == DECLARED, OTHER
    me.mine, me.sent, me.coin = 0, 0, 0
    return event


@compiled
def violated(world):
    return int(sum([unit.coin > 0 for unit in world.memory]) > 2)
