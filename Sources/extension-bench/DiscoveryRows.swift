import CBench
import ExtensionInterfaces
import LinuxSystem
import Varlink

// How fast a broker knows what is there. Everything lies in the page cache.

extension Bench {
  /// The broker reads bundles in one thread, and so does the floor.
  private static let readingThreads: Int32 = 1
  private static let many = 10_000

  func discoveryCold() throws -> Row {
    var row = Row(id: "discovery.cold10k", unit: "ms")
    row.goals = [.floor(1.5)]
    var processor: [Double] = []
    let (place, root) = try manyBundles()
    for round in 0..<8 {
      let floor = unsafe cbench_walk(root, 1, Self.readingThreads)
      try? File.removeTree(place + "/home/.cache")
      let ours = try timeToList(place)
      guard round > 0 else { continue }
      row.floor.append(Double(floor) / 1e6)
      row.samples.append(ours.passed)
      processor.append(ours.processor)
    }
    row.note =
      "processor time: \(Self.median(processor)), the floor's is all that passes. \(Self.many) bundles of 32 KiB, from the broker's start to the whole list; floor: walk, read and SHA-256 in C, one thread"
    return row
  }

  func discoveryWarm() throws -> Row {
    var row = Row(id: "discovery.warm10k", unit: "ms")
    row.goals = [.floor(0.9)]
    var processor: [Double] = []
    let (place, root) = try manyBundles()
    // What changed right before it was read is read once more.
    CurrentProcess.pause(milliseconds: 100)
    _ = try timeToList(place)
    for round in 0..<11 {
      let floor = unsafe cbench_walk(root, 0, Self.readingThreads)
      let ours = try timeToList(place)
      guard round > 0 else { continue }
      row.floor.append(Double(floor) / 1e6)
      row.samples.append(ours.passed)
      processor.append(ours.processor)
    }
    row.note =
      "processor time: \(Self.median(processor)), the floor's is all that passes. The same with the cache of the run before; floor: walk and lstat in C, one thread"
    return row
  }

  /// Made once for all rows.
  private func manyBundles() throws -> (place: String, root: String) {
    let place = place + "/many"
    let isThere = File.exists(place)
    let root = try BenchBroker.prepare(place)
    if !isThere {
      for number in 0..<Self.many { try addRealBundle("Extension\(number)", number: number, in: root) }
    }
    return (place, root)
  }

  private static func median(_ samples: [Double]) -> String {
    "\(Int(Row.percentile(samples, 0.5).rounded())) ms"
  }

  /// Milliseconds from a broker's start until its whole list has come, and how long its threads have run in these. Nothing
  /// of the list is looked at meanwhile.
  private func timeToList(_ place: String) throws -> (passed: Double, processor: Double) {
    let start = MonotonicTime.now.nanoseconds
    let broker = try BenchBroker(programs: programs, place: place)
    defer { broker.end() }
    try broker.waitUntilReachable()
    let admin = try broker.admin()
    try admin.send(AdminInterface.List().call())
    var list: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while list.last != 0 {
      let got = try Socket.receive(into: &buffer, from: admin.socket.rawValue, nonBlocking: false)
      guard got.count > 0 else { throw Failure(description: "the list broke off after \(list.count) bytes") }
      list += buffer[..<got.count]
    }
    let time = Double(MonotonicTime.now.nanoseconds - start) / 1e6
    let processor = Double(broker.runNanoseconds) / 1e6
    let rows = try VarlinkReply(decoding: list.dropLast()).parameters["extensions"]
    guard case .array(let rows) = rows, rows.count == Self.many else {
      throw Failure(description: "the list does not have all bundles")
    }
    return (time, processor)
  }

  /// About as large as a small extension is: a property list as Xcode writes it, a program, an image, a translation.
  private func addRealBundle(_ name: String, number: Int, in root: String) throws {
    let bundle = "\(root)/\(name).appex"
    let text = [
      "CFBundleDevelopmentRegion": "en", "CFBundleDisplayName": "Extension number \(number)",
      "CFBundleExecutable": name, "CFBundleIdentifier": "com.example.host\(number % 97).extension\(number)",
      "CFBundleInfoDictionaryVersion": "6.0", "CFBundleName": name, "CFBundlePackageType": "XPC!",
      "CFBundleShortVersionString": "1.2.3", "CFBundleVersion": "\(number)",
    ]
    let lines = text.sorted { $0.key < $1.key }.map {
      "\t<key>\($0.key)</key>\n\t<string>\($0.value)</string>\n"
    }
    try write(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \(lines.joined())\t<key>EXAppExtensionAttributes</key>
      \t<dict>
      \t\t<key>EXExtensionPointIdentifier</key>
      \t\t<string>com.example.host\(number % 97).Greeting</string>
      \t</dict>
      </dict>
      </plist>

      """, to: bundle + "/Info.plist")
    try write(
      "\"CFBundleDisplayName\" = \"Erweiterung Nummer \(number)\";\n",
      to: bundle + "/de.lproj/InfoPlist.strings")
    try write(
      "<svg>\(String(repeating: "<path d='M 0 0 L \(number) 1'/>", count: 200))</svg>",
      to: bundle + "/icon.svg")
    let program = Array("#!/bin/sh\nexit \(number % 2)\n".utf8) + Self.filling
    try File.open(bundle + "/" + name, [.writeOnly, .create], mode: 0o755).write(all: program)
  }

  private static let filling = (0..<(25 << 10)).map {
    UInt8(truncatingIfNeeded: 32 + ($0 &* 2_654_435_761 >> 9) % 90)
  }

  // MARK: One more

  func discoveryIncrement() throws -> Row {
    var row = Row(id: "discovery.increment", unit: "ms")
    row.goals = [.value(1)]
    var parts: [String] = []
    for (name, count) in [("1k", 1000), ("10k", 10_000), ("50k", 50_000)] {
      row.samples = try increments(among: count, in: "\(place)/among\(name)")
      parts.append("among \(name): \((row.p50 * 100).rounded() / 100)")
    }
    row.note =
      "the broker's processor time for one bundle more, to a monitor's event; the samples are those among 50k; "
      + parts.joined(separator: ", ") + "; to be the same for all"
    return row
  }

  private func increments(among count: Int, in place: String) throws -> [Double] {
    let root = try BenchBroker.prepare(place)
    let program = Array("#!/bin/sh\nexit 0\n".utf8)
    try addHost(in: root)
    for number in 0..<count {
      try addBundle("B\(number)", "io.extensiond.bench.b\(number)", program: program, in: root)
    }
    let broker = try BenchBroker(programs: programs, place: place)
    defer { broker.end() }
    try broker.waitUntilReachable()
    let host = try broker.host()
    _ = try host.call(
      BrokerInterface.Subscribe(extensionPoints: [Self.point]), more: true, timeout: .seconds(300))
    try File.makeDirectories(place + "/made")
    var times: [Double] = []
    for number in 0..<25 {
      try addBundle("N\(number)", "io.extensiond.bench.n\(number)", program: program, in: place + "/made")
      waitUntilStill(broker)
      let before = broker.runNanoseconds
      try File.rename("\(place)/made/N\(number).appex", to: "\(root)/N\(number).appex")
      let reply = try host.next(BrokerInterface.Subscribe.self, timeout: .seconds(60)).reply
      guard reply.change?.unapprovedCount == count + number + 1 else {
        throw Failure(description: "the monitor heard of something else")
      }
      // What it does after the event counts as well.
      waitUntilStill(broker)
      if number >= 5 { times.append(Double(broker.runNanoseconds - before) / 1e6) }
    }
    return times
  }

  func waitUntilStill(_ broker: BenchBroker) {
    var last: UInt64 = 0
    while case let now = broker.runNanoseconds, now != last {
      last = now
      CurrentProcess.pause(milliseconds: 50)
    }
  }
}
