"""The last candidate of the second algorithm takes its boundary for the outer one."""

from amoebot.algorithms.candidacy import IDENTIFYING, OUTER, is_idle
from amoebot.algorithms.improved.almost_sure import (
    compete,
    declare_second,
    move_stop_token,
    send_stop_token,
)
from amoebot.algorithms.solitude_verification import verify_solitude


def act_second(me, pred, succ):
    if me.second.coins:
        compete(me.second, pred.second, succ.second)
    if is_idle(me.second.candidacy) and not me.second.stop:
        return 0
    verify_solitude(me.second.candidacy, pred.second.candidacy, succ.second.candidacy)
    if me.second.candidacy.stage == IDENTIFYING:
        me.second.candidacy.stage = OUTER
        me.second.candidacy.identification = 0
    return send_stop_token(me) | move_stop_token(me, succ) | declare_second(me)
