"""Exporters are quiet inside, and everything is as before afterwards."""

import logging
import warnings

import pytest

from endd.export.quiet import CHATTY, quietly


def test_remarks_are_kept_back(recwarn: pytest.WarningsRecorder) -> None:
    loggers = list(map(logging.getLogger, CHATTY))
    before = [logger.level for logger in loggers]
    with quietly():
        warnings.warn("of no use to anybody", stacklevel=1)
        assert not any(logger.isEnabledFor(logging.WARNING) for logger in loggers)
    assert [logger.level for logger in loggers] == before
    assert len(recwarn) == 0
