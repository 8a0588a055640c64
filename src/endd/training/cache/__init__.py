"""What a teacher says, written down once: labelling that survives, and reading that never trusts what it finds."""

from endd.training.cache.labelling import cache_teacher
from endd.training.cache.one_by_one import OneByOne
from endd.training.cache.records import CacheError
from endd.training.cache.rows import Rows, as_rows
from endd.training.cache.teacher_cache import TeacherCache

__all__ = ["CacheError", "OneByOne", "Rows", "TeacherCache", "as_rows", "cache_teacher"]
