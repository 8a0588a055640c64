"""A user's file, as docs/your-own-method.md has it."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "your-own-method.md"


def write_method(folder: Path, more: str = "") -> str:
    """FILE.py:NAME of the page's method."""
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    assert len(found[1].splitlines()) < 40
    file = folder / "mine.py"
    file.write_text(found[1] + more)
    return f"{file}:match_moments"
