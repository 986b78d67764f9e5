import Testing

@testable import BrokerCore

private let path = "/etc/extensiond/policy.d/a.policy"

private func read(_ text: String, distrust: String? = nil) -> PolicyFile {
  PolicyFile(Array(text.utf8), path: path, distrust: distrust)
}

private func match(_ change: (inout PolicyRule.Match) -> Void) -> PolicyRule.Match {
  var match = PolicyRule.Match()
  change(&match)
  return match
}

@Test func `a policy file is sections of what they are about and what they do`() {
  let file = read(
    """
    # A comment
    [Block]
    Identifier=com.example.toolbar.*  org.bad.Thing
    Path=/opt/old things/*

    [Approve]
      Publisher = SHA256:abc
    Entitlement=network-client gpu
    ; another one
    [Restrict]
    Point=org.example.Editor.greeting
    ForbidEntitlement=none
    RequireSignature=yes
    RequireVerifiedHost=no
    ForbidDevelopment=yes
    AllowNoSandbox=yes
    MemoryMax=512M
    ProcessesMax=20
    CPUWeightMax=50
    OpenFilesMax=1K
    FileSizeMax=2G
    """)
  var restrictions = PolicyRule.Restrictions()
  restrictions.forbiddenEntitlements = ["none"]
  restrictions.requiresSignature = true
  restrictions.forbidsDevelopment = true
  restrictions.allowsNoSandbox = true
  restrictions.bounds = ResourceBounds(
    memory: 512 << 20, processes: 20, cpuWeight: 50, openFiles: 1024, fileSize: 2 << 30)
  #expect(
    file.rules == [
      PolicyRule(
        .block,
        match: match {
          $0.identifiers = ["com.example.toolbar.*", "org.bad.Thing"]
          $0.paths = ["/opt/old things/*"]
        }, source: path + ":2"),
      PolicyRule(
        .approve(entitlements: ["network-client", "gpu"]), match: match { $0.publishers = ["SHA256:abc"] },
        source: path + ":6"),
      PolicyRule(
        .restrict(restrictions), match: match { $0.points = ["org.example.Editor.greeting"] },
        source: path + ":10"),
    ])
  #expect(file.problems.isEmpty)
}

@Test(arguments: [
  // The line that is wrong, and the column and a part of what is said of it.
  ("Identifer=x", 1, "no key Identifer"), ("  MemoryMax=1", 3, "[Block] has no key MemoryMax"),
  ("no sense", 1, "no '='"), ("Identifier=", 1, "has no value"), ("Entitlement=gpu", 1, "no key Entitlement"),
])
func `a section with a line that is wrong blocks what it names, and the others work`(
  line: String, column: Int, message: String
) throws {
  let file = read("[Block]\nIdentifier=org.bad.*\n\(line)\n[Approve]\nPublisher=SHA256:abc\n")
  let problem = try #require(file.problems.first)
  #expect(problem.hasPrefix("\(path):3:\(column): ") && problem.contains(message), "\(problem)")
  #expect(file.rules.map(\.action) == [.broken, .approve(entitlements: [])])
  #expect(file.rules.first?.match.identifiers == ["org.bad.*"])
}

@Test(arguments: [
  "MemoryMax=lots", "MemoryMax=0", "MemoryMax=-1", "MemoryMax=9999999T", "MemoryMax=M", "MemoryMax=1MB",
  "CPUWeightMax=10001", "OpenFilesMax=2000000", "RequireSignature=maybe", "RequireSignature=YES",
  "ForbidEntitlement=\u{1}", "Path=\u{7f}",
])
func `a value that cannot be is reported and the rule blocks`(line: String) {
  let file = read("[Restrict]\n\(line)")
  #expect(file.problems.count == 1 && file.problems[0].hasPrefix("\(path):2:1: "))
  #expect(file.rules.map(\.action) == [.broken])
}

@Test func `an unknown section blocks what it names`() {
  let file = read("[Alow]\nIdentifier=org.example.A\n")
  #expect(file.problems.count == 1 && file.rules.map(\.action) == [.broken])
}

@Test func `what stands before the first section is reported and names nothing`() {
  let file = read("Identifier=org.example.A\n")
  #expect(file.problems.count == 1 && file.rules.isEmpty)
}

@Test func `a file that is not root's blocks what it names`() {
  let file = read("[Approve]\nIdentifier=org.example.A\n", distrust: "it is not root's")
  #expect(file.problems == ["\(path):1:1: it is not root's"])
  #expect(file.rules.map(\.action) == [.broken])
}

@Test func `a file of rubbish is told about a few times and not a million`() {
  let file = PolicyFile(Array(repeating: [0xFF, 10], count: 10_000).flatMap(\.self), path: path)
  #expect(file.problems.count == 20)
}
