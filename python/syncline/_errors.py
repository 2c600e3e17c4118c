"""What goes wrong, as exceptions."""


class Error(Exception):
    """An operation that failed.

    `message` is the sentence alone, `file` the file that it is about (or ""), `position` the place in it: a byte offset, a
    pair (line, column) that counts from 1, or None.
    """

    def __init__(self, text, message=None, file="", position=None):
        super().__init__(text)
        self.message = text if message is None else message
        self.file = file
        self.position = position

    def __reduce__(self):
        return type(self), (str(self), self.message, self.file, self.position)


class UsageError(Error, ValueError):
    """What was asked for makes no sense."""


class UnreadableError(Error):
    """A file cannot be opened, read or written."""


class MalformedError(Error):
    """A file's content breaks its format."""


class UnsupportedError(Error):
    """A file is right, but of a kind that this build cannot handle."""


class NoCorrectionError(Error):
    """The inputs do not determine any correction."""


class Cancelled(Error):
    """The progress callback returned False."""


# In the order of the library's error codes.
_CLASSES = (
    UsageError,
    UnreadableError,
    MalformedError,
    UnsupportedError,
    NoCorrectionError,
    Cancelled,
)


def error_of(code, text, message, file, position):
    return _CLASSES[code](text, message, file, position)
