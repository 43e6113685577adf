"""Words that can't both hold of one thing, words that deny, and words that say that something changed.

A small lexicon of general English and of what is said about software. Stems are compared, so one form of a
word stands for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

_PAIRS = """
    able/unable accept/reject,refuse,decline accurate/wrong,inaccurate acquire/release
    active/passive,idle,dormant add/remove,subtract advantage/disadvantage agree/disagree,object
    alive/dead,extinct all/none,some,few allow/forbid,deny,prohibit,ban,block,disallow
    always/never,sometimes,rarely,seldom ancient/modern appear/disappear,vanish approve/reject,disapprove
    arm/disarm arrive/leave,depart ascend/descend asleep/awake attach/detach attack/defend attract/repel
    automatic/manual aware/unaware,oblivious awful/great,wonderful bad/good,great,fine,excellent
    beautiful/ugly before/after begin/end,finish,stop best/worst better/worse big/small,little,tiny
    bitter/sweet block/unblock blocking/nonblocking bottom/top bright/dark broad/narrow
    build/demolish,destroy buy/sell calm/nervous,agitated careful/careless catch/throw,miss
    centralized/decentralized,distributed certain/doubtful cheap/expensive clean/dirty
    clear/unclear,vague,cloudy clever/stupid,foolish close/open,distant closed/open cold/hot,warm
    commit/abort,rollback common/rare complex/simple compress/decompress confirm/deny,refute
    connect/disconnect,sever correct/incorrect,wrong create/delete,destroy cruel/kind
    dangerous/safe,harmless day/night decrease/increase,grow,rise decrypt/encrypt deep/shallow
    default/optional defeat/victory delete/keep,retain,preserve,restore deprecate/recommend,introduce
    difficult/easy,simple dry/wet,damp early/late east/west easy/hard,tough empty/full,filled enable/disable
    encode/decode enemy/friend enjoy/dislike,detest enter/exit,leave even/odd everybody/nobody
    everyone/nobody everything/nothing everywhere/nowhere evil/good exclude/include explicit/implicit
    export/import external/internal fail/succeed,pass fake/real,genuine fall/rise,climb false/true
    famous/unknown,obscure far/near,nearby,close fast/slow fat/thin,slim female/male few/many fill/empty
    first/last fix/break floor/ceiling foreign/domestic forget/remember found/lost free/paid,busy,occupied
    friendly/hostile front/back,rear future/past gain/lose,loss generous/stingy,selfish global/local
    guilty/innocent happy/sad,unhappy,miserable hard/soft hate/love,like,enjoy,adore healthy/sick,ill
    heat/cool heaven/hell heavy/light,lightweight hero/villain hide/show,reveal high/low hire/fire
    hold/release honest/dishonest,lying horizontal/vertical huge/tiny identical/different
    important/trivial,negligible improve/worsen,deteriorate in/out inner/outer inside/outside
    install/uninstall intelligent/stupid interesting/boring,dull join/leave,split just/unfair
    keep/discard,drop,remove knowingly/unknowingly,unwittingly known/unknown,secret land/sea
    large/small,tiny laugh/cry lazy/eager lazy/eager,diligent,hardworking lead/follow left/right
    legal/illegal lend/borrow lengthen/shorten less/more lie/truth like/dislike limited/unlimited
    liquid/solid live/die lock/unlock long/short,brief loose/tight loud/quiet,silent lower/raise,higher
    lucky/unlucky major/minor majority/minority mandatory/optional married/single,divorced,unmarried
    mature/immature maximum/minimum merge/split messy/tidy,neat minimal/maximal mount/unmount
    mutable/immutable natural/artificial necessary/unnecessary,optional negative/positive new/old,existing
    nice/nasty noisy/quiet normal/abnormal,strange north/south numerous/few obey/disobey offline/online
    old/young on/off open/shut,closed oppose/support,favor optimist/pessimist
    optional/required,mandatory,must ordered/unordered over/under part/whole partial/complete,full,total
    peace/war permanent/temporary permit/forbid,prohibit plural/singular polite/rude poor/rich,wealthy
    popular/unpopular possible/impossible powerful/weak,powerless praise/criticize,blame presence/absence
    present/absent,past prevent/cause,enable private/public profit/loss proof/disproof proud/ashamed
    public/secret pull/push pure/impure,mixed push/pop question/answer quick/slow raise/lower,drop
    random/deterministic,ordered rare/frequent read/write ready/unready,unprepared recent/ancient,old
    refuse/agree,accept register/unregister regular/irregular relevant/irrelevant reliable/unreliable,flaky
    remote/local reward/punish right/wrong,incorrect rough/smooth same/different,unlike
    save/spend,waste,discard scarce/plentiful,abundant send/receive separate/together,joint serial/parallel
    serialize/deserialize sharp/blunt,dull show/conceal shrink/grow,expand signed/unsigned sink/float
    sit/stand slim/chubby smart/dumb sober/drunk solve/cause special/ordinary stable/unstable,volatile
    start/stop,end stateless/stateful static/dynamic straight/crooked,curved strengthen/weaken
    strict/lenient,loose strong/weak subscribe/unsubscribe success/failure sure/unsure,uncertain sync/async
    synchronous/asynchronous teach/learn thick/thin unanimous/divided up/down upgrade/downgrade
    upload/download upper/lower urban/rural useful/useless usual/unusual valid/invalid
    visible/invisible,hidden warm/cool widen/narrow widow/widower win/lose winner/loser wise/foolish
    with/without
"""

_DENIALS = """
    no not never none nor neither nobody nothing nowhere without hardly scarcely rarely seldom almost nearly
"""
"""Words that turn a statement into its opposite."""
_DENYING_VERBS = """
    deny refuse fail lack avoid cease quit stop prevent refrain decline reject unable incapable absent abandon
    omit ignorant
"""
_CHANGE = """
    instead anymore formerly previously originally superseded supersede replaced replace obsolete deprecated
    removed renamed switched migrated moved changed became revised dropped retired discontinued
"""
_RESTRICTING = """only solely exclusively merely"""
_WIDENING = """also any every all both either too"""

_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non")


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """The stem under which a word, in lower case, is compared."""
    return str(_stemmer().stem_word(word)) if word.isascii() and len(word) > 2 else word


@cache
def _stemmer() -> Any:
    from py_rust_stemmers import SnowballStemmer

    return SnowballStemmer("english")


@cache
def _opposites() -> frozenset[tuple[str, str]]:
    return frozenset(_stemmed_pairs())


def _stemmed_pairs() -> Iterator[tuple[str, str]]:
    for entry in _PAIRS.split():
        word, others = entry.split("/")
        for other in others.split(","):
            one, another = stem(word), stem(other)
            yield one, another
            yield another, one


def opposed(one: str, other: str) -> bool:
    """Whether two words, in lower case, exclude each other: by the lexicon, or by a prefix that denies."""
    if (stem(one), stem(other)) in _opposites():
        return True
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    if longer.endswith("less") and shorter.endswith("ful") and longer[:-4] == shorter[:-3]:
        return True
    return any(
        longer.startswith(prefix)
        and len(shorter) >= 4
        and stem(longer.removeprefix(prefix).lstrip("-")) == stem(shorter)
        for prefix in _PREFIXES
    )


@cache
def _denials() -> frozenset[str]:
    return frozenset(_DENIALS.split())


@cache
def _denying_stems() -> frozenset[str]:
    return frozenset(map(stem, _DENYING_VERBS.split()))


@cache
def _change_stems() -> frozenset[str]:
    return frozenset(map(stem, _CHANGE.split()))


def denies(word: str) -> bool:
    """Whether a word, in lower case, turns what is said into its opposite."""
    return word in _denials() or stem(word) in _denying_stems()


def tells_change(word: str) -> bool:
    """Whether a word says that something is no longer what it was."""
    return stem(word) in _change_stems()


def restricts(word: str) -> bool:
    """Whether a word excludes everything else."""
    return word in _RESTRICTING.split()


def widens(word: str) -> bool:
    """Whether a word includes others."""
    return word in _WIDENING.split()
