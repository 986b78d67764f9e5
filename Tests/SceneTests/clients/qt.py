"""A button and an entry in Qt 5 or 6, as the argument says; it prints what happens to them."""
import sys

if sys.argv[1] == "6":
    from PyQt6.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget
else:
    from PyQt5.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget

program = QApplication(["qt"])
window = QWidget()
window.setWindowTitle(f"Qt {sys.argv[1]}")
layout = QVBoxLayout(window)
button, entry = QPushButton("Click"), QLineEdit()
clicks = 0


def clicked():
    global clicks
    clicks += 1
    print("CLICKED", clicks, flush=True)


button.clicked.connect(clicked)
entry.textChanged.connect(lambda text: print("TEXT", text, flush=True))
for widget in entry, button:
    layout.addWidget(widget)
layout.addStretch()
window.show()
entry.setFocus()
program.exec()
