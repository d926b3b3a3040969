"""What a text swallows, or says differently each time it is read, is refused."""

import pytest

from bmc.cli.shared.user_file import UserModelError, checked
from bmc.lang import Integer, LanguageError, Protocol, State, Step, Suite, Variable, action, one_of
from bmc.lang.errors import AssignedTwice
from bmc.lang.properties import invariant
from bmc.lang.terms import Expr


class Bit(Protocol):
    """A number."""

    Number = Integer("Number", 0, 9)
    number = Variable(Number)

    @action()
    def Init(self, s: Step) -> None:
        s.number = 0

    @action()
    def Up(self, s: Step) -> None:
        s.require(s.number < 9)
        s.number = s.number + 1

    Next = one_of(Up)


def test_a_refusal_that_the_text_catches_is_still_one() -> None:
    class Swallowing(Bit):
        @action()
        def Up(self, s: Step) -> None:
            try:
                s.number = 2
                s.number = 3
            except LanguageError:
                pass

        Next = one_of(Up)

    with pytest.raises(AssignedTwice):
        Suite.of(Swallowing, "swallowing").model(False)


def test_a_text_that_changes_is_refused() -> None:
    read = []

    class Counting(Bit):
        @invariant("below how often it was read")
        def Below(self, s: State) -> Expr:
            read.append(None)
            return s.number < len(read)

    with pytest.raises(UserModelError, match="says something else each time it is read"):
        checked(Suite.of(Counting, "counting"))
    assert checked(Suite.of(Bit, "bit")).name == "bit"
