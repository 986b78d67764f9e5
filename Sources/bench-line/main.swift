// The floor of extension.start: a Swift program that prints one line.
print("ready")
