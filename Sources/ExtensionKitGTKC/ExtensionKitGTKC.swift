// One object for programs that know nothing of Swift. What it offers is extensionkit-gtk4.h.
internal import SceneCompositorC
