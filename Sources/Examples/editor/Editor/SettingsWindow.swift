import CGTK

@MainActor
enum SettingsWindow {
  static func present(over: Widget) {}
}
