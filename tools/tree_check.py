"""What checks of the project's sources have in common."""

import pathlib
import sys


def run(check_tree, failure, success):
    """Runs check_tree(root), which returns ([a line per problem], files looked at), on this project or the
    folder that the command line names. Prints the problems and a closing line: `failure`, with {problems} and
    {files}, or `success`, with {files}. Returns the exit code."""
    default = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    problems, files = check_tree(root)
    for problem in problems:
        print(problem)
    if problems or not files:
        print(failure.format(problems=len(problems), files=files))
        return 1
    print(success.format(files=files))
    return 0
