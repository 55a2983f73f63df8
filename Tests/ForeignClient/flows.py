"""What an app does with the vendor's client while all is well."""

import hashlib
import json

import httpx
from checks import equal, flow, refused, sequel
from phone import KEY, totp

PASSWORD = "correct horse battery"


def signed_up(lab, phone, address, password=PASSWORD):
    """Signs up and confirms with the mailed code."""
    phone.auth.sign_up({"email": address, "password": password})
    reply = phone.auth.verify_otp(
        {"email": address, "token": lab.mail(address)["code"], "type": "signup"}
    )
    assert reply.session, "a confirmed account is signed in"
    phone.take_events()
    return reply.session


def with_factor(lab, phone, address):
    """Signs up, and has a verified factor; gives its id and secret."""
    signed_up(lab, phone, address)
    factor = phone.auth.mfa.enroll(
        {"factor_type": "totp", "friendly_name": "phone", "issuer": "Lab"}
    )
    phone.auth.mfa.challenge_and_verify({"factor_id": factor.id, "code": totp(factor.totp.secret)})
    phone.take_events()
    return factor.id, factor.totp.secret


def sign_in(phone, address, password=PASSWORD):
    return phone.auth.sign_in_with_password({"email": address, "password": password}).session


@flow
def signs_up_and_confirms(lab, open_phone, address):
    phone = open_phone()
    reply = phone.auth.sign_up(
        {"email": address, "password": PASSWORD, "options": {"data": {"name": "Zoë 🙂"}}}
    )
    equal(
        (reply.session, phone.stored(), phone.take_events()), (None, None, []), "not confirmed yet"
    )
    equal(reply.user.email, address, "the user's address")
    equal(len(reply.user.identities), 1, "identities of a new account")
    refused(lambda: sign_in(phone, address), "AuthApiError", 400, "email_not_confirmed")
    mail = lab.mail(address)
    equal(len(mail["code"]), 6, "digits of a code")
    wrong = "000000" if mail["code"] != "000000" else "111111"
    guess = {"email": address, "token": wrong, "type": "signup"}
    refused(lambda: phone.auth.verify_otp(guess), "AuthApiError", 403, "otp_expired")
    session = phone.auth.verify_otp({**guess, "token": mail["code"]}).session
    equal(phone.take_events(), ["SIGNED_IN"], "events")
    equal(json.loads(phone.stored())["refresh_token"], session.refresh_token, "what is stored")
    equal(session.user.user_metadata["name"], "Zoë 🙂", "metadata")
    equal(session.expires_in, 3600, "lifetime")
    again = {**guess, "token": mail["code"]}
    refused(lambda: phone.auth.verify_otp(again), "AuthApiError", 403, "otp_expired")


@flow
def hides_that_an_account_exists(lab, open_phone, address):
    signed_up(lab, open_phone(), address)
    reply = open_phone().auth.sign_up({"email": address, "password": "another password"})
    equal((reply.session, reply.user.identities), (None, []), "a made-up user")
    refused(
        lambda: sign_in(open_phone(), address, "another password"),
        "AuthApiError",
        400,
        "invalid_credentials",
    )
    phone = open_phone()
    phone.auth.resend({"type": "signup", "email": address})
    phone.auth.reset_password_for_email("nobody-" + address)


@flow
def signs_in_and_starts_cold(lab, open_phone, address):
    phone = open_phone()
    signed_up(lab, phone, address)
    phone.auth.sign_out({"scope": "local"})
    equal((phone.stored(), phone.take_events()), (None, ["SIGNED_OUT"]), "after a sign-out")
    refused(lambda: sign_in(phone, address, "wrong"), "AuthApiError", 400, "invalid_credentials")
    session = sign_in(phone, address)
    cold = open_phone(phone)
    cold.auth.initialize()
    equal(cold.take_events(), ["SIGNED_IN"], "a cold start")
    equal(cold.auth.get_session().access_token, session.access_token, "the session")
    equal(cold.auth.get_user().user.email, address, "the user")
    equal(cold.auth.get_claims()["claims"]["aal"], "aal1", "the level")


@flow
def refreshes(lab, open_phone, address):
    phone = open_phone()
    tokens = [signed_up(lab, phone, address).refresh_token]
    for _ in range(3):
        tokens.append(phone.auth.refresh_session().session.refresh_token)
    equal(len(set(tokens)), 4, "each refresh rotates")
    equal(phone.take_events(), ["TOKEN_REFRESHED"] * 3, "events")
    equal(json.loads(phone.stored())["refresh_token"], tokens[-1], "what is stored")
    equal(phone.auth.refresh_session(tokens[-2]).session.refresh_token, tokens[-1], "the parent")
    access = phone.auth.get_session().access_token
    equal(phone.auth.set_session(access, tokens[-1]).user.email, address, "set_session")
    refused(
        lambda: phone.auth.refresh_session("nosuchtoken1"),
        "AuthApiError",
        400,
        "refresh_token_not_found",
    )


@flow
def resets_with_a_typed_code(lab, open_phone, address):
    phone, other = open_phone(), open_phone()
    signed_up(lab, phone, address)
    sign_in(other, address)
    phone.auth.sign_out({"scope": "local"})
    phone.auth.reset_password_for_email(address)
    phone.auth.verify_otp(
        {"email": address, "token": lab.mail(address)["code"], "type": "recovery"}
    )
    refused(
        lambda: phone.auth.update_user({"password": PASSWORD}), "AuthApiError", 422, "same_password"
    )
    weak = refused(
        lambda: phone.auth.update_user({"password": "short"}), "AuthWeakPasswordError", 422
    )
    equal(weak.reasons, ["length"], "reasons")
    refused(
        lambda: phone.auth.update_user({"password": "a" * 73}),
        "AuthApiError",
        400,
        "validation_failed",
    )
    phone.take_events()
    phone.auth.update_user({"password": "a new password"})
    equal(phone.take_events(), ["USER_UPDATED"], "events")
    refused(lambda: other.auth.get_user(), "AuthApiError", 403, "session_not_found")
    refused(lambda: sign_in(other, address), "AuthApiError", 400, "invalid_credentials")
    assert sign_in(other, address, "a new password")


@flow
def resets_with_a_link(lab, open_phone, address):
    phone = open_phone(flow_type="pkce")
    back = "mkkit://auth/callback"
    wish = {"email_redirect_to": back}
    phone.auth.sign_up({"email": address, "password": PASSWORD, "options": wish})
    arrived = lab.browse(lab.mail(address)["link"])
    assert str(arrived).startswith(back), str(arrived)
    phone.auth.exchange_code_for_session({"auth_code": arrived.params["code"]})
    equal(phone.take_events(), ["SIGNED_IN"], "a mailed confirmation")
    phone.auth.sign_out({"scope": "local"})
    phone.take_events()
    phone.auth.reset_password_for_email(address, {"redirect_to": back})
    assert phone.storage.get_item(f"{KEY}-code-verifier").endswith("/PASSWORD_RECOVERY")
    arrived = lab.browse(lab.mail(address)["link"])
    # The template of that mail has a fixed target.
    equal(arrived.host, "localhost", "where a reset leads")
    phone.auth.exchange_code_for_session({"auth_code": arrived.params["code"]})
    equal(phone.take_events(), ["PASSWORD_RECOVERY"], "a mailed reset")
    equal(phone.storage.get_item(f"{KEY}-code-verifier"), None, "the verifier")
    phone.auth.update_user({"password": "a new password"})


@flow
def signs_in_with_a_mailed_code(lab, open_phone, address):
    phone = open_phone()
    stranger = {"email": address, "options": {"should_create_user": False}}
    refused(lambda: phone.auth.sign_in_with_otp(stranger), "AuthApiError", 422, "otp_disabled")
    signed_up(lab, phone, address)
    phone.auth.sign_in_with_otp({"email": address})
    again = {"email": address, "token": lab.mail(address)["code"], "type": "email"}
    equal(phone.auth.verify_otp(again).user.email, address, "the user")
    phone.auth.reauthenticate()
    equal(lab.mail(address)["kind"], "reauthentication", "the mail")


@flow
def enrols_and_verifies_a_factor(lab, open_phone, address):
    phone, other = open_phone(), open_phone()
    signed_up(lab, phone, address)
    sign_in(other, address)
    mfa = phone.auth.mfa
    factor = mfa.enroll({"factor_type": "totp", "friendly_name": "phone", "issuer": "Lab"})
    assert factor.totp.qr_code.startswith("data:image/svg+xml;utf-8,<"), "a picture"
    uri = httpx.URL(factor.totp.uri)
    equal(
        (uri.scheme, uri.params["secret"], uri.params["issuer"]),
        ("otpauth", factor.totp.secret, "Lab"),
        "the address of the factor",
    )
    twice = {"factor_type": "totp", "friendly_name": "phone", "issuer": "Lab"}
    refused(lambda: mfa.enroll(twice), "AuthApiError", 422, "mfa_factor_name_conflict")
    listed = mfa.list_factors()
    equal((len(listed.all), len(listed.totp)), (1, 0), "before it is verified")
    challenge = mfa.challenge({"factor_id": factor.id})
    code = totp(factor.totp.secret)
    wrong = {
        "factor_id": factor.id,
        "challenge_id": challenge.id,
        "code": str(10**6 - 1 - int(code)).zfill(6),
    }
    refused(lambda: mfa.verify(wrong), "AuthApiError", 422, "mfa_verification_failed")
    phone.take_events()
    mfa.challenge_and_verify({"factor_id": factor.id, "code": totp(factor.totp.secret)})
    equal(phone.take_events(), ["MFA_CHALLENGE_VERIFIED"], "events")
    level = mfa.get_authenticator_assurance_level()
    equal((level.current_level, level.next_level), ("aal2", "aal2"), "levels")
    equal(
        sorted(entry.method for entry in level.current_authentication_methods),
        ["otp", "totp"],
        "methods",
    )
    # Sessions below aal2 are gone.
    refused(lambda: other.auth.get_user(), "AuthApiError", 403, "session_not_found")
    sign_in(other, address)
    level = other.auth.mfa.get_authenticator_assurance_level()
    equal((level.current_level, level.next_level), ("aal1", "aal2"), "levels of a new session")
    refused(
        lambda: other.auth.update_user({"password": "a new password"}),
        "AuthApiError",
        401,
        "insufficient_aal",
    )
    refused(
        lambda: other.auth.mfa.unenroll({"factor_id": factor.id}),
        "AuthApiError",
        422,
        "insufficient_aal",
    )
    other.auth.mfa.challenge_and_verify({"factor_id": factor.id, "code": totp(factor.totp.secret)})
    equal(other.auth.mfa.unenroll({"factor_id": factor.id}).id, factor.id, "unenrolled")
    equal(other.auth.mfa.list_factors().all, [], "no factor is left")


@flow
def exchanges_a_code_for_a_session(lab, open_phone, address):
    phone = open_phone(flow_type="pkce")
    back = "mkkit://auth/callback"

    def start():
        url = phone.auth.sign_in_with_oauth(
            {
                "provider": "google",
                "options": {"redirect_to": back, "query_params": {"email": address}},
            }
        ).url
        return lab.browse(url)

    arrived = start()
    assert str(arrived).startswith(back), str(arrived)
    code = {"auth_code": arrived.params["code"]}
    stranger = {**code, "code_verifier": "x" * 64}
    refused(
        lambda: phone.auth.exchange_code_for_session(stranger),
        "AuthApiError",
        400,
        "bad_code_verifier",
    )
    equal(phone.auth.exchange_code_for_session(code).user.email, address, "the user")
    equal(phone.take_events(), ["SIGNED_IN"], "events")
    once = {**code, "code_verifier": "x" * 64}
    refused(
        lambda: phone.auth.exchange_code_for_session(once),
        "AuthApiError",
        404,
        "flow_state_not_found",
    )
    refusal = lab.browse(
        phone.auth.sign_in_with_oauth(
            {
                "provider": "google",
                "options": {"redirect_to": back, "query_params": {"outcome": "refusal"}},
            }
        ).url
    )
    equal(refusal.params["error"], "access_denied", "a person who says no")
    website = lab.browse(
        phone.auth.sign_in_with_oauth(
            {"provider": "google", "options": {"redirect_to": "evil://auth/callback"}}
        ).url
    )
    equal(website.host, "localhost", "where a target that is not listed leads")


@flow
def signs_in_with_an_identity_token(lab, open_phone, address):
    phone = open_phone()
    nonce = "a nonce of the app"

    def token(value):
        wish = {"provider": "apple", "email": address, "nonce": value}
        return lab.http.post("/lab/identity-token", json=wish).raise_for_status().json()["id_token"]

    good = token(hashlib.sha256(nonce.encode()).hexdigest())
    reply = phone.auth.sign_in_with_id_token({"provider": "apple", "token": good, "nonce": nonce})
    equal(reply.user.email, address, "the user")
    wrong = {"provider": "apple", "token": good, "nonce": "another"}
    refused(lambda: phone.auth.sign_in_with_id_token(wrong), "AuthApiError", 400)
    without = {"provider": "apple", "token": good}
    refused(lambda: phone.auth.sign_in_with_id_token(without), "AuthApiError", 400)


@flow
def signs_out_here_there_and_everywhere(lab, open_phone, address):
    phones = [open_phone() for _ in range(4)]
    signed_up(lab, phones[0], address)
    for phone in phones[1:]:
        sign_in(phone, address)
    phones[0].auth.sign_out({"scope": "local"})
    equal(phones[0].stored(), None, "signed out here")
    assert phones[1].auth.get_user()
    phones[1].auth.sign_out({"scope": "others"})
    assert phones[1].stored() and phones[1].auth.get_user()
    refused(lambda: phones[2].auth.get_user(), "AuthApiError", 403, "session_not_found")
    refused(
        lambda: phones[2].auth.refresh_session(), "AuthApiError", 400, "refresh_token_not_found"
    )
    sign_in(phones[3], address)
    phones[1].auth.sign_out()
    refused(lambda: phones[3].auth.get_user(), "AuthApiError", 403, "session_not_found")
    # The session is gone, which is what was wanted.
    phones[3].auth.sign_out()
    equal(phones[3].stored(), None, "signed out everywhere")


@sequel
def is_still_signed_in(lab, open_phone, address):
    """The phone of the first flow of the run before, with another process of the server."""
    phone = open_phone()
    phone.auth.initialize()
    equal(phone.take_events(), ["SIGNED_IN"], "events")
    before = phone.auth.get_session()
    after = phone.auth.refresh_session().session
    equal(after.user.id, before.user.id, "the user")
    assert after.refresh_token != before.refresh_token, "rotated"
