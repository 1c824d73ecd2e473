"""Exports of a campaign's results: tidy tables in several formats, as streams of bytes.

Modules that need pyarrow are imported by whoever makes a file; this one needs nothing.
"""

from windtunnel.exports.origin import Origin
from windtunnel.exports.request import FORMATS, ExportRequest, FileFormat, Table, read_request

__all__ = ["FORMATS", "ExportRequest", "FileFormat", "Origin", "Table", "read_request"]
