import BrokerDaemon

BrokerProgram.run(arguments: Array(CommandLine.arguments.dropFirst()))
