"""The vendor's own client against `lab serve`: main.py URL FOLDER [FLOW…]

Runs the flows, all of them without a name, each with an account and with phones of its own, whose
storage lies in FOLDER. One line a flow; 0 if all are ok, 1 if not.
"""

import itertools
import os
import sys

import checks
import faults
import flows
from phone import Lab, Phone

assert faults and flows, "the modules name their flows"


def main(url, folder, *names):
    lab = Lab(url)
    numbers = itertools.count(1)

    def open_phone(like=None, **options):
        """A new phone; or another start of the app on one that there is."""
        place = like.storage.folder if like else os.path.join(folder, f"phone-{next(numbers)}")
        return Phone(url, place, **options)

    verdicts = [
        checks.run(name, lab, open_phone, f"{name}@example.com")
        for name in names or list(checks.FLOWS)
    ]
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
