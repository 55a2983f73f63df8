"""What the vendor's client needs around it: a store in a folder, mail and faults, TOTP."""

import base64
import contextlib
import hashlib
import hmac
import os
import time

import httpx
from supabase_auth import SyncGoTrueClient, SyncSupportedStorage

KEY = "sb-demo-auth-token"


class FolderStorage(SyncSupportedStorage):
    """One file an item, replaced whole: written beside it, synced, renamed."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def path(self, key):
        return os.path.join(self.folder, key)

    def get_item(self, key):
        try:
            with open(self.path(key), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def set_item(self, key, value):
        beside = self.path(key) + ".new"
        with open(beside, "w", encoding="utf-8") as file:
            file.write(value)
            file.flush()
            os.fsync(file.fileno())
        os.rename(beside, self.path(key))

    def remove_item(self, key):
        try:
            os.remove(self.path(key))
        except FileNotFoundError:
            pass


class Phone:
    """One installation of the app: a client, its storage, and the events that it was told of."""

    def __init__(self, url, folder, flow_type="implicit", auto_refresh=False):
        self.storage = FolderStorage(folder)
        self.events = []
        self.auth = SyncGoTrueClient(
            url=f"{url}/auth/v1",
            headers={"apikey": "public"},
            storage_key=KEY,
            storage=self.storage,
            # Without it, each refresh is one that a flow asks for.
            auto_refresh_token=auto_refresh,
            flow_type=flow_type,
        )
        self.auth.on_auth_state_change(lambda event, session: self.events.append(event))

    def stored(self):
        return self.storage.get_item(KEY)

    def take_events(self):
        taken, self.events = self.events, []
        return taken


class Lab:
    """The server's side of the lab: the outbox, the faults, a browser."""

    def __init__(self, url):
        self.url = url
        self.http = httpx.Client(base_url=url)

    def mail(self, address):
        """The last mail to an address."""
        return self.http.get("/lab/outbox", params={"to": address}).raise_for_status().json()[-1]

    def arm(self, fault, path, **more):
        self.http.post(
            "/lab/faults", json={"fault": fault, "path": path, **more}
        ).raise_for_status()

    def take_fired(self):
        """How often each armed fault has fired; disarms all."""
        fired = [entry["fired"] for entry in self.http.get("/lab/faults").raise_for_status().json()]
        self.http.delete("/lab/faults").raise_for_status()
        return fired

    @contextlib.contextmanager
    def skewed(self, ms):
        """The server's clock is ahead for a while."""
        self.skew(ms)
        try:
            yield
        finally:
            self.skew(-ms)

    def skew(self, ms):
        self.http.post(
            "/lab/faults", json={"fault": "server-clock", "by": f"{ms}ms"}
        ).raise_for_status()

    def browse(self, url, **query):
        """Follows redirects as a browser does, up to one that leads away from the lab."""
        target = httpx.URL(url).copy_merge_params(query)
        while str(target).startswith(self.url):
            reply = self.http.get(target)
            assert reply.is_redirect, f"{reply.status_code} at {target.path}"
            target = httpx.URL(reply.headers["location"])
        return target


def totp(secret, now=None):
    """RFC 6238 with SHA-1, six digits, 30 seconds."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    step = int((time.time() if now is None else now) // 30).to_bytes(8, "big")
    digest = hmac.new(key, step, hashlib.sha1).digest()
    place = digest[-1] & 15
    number = int.from_bytes(digest[place : place + 4], "big") & 0x7FFFFFFF
    return f"{number % 1_000_000:06d}"
