"""Studies of the paper: a frozen config and run(config) -> Result, one file each (`from endd.studies import toy`).

Nothing here loads torch until a study itself is imported.
"""

from endd.studies.folder import check_folder, study_folder
from endd.studies.result import Record, Result
from endd.studies.statistics import Estimate, estimate

__all__ = ["Estimate", "Record", "Result", "check_folder", "estimate", "study_folder"]
