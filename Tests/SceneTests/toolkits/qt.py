"""The widgets of test_toolkits.py in Qt 5 or 6, as the argument says, at the places that all its clients have."""
import sys

if sys.argv[1] == "6":
    from PyQt6.QtCore import QTimer
    from PyQt6.QtWidgets import QApplication, QComboBox, QDialog, QLineEdit, QPushButton, QWidget
else:
    from PyQt5.QtCore import QTimer
    from PyQt5.QtWidgets import QApplication, QComboBox, QDialog, QLineEdit, QPushButton, QWidget


def say(*words):
    print(*words, flush=True)


class Window(QWidget):
    def closeEvent(self, event):
        say("window closed")


def place(widget, *geometry):
    widget.setParent(window)
    widget.setGeometry(*geometry)
    return widget


def open_dialog():
    dialog = QDialog(window)
    dialog.resize(120, 80)
    dialog.setStyleSheet("background: #4060c0")
    dialog.finished.connect(lambda _: say("dialog closed"))
    dialog.open()
    say("dialog opened")


def hide():
    window.hide()
    say("window hidden")
    QTimer.singleShot(200, window.show)


application = QApplication([])
# For so long a list that has just opened takes no click.
application.setDoubleClickInterval(1)
window = Window()
window.setWindowTitle(f"Qt {sys.argv[1]}")
window.resize(300, 200)
colour = place(QWidget(), 250, 20, 100, 100)
colour.setStyleSheet("background: #20a040")
button = place(QPushButton("Button"), 20, 20, 160, 40)
button.clicked.connect(lambda: say("button clicked"))
entry = place(QLineEdit(), 20, 80, 160, 40)
entry.textChanged.connect(lambda text: say("text", text))
choice = place(QComboBox(), 20, 140, 160, 40)
choice.addItems(["first", "second", "third"])
choice.currentTextChanged.connect(lambda text: say("chosen", text))
place(QPushButton("Dialog"), 20, 200, 160, 40).clicked.connect(open_dialog)
place(QPushButton("Hide"), 200, 200, 100, 40).clicked.connect(hide)
window.show()
application.exec()
