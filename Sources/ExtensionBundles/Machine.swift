/// What a program was built for: `e_machine` of an ELF file.
public struct Machine: Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let x86_64 = Machine(rawValue: 62)
  public static let aarch64 = Machine(rawValue: 183)
  public static let riscv = Machine(rawValue: 243)

  /// What this program was built for.
  public static var current: Machine {
    #if arch(x86_64)
      .x86_64
    #elseif arch(arm64)
      .aarch64
    #elseif arch(riscv64)
      .riscv
    #else
      #error("add this machine's number from elf.h")
    #endif
  }

  public var description: String {
    let names: [UInt16: String] = [
      3: "i386", 8: "mips", 20: "powerpc", 21: "powerpc64", 22: "s390x", 40: "arm", 62: "x86_64",
      183: "aarch64",
      243: "riscv", 258: "loongarch",
    ]
    return names[rawValue] ?? "machine \(rawValue)"
  }
}

/// What a file is to the kernel that is asked to run it.
enum ProgramFormat: Equatable {
  case script
  case elf(Machine)
  case other

  static let headerSize = 20

  init(header: [UInt8]) {
    if header.starts(with: [0x23, 0x21]) {
      self = .script
    } else if header.starts(with: [0x7F, 0x45, 0x4C, 0x46]), header.count >= Self.headerSize {
      // EI_DATA: 1 little, 2 big end first.
      let (first, second) = (UInt16(header[18]), UInt16(header[19]))
      self = .elf(Machine(rawValue: header[5] == 2 ? first << 8 | second : second << 8 | first))
    } else {
      self = .other
    }
  }
}
