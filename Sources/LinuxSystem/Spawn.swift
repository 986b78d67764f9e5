internal import CLinux

/// Starting a program. Always with empty signal mask and default dispositions, and with its own session unless
/// `standsIn`.
package struct Spawn {
  package var path: String
  package var arguments: [String]
  /// Exactly these variables, as NAME=value.
  package var environment: [String]
  /// The element at index i becomes descriptor i. Nothing else is inherited.
  package var descriptors: [SharedDescriptor]
  /// A cgroup v2 directory to start in.
  package var controlGroup: SharedDescriptor?
  /// The program stands in for this one before whoever started this one: same session, same mask of file modes, and also
  /// the descriptors that this process was given and does not know. It gets SIGTERM when this thread ends.
  package var standsIn = false

  package init(
    path: String, arguments: [String], environment: [String], descriptors: [SharedDescriptor],
    controlGroup: SharedDescriptor? = nil
  ) {
    self.path = path
    self.arguments = arguments
    self.environment = environment
    self.descriptors = descriptors
    self.controlGroup = controlGroup
  }

  /// How far it came.
  package enum Stage: String, Sendable {
    case pipe, clone, session, descriptors, exec
  }

  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package let stage: Stage
    package let errno: Errno

    package var description: String { "\(errno) (\(stage.rawValue))" }
  }

  package struct Child: ~Copyable {
    package let processID: Int32
    package let process: ProcessDescriptor

    package consuming func takeProcess() -> ProcessDescriptor { process }
  }

  /// Starts the program and returns after the exec.
  package func run() throws(Failure) -> Child {
    let stages: [Stage] = [.pipe, .clone, .session, .descriptors, .exec]
    let numbers = descriptors.map(\.rawValue)
    var pidfd: CInt = -1
    var stage: CInt = 0
    let argv = unsafe ([path] + arguments).map { unsafe UnsafePointer(strdup($0)) } + [nil]
    let envp = unsafe environment.map { unsafe UnsafePointer(strdup($0)) } + [nil]
    defer {
      unsafe (argv + envp).forEach { unsafe free(UnsafeMutableRawPointer(mutating: $0)) }
    }
    let result = unsafe argv.withUnsafeBufferPointer { argv in
      unsafe envp.withUnsafeBufferPointer { envp in
        unsafe numbers.withUnsafeBufferPointer { numbers -> CInt in
          guard let path = unsafe argv.baseAddress?[0], let argv = argv.baseAddress,
            let envp = envp.baseAddress, let numbers0 = numbers.baseAddress
          else { return -EINVAL }
          var request = unsafe clinux_spawn(
            path: path, argv: argv, envp: envp, descriptors: numbers0,
            descriptor_count: CInt(numbers.count), cgroup: controlGroup?.rawValue ?? -1,
            stands_in: standsIn)
          return unsafe clinux_spawn(&request, &pidfd, &stage)
        }
      }
    }
    withExtendedLifetime(descriptors) {}
    guard result > 0 else {
      throw Failure(
        stage: stages.indices.contains(Int(stage)) ? stages[Int(stage)] : .exec,
        errno: Errno(rawValue: -result))
    }
    return Child(processID: result, process: ProcessDescriptor(FileDescriptor(owning: pidfd)))
  }
}
