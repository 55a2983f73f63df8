import Ports
import Simulation
import Testing

@Suite struct `The way to a server in virtual time` {
  private final class FixedService: HTTPService {
    let delivery: ServerReply.Delivery
    var requests: [HTTPRequest] = []

    init(_ delivery: ServerReply.Delivery) { self.delivery = delivery }

    func answer(_ request: HTTPRequest, from address: String) -> ServerReply {
      requests.append(request)
      return ServerReply(HTTPResponse(200, body: Array(address.utf8)), delivery)
    }
  }

  /// Time passes at once, and is counted.
  private final class CountingSleeper: Sleeper {
    var slept = Duration.zero
    var isGone = false

    func sleep(for duration: Duration) async throws(ProcessGone) {
      if isGone { throw ProcessGone() }
      slept += duration
    }
  }

  @Test func `delivers as the reply says`() async {
    let rows: [(ServerReply.Delivery, seconds: Int, arrives: Bool)] = [
      (.now, 0, true), (.after(.seconds(31)), 31, true), (.after(.seconds(60)), 60, false),
      (.never, 60, false), (.cut, 0, false),
    ]
    for row in rows {
      let (service, sleeper) = (FixedService(row.0), CountingSleeper())
      let transport = ServiceTransport(service, from: "10.1.1.1", sleeper: sleeper)
      do throws(NetworkError) {
        let response = try await transport.send(HTTPRequest("GET", "/x"))
        #expect(row.arrives && response.body == Array("10.1.1.1".utf8), "\(row)")
      } catch {
        #expect(!row.arrives && error.message == "Network request failed", "\(row)")
      }
      #expect(sleeper.slept == .seconds(row.seconds), "\(row)")
      #expect(service.requests == [HTTPRequest("GET", "/x")], "\(row)")
    }
  }

  @Test func `has nobody to answer when the process of the client is gone`() async {
    let sleeper = CountingSleeper()
    sleeper.isGone = true
    let transport = ServiceTransport(
      FixedService(.after(.seconds(1))), from: "10.1.1.1", sleeper: sleeper)
    await #expect(throws: NetworkError(message: "the process has ended")) {
      try await transport.send(HTTPRequest("GET", "/x"))
    }
  }
}

/// How a reply travels that somebody else is to deliver.
@Suite struct `The way of delivery as a header` {
  @Test(arguments: [ServerReply.Delivery.now, .never, .cut, .after(.milliseconds(31_500))])
  func `reads what it wrote`(delivery: ServerReply.Delivery) {
    #expect(ServerReply.Delivery(text: delivery.text) == delivery)
  }

  @Test func `takes no other word`() {
    #expect(ServerReply.Delivery(text: "soon") == nil)
  }
}
