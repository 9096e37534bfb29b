"""What ends a command of the command line."""


class CommandError(Exception):
    """The command cannot do what it was asked to; the message says what to change."""
