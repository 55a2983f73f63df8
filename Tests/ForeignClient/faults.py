"""What an app does with the vendor's client while something is wrong."""

import json
import os
import random
import signal
import subprocess
import sys
import time

from checks import equal, flow, refused
from flows import PASSWORD, sign_in, signed_up, with_factor
from phone import KEY, totp

REFRESH = "/token?grant_type=refresh_token"
SIGN_IN = "/token?grant_type=password"


def fired(lab, *counts):
    equal(lab.take_fired(), list(counts), "how often the faults fired")


def age(phone):
    """Makes the stored session one that has expired."""
    session = json.loads(phone.stored())
    session["expires_at"] = int(time.time()) - 60
    phone.storage.set_item(KEY, json.dumps(session))


@flow
def survives_a_lost_refresh(lab, open_phone, address):
    phone = open_phone()
    old = signed_up(lab, phone, address).refresh_token
    lab.arm("lose-reply", REFRESH)
    refused(phone.auth.refresh_session, "AuthRetryableError", 0)
    equal(json.loads(phone.stored())["refresh_token"], old, "what is stored")
    new = phone.auth.refresh_session().session.refresh_token
    assert new != old, "the token that was lost is handed out again"
    equal(phone.auth.refresh_session(old).session.refresh_token, new, "and again")
    fired(lab, 1)


@flow
def loses_a_refresh_that_was_lost_twice(lab, open_phone, address):
    """The twin: two generations behind, there is no way back."""
    phone = open_phone()
    old = signed_up(lab, phone, address).refresh_token
    phone.auth.refresh_session()
    phone.auth.refresh_session()
    refresh = phone.auth.refresh_session
    with lab.skewed(60_000):
        refused(lambda: refresh(old), "AuthApiError", 400, "refresh_token_already_used")
        # The whole family goes with it; that is forgiven for a few seconds, too.
        with lab.skewed(60_000):
            refused(refresh, "AuthApiError", 400, "refresh_token_already_used")
            age(phone)
            cold = open_phone(phone, auto_refresh=True)
            cold.auth.initialize()
    equal((cold.stored(), cold.auth.get_session()), (None, None), "a cold start")


@flow
def survives_a_lost_sign_up(lab, open_phone, address):
    phone = open_phone()
    lab.arm("lose-reply", "/signup", method="POST")
    new = {"email": address, "password": PASSWORD}
    refused(lambda: phone.auth.sign_up(new), "AuthRetryableError", 0)
    fired(lab, 1)
    # Done all the same: the mail is out, and the next one has to wait.
    with lab.skewed(-30_000):
        refused(lambda: phone.auth.sign_up(new), "AuthApiError", 429, "over_email_send_rate_limit")
    code = {"email": address, "token": lab.mail(address)["code"], "type": "signup"}
    equal(phone.auth.verify_otp(code).user.email, address, "the user")


@flow
def survives_a_lost_verification(lab, open_phone, address):
    phone = open_phone()
    factor, secret = with_factor(lab, phone, address)
    again = open_phone()
    sign_in(again, address)
    lab.arm("lose-reply", f"/factors/{factor}/verify")
    code = {"factor_id": factor, "code": totp(secret)}
    refused(lambda: again.auth.mfa.challenge_and_verify(code), "AuthRetryableError", 0)
    equal(
        again.auth.mfa.get_authenticator_assurance_level().current_level, "aal1", "the level here"
    )
    again.auth.refresh_session()
    equal(
        again.auth.mfa.get_authenticator_assurance_level().current_level, "aal2", "the level there"
    )
    fired(lab, 1)


@flow
def survives_a_request_that_is_lost(lab, open_phone, address):
    phone = open_phone()
    signed_up(lab, phone, address)
    lab.arm("lose-request", "/logout")
    refused(phone.auth.sign_out, "AuthRetryableError", 0)
    assert phone.stored(), "nobody is signed out"
    phone.auth.sign_out()
    equal(phone.stored(), None, "signed out")
    fired(lab, 1)


@flow
def tells_limits_from_outages(lab, open_phone, address):
    phone = open_phone()
    session = signed_up(lab, phone, address)
    lab.arm("refuse", REFRESH, status=429)
    refused(phone.auth.refresh_session, "AuthApiError", 429, "over_request_rate_limit")
    fired(lab, 1)
    lab.arm("refuse", REFRESH, status=500)
    refused(phone.auth.refresh_session, "AuthApiError", 500, "unexpected_failure")
    fired(lab, 1)
    for status in (502, 503, 504):
        lab.arm("refuse", REFRESH, status=status)
        refused(phone.auth.refresh_session, "AuthRetryableError", status)
        fired(lab, 1)
    equal(json.loads(phone.stored())["refresh_token"], session.refresh_token, "what is stored")
    lab.arm("refuse", SIGN_IN, status=429)
    refused(lambda: sign_in(open_phone(), address), "AuthApiError", 429, "over_request_rate_limit")
    fired(lab, 1)


@flow
def reads_errors_of_every_shape(lab, open_phone, address):
    wrong = {"email": address, "password": "wrong"}
    phone = open_phone()

    def attempt():
        return phone.auth.sign_in_with_password(wrong)

    signed_up(lab, open_phone(), address)
    lab.arm("text-code", SIGN_IN)
    refused(attempt, "AuthApiError", 400, "invalid_credentials")
    # The client asks for words: there is nothing to change.
    fired(lab, 0)
    for fault in ("number-code", "no-version"):
        lab.arm(fault, SIGN_IN)
        equal(refused(attempt, "AuthApiError", 400).code, None, f"code under {fault}")
        fired(lab, 1)
    for fault in ("html-reply", "empty-reply", "cut-reply"):
        lab.arm(fault, SIGN_IN)
        refused(attempt, "AuthUnknownError")
        fired(lab, 1)


@flow
def waits_for_a_late_reply(lab, open_phone, address):
    phone = open_phone()
    signed_up(lab, phone, address)
    lab.arm("late-reply", REFRESH, by="300ms")
    begin = time.monotonic()
    assert phone.auth.refresh_session().session
    assert time.monotonic() - begin >= 0.3, "the reply was late"
    fired(lab, 1)


@flow
def notices_that_its_session_was_revoked(lab, open_phone, address):
    phone = open_phone()
    signed_up(lab, phone, address)
    lab.arm("revoke-session", "/user")
    refused(phone.auth.get_user, "AuthApiError", 403, "session_not_found")
    fired(lab, 1)
    refused(phone.auth.refresh_session, "AuthApiError", 400, "refresh_token_not_found")
    age(phone)
    cold = open_phone(phone, auto_refresh=True)
    cold.auth.initialize()
    equal((cold.stored(), cold.take_events()), (None, []), "a cold start")
    assert sign_in(cold, address)


@flow
def notices_that_its_user_is_gone(lab, open_phone, address):
    phone = open_phone()
    signed_up(lab, phone, address)
    lab.arm("delete-user", "/user")
    refused(phone.auth.get_user, "AuthApiError", 403, "user_not_found")
    fired(lab, 1)


@flow
def notices_a_factor_that_was_added_elsewhere(lab, open_phone, address):
    phone = open_phone()
    signed_up(lab, phone, address)
    lab.arm("add-factor", "/user", method="GET")
    equal(len(phone.auth.mfa.list_factors().totp), 1, "factors")
    fired(lab, 1)
    wish = {"password": "a new password"}
    refused(lambda: phone.auth.update_user(wish), "AuthApiError", 401, "insufficient_aal")


@flow
def refuses_a_code_from_another_place(lab, open_phone, address):
    phone = open_phone()
    factor, secret = with_factor(lab, phone, address)
    lab.arm("change-address", f"/factors/{factor}/verify", address="10.0.0.9")
    code = {"factor_id": factor, "code": totp(secret)}
    verify = phone.auth.mfa.challenge_and_verify
    refused(lambda: verify(code), "AuthApiError", 422, "mfa_ip_address_mismatch")
    fired(lab, 1)


@flow
def keeps_its_session_when_it_is_killed(lab, open_phone, address):
    """Killed in the middle of refreshes, again and again: the next start is signed in."""
    phone = open_phone()
    signed_up(lab, phone, address)
    chance = random.Random(5)
    for round_number in range(10):
        child = subprocess.Popen(
            [sys.executable, __file__, lab.url, phone.storage.folder],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(chance.randint(1, 4)):
            assert child.stdout.readline() == "refreshed\n", f"round {round_number}"
        time.sleep(chance.random() * 0.01)
        os.kill(child.pid, signal.SIGKILL)
        child.communicate()
        cold = open_phone(phone)
        cold.auth.initialize()
        equal(cold.take_events(), ["SIGNED_IN"], f"round {round_number} (seed 5)")
        equal(cold.auth.refresh_session().user.email, address, f"round {round_number} (seed 5)")


def refresh_for_ever(url, folder):
    from phone import Phone

    phone = Phone(url, folder)
    while True:
        phone.auth.refresh_session()
        print("refreshed", flush=True)


if __name__ == "__main__":
    refresh_for_ever(*sys.argv[1:])
