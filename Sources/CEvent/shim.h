#pragma once
/* First: libevent's headers define `_GNU_SOURCE`, which would give Glibc's types other shapes than in
   Swift's module; by then Glibc has decided. */
#include <features.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
/// `POLLRDHUP` of `poll(2)`, which Glibc's module shows to GNU sources only.
static const short cevent_peer_has_closed = 0x2000;
