import Foundation
import Machine
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A run loop for a synchronous main` {
  private actor Counter {
    var value = 0

    func add(_ number: Int) async {
      await Task.yield()
      value += number
    }
  }

  @Test func `runs work to its end and gives its result`() {
    #expect(MainExecutor().run { 7 } == 7)
  }

  @Test func `runs child tasks, actors and yields on the one thread`() {
    let result = MainExecutor().run { () async -> (Int, Bool) in
      let counter = Counter()
      let thread = pthread_self()
      let stays = await withTaskGroup(of: Bool.self) { group in
        for number in 1...10 {
          group.addTask {
            await counter.add(number)
            return pthread_equal(pthread_self(), thread) != 0
          }
        }
        return await group.reduce(true) { $0 && $1 }
      }
      return (await counter.value, stays)
    }
    #expect(result.0 == 55)
    #expect(result.1)
  }

  @Test func `can be used again`() {
    let executor = MainExecutor()
    #expect(executor.run { 1 } + executor.run { 2 } == 3)
  }

  @Test func `traps when nothing is left to run`() async {
    await #expect(processExitsWith: .failure) {
      MainExecutor().run {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        for await _ in stream {}
        continuation.finish()
      }
    }
  }
}
