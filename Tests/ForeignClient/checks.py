"""How a flow says what it expects, and how flows are run."""

import traceback

FLOWS = {}
# Flows that need what another run has left.
SEQUELS = {}


def flow(function):
    """Makes a function a flow: `function(lab, open_phone, address)`, named by its own name."""
    FLOWS[function.__name__] = function
    return function


def sequel(function):
    SEQUELS[function.__name__] = function
    return function


def equal(found, expected, what):
    assert found == expected, f"{what}: {found!r}, not {expected!r}"


def refused(call, name, status=None, code=None):
    """The call fails as it should; gives the error."""
    try:
        call()
    except Exception as error:
        found = (type(error).__name__, getattr(error, "status", None), getattr(error, "code", None))
        assert found[0] == name, f"{found}: {error}"
        if status is not None:
            equal(found[1], status, f"status of {error}")
        if code is not None:
            equal(found[2], code, f"code of {error}")
        return error
    raise AssertionError(f"went through; {name} {code or ''} was expected")


def run(name, lab, *arguments):
    """Runs one flow; prints its verdict as one line, and where it was below a failure."""
    try:
        (FLOWS | SEQUELS)[name](lab, *arguments)
        equal(lab.take_fired(), [], "faults that the flow has not looked at")
    except Exception as error:
        print(f"FAILED {name}: {error}", flush=True)
        traceback.print_exc()
        lab.take_fired()
        return False
    print(f"ok {name}", flush=True)
    return True
