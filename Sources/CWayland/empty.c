// The target has generated code only; SwiftPM wants a file of its own.
