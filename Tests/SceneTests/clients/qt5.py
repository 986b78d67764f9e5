"""A button and an entry in Qt 5; it prints what happens to them."""
from PyQt5.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget

program = QApplication(["qt5"])
window = QWidget()
window.setWindowTitle("Qt 5")
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
program.exec_()
